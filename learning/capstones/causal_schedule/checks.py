"""The checks of C1, all of them public: its own reference, values, the future, the schedule, refusals, house rules."""

import torch

from learning.capstones.causal_schedule.given import (
    MOST_TOKENS,
    agrees,
    condition_in,
    drawn,
    eager_attention,
    states,
    visits,
)  # fmt: skip
from learning.judge import check


@check(points=1)
def states_the_reference_first(attention_reference, trial):
    """Your own reference says in eager torch what is asked for: without one there is no kernel."""
    trial.case("1, 5, 40 and 0 tokens")
    cases = [drawn(trial, tokens, 16) for tokens in (1, 5, 40, 0)]
    states(trial, attention_reference, [*cases, drawn(trial, 33, 64, dtype=torch.bfloat16, scale=4.0)])


@check(points=2)
def agrees_at_the_edges_of_a_tile(attention, trial):
    """Nothing, one token, one tile, one token more, two tiles, three: even and odd numbers of tiles, the last one full and not."""
    for tokens in (0, 1, 15, 16, 17, 32, 33, 48):
        trial.case(f"{tokens} tokens of 16, tiles of 16")
        agrees(trial, attention, *drawn(trial, tokens, 16), block=16)
    for dtype in trial.dtypes[1:]:
        trial.case(f"70 tokens of 64, tiles as they come, {dtype}")
        agrees(trial, attention, *drawn(trial, 70, 64, dtype=dtype))


@check(points=2)
def agrees_over_many_tiles(attention, trial):
    """Lengths drawn when the check runs, every width, both dtypes, both blocks, scores of dozens; from odd addresses; one tensor for all three."""
    for dtype in trial.dtypes[1:]:
        for width, block in ((16, 16), (64, 32)) if dtype == torch.float16 else ((32, 16),):
            trial.case(f"which length, {width}, {dtype}")
            tokens = 80 + trial.random.randrange(40)
            trial.case(f"{tokens} tokens of {width}, tiles of {block}, {dtype}")
            agrees(trial, attention, *drawn(trial, tokens, width, dtype=dtype, scale=4.0), block=block)
    trial.case("50 tokens of 32, all three from their second element on")
    agrees(trial, attention, *(trial.layout(x, "offset") for x in drawn(trial, 50, 32)))
    trial.case("45 tokens of 16, one tensor for q, k and v")
    x = trial.normal(45, 16, dtype=torch.float16)
    agrees(trial, attention, x, x, x, block=16)
    if trial.device == "cuda":
        for tokens in (2049, MOST_TOKENS - 1, MOST_TOKENS):
            trial.case(f"{tokens} tokens of 64")
            agrees(trial, attention, *drawn(trial, tokens, 64))


@check(points=2)
def keeps_the_two_walks_of_a_program_apart(attention, trial):
    """Early tokens whose scores are large, late ones whose scores are small, and the reverse: no maximum, sum or mixture is carried on."""
    for high in (slice(0, 40), slice(72, 112)):
        trial.case(f"112 tokens of 16, scores of dozens at tokens {high.start} to {high.stop - 1}")
        q, k, v = drawn(trial, 112, 16, scale=0.1)
        q[high] *= 80
        v[high] += 100
        agrees(trial, attention, q, k, v, block=16)


@check(points=1)
def depends_on_the_past_alone(attention, trial):
    """Other tokens behind place i leave rows 0 … i as they were, bit for bit."""
    trial.case("where it changes")
    place = trial.random.randrange(33, 90)
    trial.case(f"112 tokens of 16, other tokens behind place {place}")
    given = drawn(trial, 112, 16)
    before = trial.returns(attention, *given, block=16)
    changed = [x.clone() for x in given]
    for x in changed:
        x[place + 1 :] = 50.0
    trial.same(
        trial.returns(attention, *changed, block=16)[: place + 1], before[: place + 1],
        called=f"rows 0 … {place} of attention(q, k, v, block=16), with other tokens behind place {place}",
    )  # fmt: skip


@check(points=2)
def loads_no_tile_of_the_future(attention, trial):
    """137 tokens in tiles of 16: 45 visits and not one more; every element of the result stored once; sums in float32."""
    trial.case("137 tokens of 16, tiles of 16")
    q, k, v = drawn(trial, 137, 16)
    seen = trial.structure(attention, q, k, v, reference=eager_attention, scale=condition_in(q.dtype), block=16)
    tiles, rows = visits(137, 16)
    seen.passes(q=2, k=rows / 137, v=rows / 137, out=1, scratch=2.3, slack=0.001)
    seen.writes_once("out")
    seen.adds_in_float32()
    trial.notes.append(f"{tiles} visits of a tile of keys, where a walk over all of them makes {9 * 9}")


@check(points=3)
def shares_the_visits_out(attention, trial):
    """128 tokens are 8 tiles of 16, 144 are 9: at least half as many programs, and none with more than 1.25 times the average."""
    for tokens in (128, 144):
        trial.case(f"{tokens} tokens of 16, tiles of 16")
        q, k, v = drawn(trial, tokens, 16)
        seen = trial.structure(attention, q, k, v, reference=eager_attention, scale=condition_in(q.dtype), block=16)
        seen.shares_out(programs=-(-tokens // 32), most=1.25)


@check(points=1)
def refuses_what_the_contract_excludes(attention, trial):
    """TypeError or ValueError before anything is launched; the message names the argument and the limit."""
    q, k, v = drawn(trial, 4, 16)
    given = {"q": q, "k": k, "v": v}
    for name, x in given.items():
        for value in (
            None,
            3.0,
            x.float(),
            x.int(),
            x[None],
            x[0],
            x.repeat(2, 2)[::2, ::2],
            x.clone().requires_grad_(),
        ):
            trial.rejects(attention, *({**given, name: value}).values(), names=name)
        trial.rejects(attention, *({**given, name: torch.empty_like(x, device="meta")}).values(), names=name)
    for name in ("k", "v"):
        for value in (given[name].bfloat16(), given[name][:3], given[name].new_zeros(4, 32)):
            trial.rejects(attention, *({**given, name: value}).values(), names=name)
    for width in (0, 8, 24, 128):
        x = q.new_zeros(4, width)
        trial.rejects(attention, x, x, x, names="q", limit="16 32 64")
    x = q.new_zeros(MOST_TOKENS + 1, 16)
    trial.rejects(attention, x, x, x, names="q", limit="16384")
    for value in (0, 8, 48, 64, -16, True, None, "32", 32.0):
        trial.rejects(attention, q, k, v, block=value, names="block", limit="16 32")


@check(points=1)
def keeps_the_house_rules(attention, trial):
    """A kernel of your own scores, weighs and mixes: PyTorch makes the result."""
    trial.case("3 tokens of 16")
    trial.house_rules(attention, *drawn(trial, 3, 16))
