"""What ``gated_mlp`` must equal: the definition in float32, rounded once; what eager code makes of it; how errors grow."""

import torch


def gated_mlp_reference(x, w_gate, w_up):
    """silu(x · w_gateᵀ) · (x · w_upᵀ) in float32 (float64 for float64 arguments), rounded once to the dtype of ``x``.

    x [M, H], weights [I, H], result [M, I].
    """
    wide = torch.promote_types(x.dtype, torch.float32)
    gate, up = x.to(wide) @ w_gate.to(wide).t(), x.to(wide) @ w_up.to(wide).t()
    return (torch.nn.functional.silu(gate) * up).to(x.dtype)


def eager_gated_mlp(x, w_gate, w_up):
    """The same as a model's code usually has it: four calls in the dtype of ``x``, each of which rounds."""
    gate, up = torch.nn.functional.linear(x, w_gate), torch.nn.functional.linear(x, w_up)
    return torch.nn.functional.silu(gate) * up


def gated_mlp_condition(x, w_gate, w_up):
    """What one rounding in float32 may move each result by, in units of that rounding: [M, I].

    An error in the gate is Σ |x · w_gate| of them and reaches the result through the slope of silu and times up; one in up
    is Σ |x · w_up|, times silu(gate). The last term forgives exp(−gate) its end: where it overflows silu is below 1e-36.
    """
    gate, up = x @ w_gate.t(), x @ w_up.t()
    share = torch.sigmoid(gate)
    slope = share * (1 + gate * (1 - share))
    gate_error, up_error = x.abs() @ w_gate.abs().t(), x.abs() @ w_up.abs().t()
    return slope.abs() * up.abs() * gate_error + (gate * share).abs() * up_error + 1e-30 * up_error


def agrees(trial, entry, x, w_gate, w_up, **options):
    """Let ``trial`` judge ``entry``: contract and memory first, then every number within what one rounding can promise."""
    terms = max(1, x.shape[1])
    trial.parity(
        entry, x, w_gate, w_up, reference=gated_mlp_reference, scale=gated_mlp_condition, terms=terms, **options
    )


def drawn(trial, rows, inner, outer, dtype=torch.float32, scale=1.0):
    """x [rows, inner] times ``scale`` and two weights [outer, inner] for a check; gate and up then have about that spread."""
    size = max(1, inner) ** -0.5
    x = trial.normal(rows, inner, dtype=dtype, scale=scale)
    return x, trial.normal(outer, inner, dtype=dtype, scale=size), trial.normal(outer, inner, dtype=dtype, scale=size)
