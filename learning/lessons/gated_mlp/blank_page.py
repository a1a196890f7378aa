"""The blank page of L5: two products in one walk from memory, with another gate or other strides."""

import torch

from learning.lesson import Variation

VARIATIONS = (
    Variation(
        entry="relu_mlp",
        brief=(
            "`relu_mlp(x, w_gate, w_up)` returns max(x · w_gateᵀ, 0) · (x · w_upᵀ). Everything else in the contract of `gated_mlp` stays."
        ),
        changes="Another gate; the walk, the views and the one rounding are the same.",
    ),
    Variation(
        entry="packed_mlp",
        brief=(
            "`packed_mlp(x, w)` takes one contiguous weight `[2 I, H]`: its first I rows are w_gate, the rest w_up. Everything else in the "
            "contract of `gated_mlp` stays."
        ),
        changes="One pointer instead of two; where the second weight begins is a matter of offsets.",
    ),
    Variation(
        entry="biased_mlp",
        brief=(
            "`biased_mlp(x, w_gate, w_up, b_gate, b_up)` adds a contiguous bias `[I]` to each sum before the gate, in float32. Everything else in "
            "the contract of `gated_mlp` stays; H = 0 gives silu(b_gate) · b_up."
        ),
        changes="Two vectors more, loaded after the loop at the columns.",
    ),
)


def _wide(x):
    return x.to(torch.promote_types(x.dtype, torch.float32))


def relu_mlp_reference(x, w_gate, w_up):
    """max(x · w_gateᵀ, 0) · (x · w_upᵀ) for x [M, H] and weights [I, H], in float32 (float64 for float64), rounded once."""
    return (torch.relu(_wide(x) @ _wide(w_gate).t()) * (_wide(x) @ _wide(w_up).t())).to(x.dtype)


def packed_mlp_reference(x, w):
    """silu of x times the first half of w [2 I, H], times x times the second half, in float32, rounded once."""
    gate, up = (_wide(x) @ _wide(w).t()).chunk(2, dim=1)
    return (torch.nn.functional.silu(gate) * up).to(x.dtype)


def biased_mlp_reference(x, w_gate, w_up, b_gate, b_up):
    """silu(x · w_gateᵀ + b_gate) · (x · w_upᵀ + b_up), biases [I], in float32, rounded once."""
    gate, up = _wide(x) @ _wide(w_gate).t() + _wide(b_gate), _wide(x) @ _wide(w_up).t() + _wide(b_up)
    return (torch.nn.functional.silu(gate) * up).to(x.dtype)
