"""The blank page of A3: the walk over the keys from memory, with what is seen, scored or kept changed."""

import torch

from learning.lesson import Variation

VARIATIONS = (
    Variation(
        entry="log_total",
        brief=(
            "`log_total(q, k, *, causal, block_n=32)` returns for each query log Σ exp(score) over the keys it sees: a float32 `[N]`. "
            "Everything else in the contract of `attention` stays."
        ),
        changes="No values and no mixture; the maximum is added back at the end.",
    ),
    Variation(
        entry="attention_window",
        brief=(
            "`attention_window(q, k, v, window, *, block_n=32)` lets query i see the keys i − window + 1 … i, as far as they exist; `window` "
            "is an int from 1 up. Everything else in the contract of `attention` stays."
        ),
        changes="A second comparison, and rows that see nothing in the first tiles: the pin is needed now.",
    ),
    Variation(
        entry="attention_biased",
        brief=(
            "`attention_biased(q, k, v, slope, *, causal, block_n=32)` adds slope · (j − i) to the score of query i and key j, in float32; "
            "`slope` is a float from 0 to 1. Everything else in the contract of `attention` stays."
        ),
        changes="One term more between scale and mask, from places instead of values.",
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
