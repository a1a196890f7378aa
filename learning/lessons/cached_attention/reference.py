"""What ``attend`` must equal: eager attention over the valid keys, scores and sums in float32, weights rounded to the
dtype."""

import torch


def weights_of(q, k_cache, length, window):
    """Each query's weights [Hq, T, length] over the valid keys, and the largest Σ|q·k|/√D it meets [Hq, T, 1]; in
    float32, or float64 for float64."""
    work = torch.promote_types(q.dtype, torch.float32)
    (heads, steps, dims), group = q.shape, q.shape[0] // k_cache.shape[0]
    keys = k_cache[:, :length].to(work).repeat_interleave(group, dim=0)
    place = torch.arange(length - steps, length, device=q.device)[:, None]
    key = torch.arange(length, device=q.device)[None, :]
    seen = (key <= place) & (key > place - window)
    scores = (q.to(work) @ keys.mT * dims**-0.5).masked_fill(~seen, -torch.inf)
    size = (q.to(work).abs() @ keys.abs().mT * dims**-0.5).masked_fill(~seen, 0.0)
    largest = size.amax(-1, keepdim=True) if length else size.new_zeros(heads, steps, 1)
    return torch.softmax(scores, dim=-1), largest


def attend_reference(q, k_cache, v_cache, length, window):
    """Attention of ``q`` [Hq, T, D] over the first ``length`` keys of the caches [Hkv, Tmax, D], each query seeing
    ``window`` of them up to its own; the weights P are rounded to the dtype of ``q`` before they meet the values."""
    weights, _ = weights_of(q, k_cache, length, window)
    values = v_cache[:, :length].to(weights.dtype).repeat_interleave(q.shape[0] // v_cache.shape[0], dim=0)
    return (weights.to(q.dtype).to(weights.dtype) @ values).to(q.dtype)


def condition_in(dtype):
    """What the rounding errors of one element scale with, for inputs that were given in ``dtype``.

    Σ P·|v| for the sums, times 1 + the largest Σ|q·k|/√D, since an error of a score is an error of its weight. Where P is
    rounded to 16 bits each weight is off by up to half a step on its own: that adds up like a walk, with √(Σ P²·v²).
    """
    walk = 0.0 if dtype == torch.float32 else 1.5 * torch.finfo(dtype).eps / (16 * torch.finfo(torch.float32).eps)

    def condition(q, k_cache, v_cache, length, window):
        weights, largest = weights_of(q, k_cache, length, window)
        values = v_cache[:, :length].repeat_interleave(q.shape[0] // v_cache.shape[0], dim=0)
        return weights @ values.abs() * (1 + largest) + walk * (weights.square() @ values.square()).sqrt()

    return condition


def agrees(trial, attend, q, k_cache, v_cache, length, window, **options):
    """Let ``trial`` judge one call: contract and memory first, then every number."""
    trial.parity(
        attend, q, k_cache, v_cache, length, window,
        reference=attend_reference, scale=condition_in(q.dtype), **options,
    )  # fmt: skip


def drawn(trial, heads, kv_heads, steps, capacity, dims, dtype=torch.float32, scale=1.0):
    """q [heads, steps, dims] and two caches [kv_heads, capacity, dims] of normal values; ``scale`` enlarges the
    scores."""
    q = trial.normal(heads, steps, dims, dtype=dtype, scale=scale)
    return q, trial.normal(kv_heads, capacity, dims, dtype=dtype), trial.normal(kv_heads, capacity, dims, dtype=dtype)
