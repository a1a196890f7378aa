"""The public checks of A3, 6 points: parity 4, house rules 1, structure 1. Each is one cell; its name says what to make true."""

from learning.judge import check
from learning.lessons.streaming_attention.reference import agrees, attention_reference, condition_in, drawn, rising


@check(points=1, trap=4)
def attends_over_ragged_lengths_and_gives_padded_keys_nothing(attention, trial):
    """One token, a step less one, a step and one, more than two steps; scores far below 0, where a padded key would win."""
    for tokens, width, block_n in ((1, 16, 32), (31, 32, 64), (33, 64, 32), (70, 16, 32)):
        trial.case(f"{tokens} tokens of {width}, all keys, block_n={block_n}")
        agrees(trial, attention, *drawn(trial, tokens, width), causal=False, block_n=block_n)
    for dtype, tokens in ((trial.dtypes[1], 40), (trial.dtypes[-1], 20)):
        trial.case(f"{tokens} tokens of 16, all keys, scores far below 0, {dtype}")
        q, k, v = drawn(trial, tokens, 16, dtype=dtype)
        agrees(trial, attention, q.abs() + 4, -k.abs() - 4, v, causal=False)


@check(points=1)
def sees_its_own_key_and_leaves_past_rows_alone_when_the_future_changes(attention, trial):
    """Causal: keys 0 … i for query i. With other tokens behind place 40, rows 0 … 40 keep every bit."""
    for tokens, width in ((1, 16), (2, 16), (67, 16)):
        trial.case(f"{tokens} tokens of {width}, causal")
        agrees(trial, attention, *drawn(trial, tokens, width), causal=True)
    trial.case("50 tokens of 16, causal, other tokens behind place 40")
    given = drawn(trial, 50, 16)
    before = trial.returns(attention, *given, causal=True)
    for x in given:
        x[41:] = 3.0 - x[41:].flip(0)
    trial.same(
        trial.returns(attention, *given, causal=True)[:41], before[:41],
        called="rows 0 … 40 of attention(q, k, v, causal=True), with other tokens behind place 40",
    )  # fmt: skip


@check(points=1)
def mends_what_was_summed_when_a_larger_score_arrives(attention, trial):
    """Scores that rise from key to key: in every step sum and mixture stand against a maximum that was too small. Then falling ones."""
    for step, causal in ((0.2, False), (-0.2, False), (0.2, True)):
        trial.case(f"70 tokens of 16, scores that change by {step} a key, causal={causal}")
        agrees(trial, attention, *rising(trial, 70, 16, step), causal=causal)


@check(points=0.5)
def returns_an_empty_tensor_for_no_tokens(attention, trial):
    """N = 0: no programs, an empty result of the same width and dtype, and no error; with order and without."""
    for dtype, causal in ((trial.dtypes[1], True), (trial.dtypes[-1], False)):
        trial.case(f"0 tokens of 32, {dtype}, causal={causal}")
        agrees(trial, attention, *drawn(trial, 0, 32, dtype=dtype), causal=causal)


@check(points=0.5)
def refuses_what_the_contract_excludes(attention, trial):
    """TypeError or ValueError before anything is launched; the message names the argument and the limit."""
    q, k, v = drawn(trial, 4, 16)
    trial.rejects(attention, q.tolist(), k, v, causal=True, names="q")
    trial.rejects(attention, q.float(), k.float(), v.float(), causal=True, names="q", limit="float16 bfloat16")
    trial.rejects(attention, q, k[:3], v, causal=True, names="k")
    trial.rejects(attention, q, k, v.t().contiguous().t(), causal=True, names="v", limit="contiguous")
    trial.rejects(attention, q[:, :8], k[:, :8], v[:, :8], causal=True, names="q", limit="16 32 64")
    trial.rejects(attention, q, k, v, causal=True, block_n=48, names="block_n", limit="32 64")


@check(points=1)
def keeps_the_house_rules(attention, trial):
    """A kernel of your own scores, weighs and mixes: PyTorch may make the result, look at shapes and take views."""
    trial.case("3 tokens of 16")
    trial.house_rules(attention, *drawn(trial, 3, 16), causal=True)


@check(points=1, trap=15)
def keeps_scores_out_of_memory(attention, trial):
    """160 tokens: no score is stored, no row is asked for more often than once for each 16 rows, the result is stored once."""
    trial.case("160 tokens of 16, causal")
    q, k, v = drawn(trial, 160, 16)
    seen = trial.structure(attention, q, k, v, reference=attention_reference, scale=condition_in(q.dtype), causal=True)
    seen.passes(q=10, k=10, v=10, out=1, scratch=4.5)
    seen.writes_once("out")
    seen.adds_in_float32()
    visited = seen.inputs["k"].loaded / 16
    trial.notes.append(
        f"unscored: {visited:.0f} visits to a key; a tile of 32 queries that walks over all 160 makes 800 in all, one that stops "
        "at the diagonal 480"
    )
