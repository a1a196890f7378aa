"""The blank page of L5: two products in one walk from memory, with another gate or other strides."""

import torch

from learning.lesson import Variation
from learning.lessons.gated_mlp.reference import gated_mlp_condition

SHAPES = tuple(
    {"rows": m, "inner": h, "outer": i}
    for m, h, i in ((20, 40, 65), (1, 1, 1), (1, 50, 70), (32, 64, 32), (33, 31, 33), (5, 0, 40), (0, 8, 3))
)


def three(draw, dtype, rows, inner, outer):
    """x [rows, inner] and two weights [outer, inner]; gate and up then spread about 2."""
    size = max(1, inner) ** -0.5
    x = draw.normal(rows, inner, dtype=dtype, scale=2.0)
    return x, draw.normal(outer, inner, dtype=dtype, scale=size), draw.normal(outer, inner, dtype=dtype, scale=size)


def packed(draw, dtype, rows, inner, outer):
    """x and one weight [2 · outer, inner]."""
    x, gate, up = three(draw, dtype, rows, inner, outer)
    return x, torch.cat([gate, up])


def biased(draw, dtype, rows, inner, outer):
    """x, two weights, two biases [outer]."""
    return *three(draw, dtype, rows, inner, outer), draw.normal(outer, dtype=dtype), draw.normal(outer, dtype=dtype)


VARIATIONS = (
    Variation(
        entry="relu_mlp",
        brief=(
            "`relu_mlp(x, w_gate, w_up)` returns max(x · w_gateᵀ, 0) · (x · w_upᵀ). Everything else in the contract of `gated_mlp` stays."
        ),
        changes="Another gate; the walk, the views and the one rounding are the same.",
        inputs=three,
        cases=SHAPES,
    ),
    Variation(
        entry="packed_mlp",
        brief=(
            "`packed_mlp(x, w)` takes one contiguous weight `[2 I, H]`: its first I rows are w_gate, the rest w_up. Everything else in the "
            "contract of `gated_mlp` stays."
        ),
        changes="One pointer instead of two; where the second weight begins is a matter of offsets.",
        inputs=packed,
        cases=SHAPES,
    ),
    Variation(
        entry="biased_mlp",
        brief=(
            "`biased_mlp(x, w_gate, w_up, b_gate, b_up)` adds a contiguous bias `[I]` to each sum before the gate, in float32. Everything else in "
            "the contract of `gated_mlp` stays; H = 0 gives silu(b_gate) · b_up."
        ),
        changes="Two vectors more, loaded after the loop at the columns.",
        inputs=biased,
        cases=SHAPES,
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


def relu_mlp_condition(x, w_gate, w_up):
    """What one rounding in float32 may move each result by: Σ |x · w| of one sum, times the size of the other factor."""
    gate, up = x @ w_gate.t(), x @ w_up.t()
    return up.abs() * (x.abs() @ w_gate.abs().t()) + torch.relu(gate) * (x.abs() @ w_up.abs().t())


def packed_mlp_condition(x, w):
    """That of the lesson, for the two halves."""
    return gated_mlp_condition(x, *w.chunk(2))


def biased_mlp_condition(x, w_gate, w_up, b_gate, b_up):
    """That of the lesson, for x with a column of ones and weights with a column of biases."""
    ones = torch.cat([x, x.new_ones(x.shape[0], 1)], dim=1)
    return gated_mlp_condition(ones, *(torch.cat([w, b[:, None]], dim=1) for w, b in ((w_gate, b_gate), (w_up, b_up))))
