"""The blank page of L7: the same walk over a cache, with what is seen, scored or kept changed."""

import torch

from learning.lesson import Variation
from learning.lessons.cached_attention.reference import attend_reference, condition_in, weights_of

SHAPES = tuple(
    {"Hq": heads, "Hkv": kv, "T": steps, "length": length, "D": dims}
    for heads, kv, steps, length, dims in (
        (4, 2, 17, 70, 32), (2, 1, 1, 1, 16), (2, 2, 1, 33, 64), (6, 3, 5, 40, 16), (1, 1, 17, 31, 128), (2, 2, 0, 7, 16),
    )
)  # fmt: skip
WINDOWED = tuple({**shape, "window": window} for shape, window in zip(SHAPES, (20, 64, 32, 6, 10**12, 5), strict=True))


def cached(draw, dtype, Hq, Hkv, T, length, D, window=None):
    """q, two caches that are slices of longer ones, stored by key, length, and window where the contract has one."""
    q = draw.normal(Hq, T, D, dtype=dtype, scale=2.0)
    k, v = (draw.normal(length + 5, Hkv, D, dtype=dtype).transpose(0, 1)[:, 2 : length + 4] for _ in range(2))
    return (q, k, v, length) if window is None else (q, k, v, length, window)


def keys_alone(draw, dtype, **sizes):
    """The same without values."""
    q, k, _, length, window = cached(draw, dtype, **sizes)
    return q, k, length, window


def capped(draw, dtype, **sizes):
    """The same and a cap that bites."""
    return *cached(draw, dtype, **sizes), 1.5


VARIATIONS = (
    Variation(
        entry="attend_all",
        brief=(
            "`attend_all(q, k_cache, v_cache, length)` lets every query see all valid keys: no window and no order, and T need not be "
            "part of length. Everything else in the contract of `attend` stays; length is at least 1."
        ),
        changes="The walk is the same for every tile, and the mask is one comparison: a padded key is all that must score −∞.",
        inputs=cached,
        cases=SHAPES,
    ),
    Variation(
        entry="log_total",
        brief=(
            "`log_total(q, k_cache, length, window)` returns for each query the logarithm of the sum of exp(score) over the keys it "
            "sees, a float32 `[Hq, T]`. Everything else in the contract of `attend` stays."
        ),
        changes="No values and no mixture; the maximum must be added back at the end.",
        inputs=keys_alone,
        cases=WINDOWED,
    ),
    Variation(
        entry="attend_capped",
        brief=(
            "`attend_capped(q, k_cache, v_cache, length, window, cap)` replaces each score s by cap · tanh(s / cap), cap a float above "
            "0, before the softmax. Everything else in the contract of `attend` stays."
        ),
        changes="One function more between score and mask; tanh must be built from exp, and must not overflow.",
        inputs=capped,
        cases=WINDOWED,
    ),
)


def scores_of(q, k_cache, length, window):
    """q · k / √D for the valid keys [Hq, T, length], −∞ where a query does not see a key; float32, or float64 for
    float64."""
    work = torch.promote_types(q.dtype, torch.float32)
    steps, dims = q.shape[1:]
    keys = k_cache[:, :length].to(work).repeat_interleave(q.shape[0] // k_cache.shape[0], dim=0)
    place = torch.arange(length - steps, length, device=q.device)[:, None]
    key = torch.arange(length, device=q.device)[None, :]
    return (q.to(work) @ keys.mT * dims**-0.5).masked_fill((key > place) | (key <= place - window), -torch.inf)


def attend_all_reference(q, k_cache, v_cache, length):
    """Each query of q [Hq, T, D] over all ``length`` valid keys: a decode step of its own with a window that reaches
    them all."""
    each = [attend_reference(q[:, t : t + 1], k_cache, v_cache, length, length) for t in range(q.shape[1])]
    return torch.cat(each, dim=1) if each else torch.empty_like(q)


def log_total_reference(q, k_cache, length, window):
    """log Σ exp(score) of each query over the keys it sees, [Hq, T] in float32 (float64 for float64)."""
    return torch.logsumexp(scores_of(q, k_cache, length, window), dim=-1)


def attend_all_condition_in(dtype):
    """That of the lesson, each query a decode step of its own."""
    condition = condition_in(dtype)

    def of_all(q, k_cache, v_cache, length):
        each = [condition(q[:, t : t + 1], k_cache, v_cache, length, length) for t in range(q.shape[1])]
        return torch.cat(each, dim=1) if each else torch.empty_like(q)

    return of_all


def log_total_condition(q, k_cache, length, window):
    """What the roundings of one logarithm scale with: 1 + the largest Σ|q·k|/√D its query meets."""
    return 1 + weights_of(q, k_cache, length, window)[1].squeeze(-1)


def attend_capped_condition_in(dtype):
    """That of the lesson for the capped weights; a rounding of tanh moves a score by cap of them."""
    walk = 0.0 if dtype == torch.float32 else 1.5 * torch.finfo(dtype).eps / (16 * torch.finfo(torch.float32).eps)

    def condition(q, k_cache, v_cache, length, window, cap):
        scores, largest = scores_of(q, k_cache, length, window), weights_of(q, k_cache, length, window)[1]
        weights = torch.softmax(torch.where(scores.isinf(), scores, cap * torch.tanh(scores / cap)), dim=-1)
        values = v_cache[:, :length].repeat_interleave(q.shape[0] // v_cache.shape[0], dim=0)
        return weights @ values.abs() * (1 + cap + largest) + walk * (weights.square() @ values.square()).sqrt()

    return condition


def attend_capped_reference(q, k_cache, v_cache, length, window, cap):
    """Attention with each score s replaced by cap · tanh(s / cap); P rounded to the dtype of q."""
    scores = scores_of(q, k_cache, length, window)
    weights = torch.softmax(torch.where(scores.isinf(), scores, cap * torch.tanh(scores / cap)), dim=-1)
    values = v_cache[:, :length].to(weights.dtype).repeat_interleave(q.shape[0] // v_cache.shape[0], dim=0)
    return (weights.to(q.dtype).to(weights.dtype) @ values).to(q.dtype)
