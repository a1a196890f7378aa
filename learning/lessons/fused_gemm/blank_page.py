"""The blank page of I3: tiles, bands and an epilogue from memory, with another epilogue."""

import torch

from learning.lesson import Variation

VARIATIONS = (
    Variation(
        entry="matmul_scale_bias",
        brief=(
            "`matmul_scale_bias(a, b, scale, bias, *, group_m=8, tile_m=64)` returns (a · b) · scale + bias, with `scale` and `bias` "
            "`[N]`. Everything else in the contract of `matmul_bias_relu` stays; K = 0 gives the bias."
        ),
        changes="A second row of numbers that belong to columns, and no cut: what is below 0 stays.",
    ),
    Variation(
        entry="matmul_row_bias_relu",
        brief=(
            "`matmul_row_bias_relu(a, b, bias, *, group_m=8, tile_m=64)` adds a bias `[M]`, one number for each row. Everything else in "
            "the contract of `matmul_bias_relu` stays."
        ),
        changes="The bias stands upright, has the rows' mask, and is loaded along the other axis of the tile.",
    ),
    Variation(
        entry="matmul_residual_relu",
        brief=(
            "`matmul_residual_relu(a, b, residual, *, group_m=8, tile_m=64)` returns relu(a · b) + residual for a contiguous residual "
            "`[M, N]`, one rounding at the end. Everything else in the contract of `matmul_bias_relu` stays."
        ),
        changes="The cut comes before the sum, and a whole tile is read at the end.",
    ),
)


def _wide(x):
    return x.to(torch.promote_types(x.dtype, torch.float32))


def matmul_scale_bias_reference(a, b, scale, bias):
    """(a [M, K] · b [K, N]) · scale [N] + bias [N] in float32 (float64 for float64), rounded once."""
    return (_wide(a) @ _wide(b) * _wide(scale) + _wide(bias)).to(a.dtype)


def matmul_row_bias_relu_reference(a, b, bias):
    """relu(a [M, K] · b [K, N] + bias [M]), the bias by rows, in float32 (float64 for float64), rounded once."""
    return torch.relu(_wide(a) @ _wide(b) + _wide(bias)[:, None]).to(a.dtype)


def matmul_residual_relu_reference(a, b, residual):
    """relu(a [M, K] · b [K, N]) + residual [M, N] in float32 (float64 for float64), rounded once."""
    return (torch.relu(_wide(a) @ _wide(b)) + _wide(residual)).to(a.dtype)
