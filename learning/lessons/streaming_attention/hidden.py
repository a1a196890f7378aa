"""The hidden checks of A3, 10 points: parity 8, benchmark 2. Shapes and values are drawn when the work is graded."""

import torch

from learning.judge import check
from learning.lessons.streaming_attention.reference import agrees, drawn, rising


@check(points=2, hidden=True)
def attends_at_sizes_it_has_never_seen(attention, trial):
    """Every width, both dtypes, both steps, with and without order, at lengths that no tile divides; from odd addresses; q, k, v one tensor."""
    for dtype in trial.dtypes[1:]:
        for width in (16, 32, 64):
            trial.case(f"which sizes, {width}, {dtype}")
            tokens = 17 + trial.random.randrange(40)
            for causal in (True, False):
                block_n = 64 if causal == (width != 32) else 32  # each step meets each order, and each width
                trial.case(f"{tokens} tokens of {width}, causal={causal}, block_n={block_n}, {dtype}")
                agrees(trial, attention, *drawn(trial, tokens, width, dtype=dtype), causal=causal, block_n=block_n)
    trial.case("50 tokens of 32, all three from their second element on")
    agrees(trial, attention, *(trial.layout(x, "offset") for x in drawn(trial, 50, 32)), causal=True)
    trial.case("45 tokens of 16, one tensor for q, k and v")
    x = trial.normal(45, 16, dtype=torch.float16)
    agrees(trial, attention, x, x, x, causal=False)


@check(points=1.5, hidden=True, trap=8)
def keeps_scores_and_sums_in_float32(attention, trial):
    """Scores of dozens, long sums of small weights: what is rounded to 16 bits before the weights are, or between two steps, is lost."""
    for dtype in trial.dtypes[1:]:
        trial.case(f"40 tokens of 32, scores of dozens, {dtype}")
        agrees(trial, attention, *drawn(trial, 40, 32, dtype=dtype, scale=8.0), causal=False)
    trial.case("230 tokens of 16, nearly equal weights, float16")
    q, k, v = drawn(trial, 230, 16, scale=0.3)
    agrees(trial, attention, q, k, v.abs(), causal=False)


@check(points=1.5, hidden=True)
def follows_scores_that_are_hard(attention, trial):
    """A maximum that rises at every key, one that comes first, one key that takes all, equal scores, zeros, scores near −1000."""
    for dtype in trial.dtypes[1:]:
        steps = ((0.25, 70), (-0.25, 90), (3.0, 40), (-3.0, 70))
        for step, tokens in steps if dtype == torch.float16 else steps[:1]:
            trial.case(f"{tokens} tokens of 16, scores that change by {step} a key, {dtype}")
            agrees(trial, attention, *rising(trial, tokens, 16, step, dtype=dtype), causal=step > 0)
        trial.case(f"70 tokens of 32, one key that takes all, then scores near -1000, {dtype}")
        q, k, v = drawn(trial, 70, 32, dtype=dtype, scale=0.1)
        q[:, 0] = 8.0
        k[:, 0] = trial.pattern("spikes", 70, dtype=dtype) * 4
        agrees(trial, attention, q, k, v, causal=False)
        k[:, 0] = -700.0
        agrees(trial, attention, q, k, v, causal=True)
        trial.case(f"70 tokens of 16, keys of zeros, {dtype}")
        q, k, v = drawn(trial, 70, 16, dtype=dtype)
        agrees(trial, attention, q, torch.zeros_like(k), v, causal=True, block_n=64)


@check(points=1, hidden=True)
def depends_on_what_a_query_sees_and_on_nothing_else(attention, trial):
    """Later tokens may hold anything; without order every query sees the last key; rows of q change places with their results."""
    trial.case("where it changes")
    tokens, width = 70 + trial.random.randrange(30), trial.random.choice((16, 32))
    place = trial.random.randrange(33, 65)
    trial.case(f"{tokens} tokens of {width}, other tokens behind place {place}")
    q, k, v = drawn(trial, tokens, width)
    agrees(trial, attention, q, k, v, causal=True)
    before = trial.returns(attention, q, k, v, causal=True)
    for changed in ((q, k, v), (k,), (v,)):
        given = [x.clone() for x in (q, k, v)]
        for x, old in zip(given, (q, k, v), strict=True):
            if any(old is one for one in changed):
                x[place + 1 :] = 50.0
        trial.same(
            trial.returns(attention, *given, causal=True)[: place + 1], before[: place + 1],
            called=f"rows 0 … {place} of attention(q, k, v, causal=True), with other tokens behind place {place}",
        )  # fmt: skip
    trial.case(f"{tokens} tokens of {width}, the last key takes all")
    q, k, v = drawn(trial, tokens, width)
    k[-1], q[:] = q[0] * 8, q[0]
    agrees(trial, attention, q, k, v, causal=False)


@check(points=1, hidden=True)
def reaches_the_end_of_a_long_sequence(attention, trial):
    """225 tokens, on a GPU up to 2048: a walk that stops early, or a result that covers fewer rows, shows here and nowhere before."""
    lengths = (2048, 2047, 1025) if trial.device == "cuda" else (225,)
    for tokens in lengths:
        trial.case(f"{tokens} tokens of 16, block_n=64")
        agrees(trial, attention, *drawn(trial, tokens, 16), causal=False, block_n=64)
    if trial.device == "cuda":
        trial.case("2048 tokens of 64, causal")
        agrees(trial, attention, *drawn(trial, 2048, 64), causal=True)


@check(points=1, hidden=True)
def refuses_every_argument_outside_the_contract(attention, trial):
    """Kind, device, dtype, rank, shape, width, length, layout, autograd and options: each is refused by name."""
    q, k, v = drawn(trial, 4, 16)
    given = {"q": q, "k": k, "v": v}
    for name, x in given.items():
        wrong = (None, 3.0, x.double(), x.float(), x.int(), x[None], x[0], x.repeat(2, 2)[::2, ::2])
        for value in (*wrong, x.clone().requires_grad_(), torch.empty_like(x, device="meta")):
            trial.rejects(attention, *({**given, name: value}).values(), causal=False, names=name)
        if trial.device == "cuda":
            trial.rejects(attention, *({**given, name: x.cpu()}).values(), causal=False, names=name)
    for name in ("k", "v"):
        for value in (
            given[name].bfloat16(),
            given[name][:3],
            given[name].new_zeros(5, 16),
            given[name].new_zeros(4, 32),
        ):
            trial.rejects(attention, *({**given, name: value}).values(), causal=False, names=name)
    for width in (0, 1, 8, 24, 128):
        x = q.new_zeros(4, width)
        trial.rejects(attention, x, x, x, causal=True, names="q", limit="16 32 64")
    x = q.new_zeros(2049, 16)
    trial.rejects(attention, x, x, x, causal=True, names="q", limit="2048")
    for value in (None, 0, 1, "yes", 1.0):
        trial.rejects(attention, q, k, v, causal=value, names="causal")
    for value in (0, 16, 48, 128, -32, True, None, "32", 32.0):
        trial.rejects(attention, q, k, v, causal=True, block_n=value, names="block_n", limit="32 64")


@check(points=2, hidden=True, needs_gpu=True)
def runs_within_a_quarter_of_our_time(attention, trial):
    """Full points up to 1.25 times the time of the supplied answer in the same run, half up to 2 times."""
    trial.case("2048 tokens of 64, causal, float16")
    trial.faster(attention, drawn(trial, 2048, 64), causal=True, full=1.25, half=2.0)
