"""The blank page of I3: tiles, bands and an epilogue from memory, with another epilogue."""

import torch

from learning.lesson import Variation

SHAPES = tuple(
    {"M": m, "K": k, "N": n}
    for m, k, n in ((66, 17, 130), (1, 1, 1), (63, 64, 65), (33, 33, 70), (200, 16, 40), (5, 0, 7), (0, 8, 3))
)
DTYPES = ("float16", "bfloat16")
ORDERS = ({}, {"group_m": 1, "tile_m": 16}, {"group_m": 4, "tile_m": 32})


def product(draw, dtype, M, K, N):
    """a [M, K] and b [K, N]."""
    return draw.normal(M, K, dtype=dtype), draw.normal(K, N, dtype=dtype)


def product_and_two_rows(draw, dtype, M, K, N):
    """a, b, a scale [N] around 1 and a bias [N] as large as the sums."""
    scale = draw.normal(N, dtype=dtype, scale=0.5, offset=1.0)
    return *product(draw, dtype, M, K, N), scale, draw.normal(N, dtype=dtype, scale=max(1, K) ** 0.5)


def product_and_a_column(draw, dtype, M, K, N):
    """a, b and a bias [M] as large as the sums."""
    return *product(draw, dtype, M, K, N), draw.normal(M, dtype=dtype, scale=max(1, K) ** 0.5)


def product_and_a_residual(draw, dtype, M, K, N):
    """a, b and a residual [M, N] as large as the sums."""
    return *product(draw, dtype, M, K, N), draw.normal(M, N, dtype=dtype, scale=max(1, K) ** 0.5)


VARIATIONS = (
    Variation(
        entry="matmul_scale_bias",
        brief=(
            "`matmul_scale_bias(a, b, scale, bias, *, group_m=8, tile_m=64)` returns (a · b) · scale + bias, with `scale` and `bias` "
            "`[N]`. Everything else in the contract of `matmul_bias_relu` stays; K = 0 gives the bias."
        ),
        changes="A second row of numbers that belong to columns, and no cut: what is below 0 stays.",
        inputs=product_and_two_rows,
        cases=SHAPES,
        dtypes=DTYPES,
        options=ORDERS,
    ),
    Variation(
        entry="matmul_row_bias_relu",
        brief=(
            "`matmul_row_bias_relu(a, b, bias, *, group_m=8, tile_m=64)` adds a bias `[M]`, one number for each row. Everything else in "
            "the contract of `matmul_bias_relu` stays."
        ),
        changes="The bias stands upright, has the rows' mask, and is loaded along the other axis of the tile.",
        inputs=product_and_a_column,
        cases=SHAPES,
        dtypes=DTYPES,
        options=ORDERS,
    ),
    Variation(
        entry="matmul_residual_relu",
        brief=(
            "`matmul_residual_relu(a, b, residual, *, group_m=8, tile_m=64)` returns relu(a · b) + residual for a contiguous residual "
            "`[M, N]`, one rounding at the end. Everything else in the contract of `matmul_bias_relu` stays."
        ),
        changes="The cut comes before the sum, and a whole tile is read at the end.",
        inputs=product_and_a_residual,
        cases=SHAPES,
        dtypes=DTYPES,
        options=ORDERS,
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


def matmul_scale_bias_condition(a, b, scale, bias):
    """What one rounding in float32 may move each element by: Σ |a · b| times the scale, and the bias."""
    return a.abs() @ b.abs() * scale.abs() + bias.abs()


def matmul_row_bias_relu_condition(a, b, bias):
    """The same for a bias by rows; the cut moves nothing away from the truth."""
    return a.abs() @ b.abs() + bias.abs()[:, None]


def matmul_residual_relu_condition(a, b, residual):
    """The same for a residual."""
    return a.abs() @ b.abs() + residual.abs()
