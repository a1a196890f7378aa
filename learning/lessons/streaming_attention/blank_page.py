"""The blank page of A3: the walk over the keys from memory, with what is seen, scored or kept changed."""

import torch

from learning.lesson import Variation
from learning.lessons.streaming_attention.reference import weights_of

SHAPES = tuple({"N": n, "D": d} for n, d in ((70, 32), (1, 16), (31, 64), (32, 16), (33, 16), (0, 32)))
WINDOWED = tuple({**shape, "window": window} for shape, window in zip(SHAPES, (20, 5, 1, 32, 10**6, 3), strict=True))
DTYPES = ("float16", "bfloat16")
ORDERS = ({"causal": True}, {"causal": False, "block_n": 64}, {"causal": True, "block_n": 64}, {"causal": False})


def a_head(draw, dtype, N, D, window=None):
    """q, k, v [N, D], scores spread about 2, and the window where the contract has one."""
    made = draw.normal(N, D, dtype=dtype, scale=2.0), draw.normal(N, D, dtype=dtype), draw.normal(N, D, dtype=dtype)
    return made if window is None else (*made, window)


def queries_and_keys(draw, dtype, N, D):
    """q and k alone."""
    return a_head(draw, dtype, N, D)[:2]


def a_head_and_a_slope(draw, dtype, N, D):
    """q, k, v and a slope."""
    return *a_head(draw, dtype, N, D), 0.25


VARIATIONS = (
    Variation(
        entry="log_total",
        brief=(
            "`log_total(q, k, *, causal, block_n=32)` returns for each query log Σ exp(score) over the keys it sees: a float32 `[N]`. "
            "Everything else in the contract of `attention` stays."
        ),
        changes="No values and no mixture; the maximum is added back at the end.",
        inputs=queries_and_keys,
        cases=SHAPES,
        dtypes=DTYPES,
        options=ORDERS,
    ),
    Variation(
        entry="attention_window",
        brief=(
            "`attention_window(q, k, v, window, *, block_n=32)` lets query i see the keys i − window + 1 … i, as far as they exist; `window` "
            "is an int from 1 up. Everything else in the contract of `attention` stays."
        ),
        changes="A second comparison, and rows that see nothing in the first tiles: the pin is needed now.",
        inputs=a_head,
        cases=WINDOWED,
        dtypes=DTYPES,
        options=({}, {"block_n": 64}),
    ),
    Variation(
        entry="attention_biased",
        brief=(
            "`attention_biased(q, k, v, slope, *, causal, block_n=32)` adds slope · (j − i) to the score of query i and key j, in float32; "
            "`slope` is a float from 0 to 1. Everything else in the contract of `attention` stays."
        ),
        changes="One term more between scale and mask, from places instead of values.",
        inputs=a_head_and_a_slope,
        cases=SHAPES,
        dtypes=DTYPES,
        options=ORDERS,
    ),
)


def scores_of(q, k, causal, window=None):
    """q · k / √D [N, N] in float32 (float64 for float64), −∞ where a query does not see a key."""
    wide = torch.promote_types(q.dtype, torch.float32)
    place = torch.arange(len(q), device=q.device)
    ahead = place[None, :] - place[:, None]
    hidden = (ahead > 0) & causal
    if window is not None:
        hidden = hidden | (ahead <= -window)
    return (q.to(wide) @ k.to(wide).t() * q.shape[1] ** -0.5).masked_fill(hidden, -torch.inf), ahead


def mixed(scores, v):
    """The values of v [N, D] mixed by the softmax of ``scores``, P rounded to the dtype of v."""
    return (torch.softmax(scores, dim=-1).to(v.dtype).to(scores.dtype) @ v.to(scores.dtype)).to(v.dtype)


def log_total_reference(q, k, *, causal):
    """log Σ exp(score) of each query, [N] in float32 (float64 for float64)."""
    return torch.logsumexp(scores_of(q, k, causal)[0], dim=-1)


def attention_window_reference(q, k, v, window):
    """Causal attention over the ``window`` latest keys of each query."""
    return mixed(scores_of(q, k, True, window)[0], v)


def attention_biased_reference(q, k, v, slope, *, causal):
    """Attention with slope · (j − i) added to each score."""
    scores, ahead = scores_of(q, k, causal)
    return mixed(scores + slope * ahead, v)


def log_total_condition(q, k, *, causal):
    """What the roundings of one logarithm scale with: 1 + the largest Σ|q·k|/√D its query meets."""
    return 1 + weights_of(q, k, causal=causal)[1].squeeze(-1)


def _of_a_mixture(dtype, scores, largest, v):
    """Σ P·|v|, times 1 + the largest score's terms, and the walk of weights that were rounded to ``dtype``."""
    walk = 1.5 * torch.finfo(dtype).eps / (16 * torch.finfo(torch.float32).eps)
    weights = torch.softmax(scores, dim=-1)
    return weights @ v.abs() * (1 + largest) + walk * (weights.square() @ v.square()).sqrt()


def attention_window_condition_in(dtype):
    """That of the lesson over the keys of a window."""

    def condition(q, k, v, window):
        return _of_a_mixture(dtype, scores_of(q, k, True, window)[0], weights_of(q, k, causal=True)[1], v)

    return condition


def attention_biased_condition_in(dtype):
    """That of the lesson with the bias in the scores; it is as large as the way to the farthest key."""

    def condition(q, k, v, slope, *, causal):
        scores, ahead = scores_of(q, k, causal)
        return _of_a_mixture(dtype, scores + slope * ahead, weights_of(q, k, causal=causal)[1] + slope * len(q), v)

    return condition
