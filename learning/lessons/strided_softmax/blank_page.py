"""The blank page of I1: the same layout work from memory, with the arithmetic or the axis changed."""

import torch

from learning.lesson import Variation

SHAPES = (
    {"rows": 3, "columns": 129, "layout": "transposed"},
    {"rows": 129, "columns": 3, "layout": "padded"},
    {"rows": 1, "columns": 1, "layout": "contiguous"},
    {"rows": 2, "columns": 127, "layout": "every_other"},
    {"rows": 5, "columns": 128, "layout": "broadcast_rows"},
    {"rows": 4, "columns": 30, "layout": "broadcast_cols"},
)
BY_ROW = (
    *SHAPES,
    {"rows": 1, "columns": 8192, "layout": "contiguous"},
    {"rows": 0, "columns": 9, "layout": "contiguous"},
)
BY_COLUMN = (
    *SHAPES,
    {"rows": 8192, "columns": 1, "layout": "contiguous"},
    {"rows": 9, "columns": 0, "layout": "contiguous"},
)
WARPS = ({}, {"num_warps": 8})


def rows_apart(draw, dtype, rows, columns, layout):
    """x [rows, columns] in that layout, every third row and column far below zero, so that 0 is no neutral padding."""
    x = draw.normal(rows, columns, dtype=dtype)
    x[::3] -= 40
    x[:, 1::3] += 20
    return (draw.layout(x, layout),)


def rows_and_a_scale(draw, dtype, rows, columns, layout):
    """The same and a scale."""
    return *rows_apart(draw, dtype, rows, columns, layout), 1.6


VARIATIONS = (
    Variation(
        entry="log_softmax",
        brief=(
            "`log_softmax(x, *, num_warps=4)` returns x − max − log Σ exp(x − max) by row, computed in float32 and cast once. "
            "Everything else in the contract of `softmax` stays."
        ),
        changes="The division becomes a subtraction; taking the logarithm of a finished softmax loses every small share.",
        inputs=rows_apart,
        cases=BY_ROW,
        options=WARPS,
    ),
    Variation(
        entry="column_softmax",
        brief=(
            "`column_softmax(x, *, num_warps=4)` returns the softmax of every *column* of x, which has 1 to 8192 rows. The "
            "output is contiguous. Everything else in the contract of `softmax` stays."
        ),
        changes="The two strides of x change places, and so do those of the output, which are no longer (n, 1) along the lanes.",
        inputs=rows_apart,
        cases=BY_COLUMN,
        options=WARPS,
    ),
    Variation(
        entry="scaled_softmax",
        brief=(
            "`scaled_softmax(x, scale, *, num_warps=4)` returns the softmax of every row of scale · x; scale is a positive "
            "Python float and the product is taken in float32. Everything else in the contract of `softmax` stays."
        ),
        changes="One number travels beside the strides, and one multiplication has a right and a wrong place.",
        inputs=rows_and_a_scale,
        cases=BY_ROW,
        options=WARPS,
    ),
)


def log_softmax_reference(x):
    """Log-softmax of each row of ``x`` [rows, columns] by eager torch, contiguous."""
    return torch.log_softmax(x, dim=1).contiguous()


def column_softmax_reference(x):
    """Softmax of each column of ``x`` [rows, columns] by eager torch, contiguous."""
    return torch.softmax(x, dim=0).contiguous()


def scaled_softmax_reference(x, scale):
    """Softmax of each row of ``scale * x``, the product in float32 (float64 for a float64 ``x``), contiguous."""
    wide = x if x.dtype == torch.float64 else x.float()
    return torch.softmax(wide * scale, dim=1).to(x.dtype).contiguous()


def scaled_softmax_condition(x, scale):
    """What the roundings of one share scale with: itself, times what one rounding of a product moves its exponent by."""
    products = x * scale
    return torch.softmax(products, dim=1) * (1 + products.abs().amax(dim=1, keepdim=True))
