"""What ``attention`` must equal: eager attention with all its scores, in float32, weights rounded to the dtype."""

import torch


def weights_of(q, k, *, causal):
    """P [N, N] of q, k [N, D], and each query's largest Σ|q·k|/√D over the keys it sees [N, 1]; float32, or float64 for float64."""
    wide = torch.promote_types(q.dtype, torch.float32)
    hidden = torch.ones(len(q), len(q), dtype=torch.bool, device=q.device).triu(1) & causal
    scores = (q.to(wide) @ k.to(wide).t() * q.shape[1] ** -0.5).masked_fill(hidden, -torch.inf)
    size = (q.to(wide).abs() @ k.to(wide).abs().t() * q.shape[1] ** -0.5).masked_fill(hidden, 0.0)
    largest = size.amax(-1, keepdim=True) if len(q) else size.new_zeros(0, 1)
    return torch.softmax(scores, dim=-1), largest


def attention_reference(q, k, v, *, causal):
    """Attention of q, k, v [N, D]: scores and sums in float32, P rounded to the dtype before it meets v, one rounding at the end."""
    weights, _ = weights_of(q, k, causal=causal)
    return (weights.to(q.dtype).to(weights.dtype) @ v.to(weights.dtype)).to(q.dtype)


def condition_in(dtype):
    """What the rounding errors of one element scale with, for inputs that were given in ``dtype``.

    Σ P·|v| for the sums, times 1 + the largest Σ|q·k|/√D, since an error of a score is an error of its weight. P is rounded to
    16 bits, so each weight is off by up to half a step on its own: that adds up like a walk, with √(Σ P²·v²).
    """
    walk = 1.5 * torch.finfo(dtype).eps / (16 * torch.finfo(torch.float32).eps)

    def condition(q, k, v, *, causal):
        weights, largest = weights_of(q, k, causal=causal)
        return weights @ v.abs() * (1 + largest) + walk * (weights.square() @ v.square()).sqrt()

    return condition


def agrees(trial, attention, q, k, v, **options):
    """Let ``trial`` judge one call: contract and memory first, then every number."""
    trial.parity(attention, q, k, v, reference=attention_reference, scale=condition_in(q.dtype), **options)


def drawn(trial, tokens, width, dtype=torch.float16, scale=1.0):
    """q, k and v [tokens, width] of normal values; ``scale`` enlarges the scores."""
    q = trial.normal(tokens, width, dtype=dtype, scale=scale)
    return q, trial.normal(tokens, width, dtype=dtype), trial.normal(tokens, width, dtype=dtype)


def rising(trial, tokens, width, step, dtype=torch.float16):
    """q, k and v [tokens, width] whose scores rise by ``step`` from key to key, or fall where it is negative; v is spread out."""
    q, k, v = drawn(trial, tokens, width, dtype=dtype, scale=0.1)
    q[:, 0] = 4.0
    k[:, 0] = torch.arange(tokens, device=q.device) * (step * width**0.5 / 4.0)
    return q, k, v
