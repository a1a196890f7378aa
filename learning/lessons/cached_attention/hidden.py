"""The hidden checks of L7, 10 points: parity 8, benchmark 2. Shapes and values are drawn when the work is graded."""

import torch

from learning.judge import check
from learning.lessons.cached_attention.reference import agrees, drawn


@check(points=2, hidden=True)
def attends_at_sizes_it_has_never_seen(attend, trial):
    """Every head size, every dtype, lengths and windows that no tile divides, a window of one step, one token and many,
    one to eight heads a group."""
    for dtype in trial.dtypes:
        for dims in (16, 32, 64, 128) if dtype == torch.float32 else (16, 128):
            trial.case(f"which sizes, {dims} a head, {dtype}")
            pick = trial.random.choice
            kv_heads, group, steps = pick((1, 2)), pick((1, 3)), pick((1, 2, 18))
            length = steps + trial.random.randrange(37, 90)
            window = pick((5, 33, 47, length, 3 * length))
            heads, capacity = kv_heads * group, length + trial.random.randrange(0, 9)
            trial.case(
                f"{heads} heads over {kv_heads}, {steps} tokens, {length} keys, window {window}, {dims} a head, {dtype}"
            )
            agrees(trial, attend, *drawn(trial, heads, kv_heads, steps, capacity, dims, dtype=dtype), length, window)
    trial.case("1 head, 19 tokens, 51 keys, a window of one step of 32")
    agrees(trial, attend, *drawn(trial, 1, 1, 19, 51, 16), 51, 32)
    trial.case("8 heads over 1, 1 token, 50 keys")
    agrees(trial, attend, *drawn(trial, 8, 1, 1, 50, 16), 50, 64)


@check(points=2, hidden=True, trap=8)
def keeps_scores_and_sums_in_float32(attend, trial):
    """Scores of dozens and long sums: what is rounded to 16 bits before the weights are, or between two steps, is
    lost."""
    for dtype in trial.dtypes:
        trial.case(f"2 heads, 3 tokens, 90 keys, scores of dozens, {dtype}")
        agrees(trial, attend, *drawn(trial, 2, 1, 3, 90, 64, dtype=dtype, scale=8.0), 90, 90)
        keys = 900 if dtype == torch.float16 else 260
        trial.case(f"1 head, 1 token, {keys} keys, {dtype}")
        q, k, v = drawn(trial, 1, 1, 1, keys, 32, dtype=dtype, scale=0.5)
        agrees(trial, attend, q, k, v.abs(), keys, 2000)
    trial.case("1 head, 1 token, 300 keys, scores of hundreds that differ little")
    q, k, v = drawn(trial, 1, 1, 1, 300, 16)
    agrees(trial, attend, 30 + q / 8, 30 + k / 64, v, 300, 256)


@check(points=2, hidden=True, trap=13)
def follows_scores_that_are_hard(attend, trial):
    """A maximum that rises at every key, one that comes first, equal scores, one key that takes all, zeros, scores
    near −1000."""
    dims, length = 16, 100
    for dtype in trial.dtypes:
        trial.case(f"6 heads of hard scores, 2 tokens, 100 keys, {dtype}")
        q = torch.zeros_like(trial.normal(6, 2, dims, dtype=dtype))
        q[..., 0] = 4.0
        k, v = trial.normal(6, length, dims, dtype=dtype), trial.normal(6, length, dims, dtype=dtype)
        ramp = torch.arange(length, device=q.device) / 4.0
        k[0, :, 0], k[1, :, 0], k[2, :, 0] = ramp, -ramp, 1.0
        k[3, :, 0] = trial.pattern("spikes", length, dtype=dtype) * 8
        k[4, :, 0], k[5, :, 0] = 0.0, -1000.0 + ramp.flip(0)
        agrees(trial, attend, q, k, v, length, 64)
    trial.case("1 head, 33 tokens, a window of 3, scores far below zero")
    q, k, v = drawn(trial, 1, 1, 33, 40, dims)
    agrees(trial, attend, q.abs() + 4, -k.abs() - 4, v, 40, 3)


@check(points=2, hidden=True)
def depends_on_what_each_query_sees_and_on_nothing_else(attend, trial):
    """Keys and values behind the length, before the window and after a query may change: its result keeps every bit."""
    trial.case("which keys change")
    length, window = 60 + trial.random.randrange(8), 17 + trial.random.randrange(8)
    trial.case(f"4 heads over 2, 4 tokens, {length} of 80 keys, a window of {window}")
    q, k, v = drawn(trial, 4, 2, 4, 80, 16)
    agrees(trial, attend, q, k, v, length, window)
    before = trial.returns(attend, q, k, v, length, window)
    for cache in (k, v):
        other = cache.clone()
        other[:, length:], other[:, : length - 4 - window + 1] = 50.0, -50.0
        changed = (other, v) if cache is k else (k, other)
        trial.same(
            trial.returns(attend, q, *changed, length, window), before,
            called="attend(…) with other numbers behind the length and before every window",
        )  # fmt: skip
        other = cache.clone()
        other[:, length - 2 :] = -30.0
        changed = (other, v) if cache is k else (k, other)
        trial.same(
            trial.returns(attend, q, *changed, length, window)[:, :2], before[:, :2],
            called="the first two of four tokens, with other numbers at the places of the last two",
        )  # fmt: skip
    trial.case("the same heads in another order")
    q, k, v = drawn(trial, 3, 3, 2, 40, 32)
    order = [2, 0, 1]
    agrees(trial, attend, q[order], k[order], v[order], 40, 29)


@check(points=2, hidden=True, needs_gpu=True)
def decodes_within_a_quarter_of_our_time(attend, trial):
    """Full points up to 1.25 times the time of the supplied answer in the same run, half up to 2 times."""
    trial.case("32 heads over 8 of 128, 1 token, a window of 4096 in 6000 of 8192 keys, float16")
    trial.faster(attend, (*drawn(trial, 32, 8, 1, 8192, 128, dtype=torch.float16), 6000, 4096), full=1.25, half=2.0)
