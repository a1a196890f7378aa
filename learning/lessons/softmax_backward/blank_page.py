"""The blank page of I2: another function's backward pass, derived and written from memory."""

import torch

from learning.lesson import Variation

SHAPES = (
    {"rows": 3, "columns": 129, "one": "transposed", "other": "padded"},
    {"rows": 129, "columns": 3, "one": "padded", "other": "contiguous"},
    {"rows": 1, "columns": 1, "one": "contiguous", "other": "contiguous"},
    {"rows": 2, "columns": 127, "one": "every_other", "other": "transposed"},
    {"rows": 5, "columns": 128, "one": "contiguous", "other": "broadcast_rows"},
    {"rows": 4, "columns": 30, "one": "offset", "other": "broadcast_cols"},
)
BY_ROW = (
    *SHAPES,
    {"rows": 1, "columns": 8192, "one": "contiguous", "other": "contiguous"},
    {"rows": 0, "columns": 9, "one": "contiguous", "other": "contiguous"},
)
BY_COLUMN = (
    *SHAPES,
    {"rows": 8192, "columns": 1, "one": "contiguous", "other": "contiguous"},
    {"rows": 9, "columns": 0, "one": "contiguous", "other": "contiguous"},
)
WARPS = ({}, {"num_warps": 8})


def shares_and_gradients(draw, dtype, rows, columns, one, other):
    """y, a softmax by row that was rounded to ``dtype``, and g, each in a layout of its own."""
    y = torch.softmax(draw.normal(rows, columns).double(), dim=1).to(dtype)
    return draw.layout(y, one), draw.layout(draw.normal(rows, columns, dtype=dtype, offset=3.0), other)


def logarithms_and_gradients(draw, dtype, rows, columns, one, other):
    """The same with y a log-softmax."""
    y = torch.log_softmax(draw.normal(rows, columns).double(), dim=1).to(dtype)
    return draw.layout(y, one), draw.layout(draw.normal(rows, columns, dtype=dtype), other)


def shares_gradients_and_a_scale(draw, dtype, rows, columns, one, other):
    """Shares, gradients, and a scale."""
    return *shares_and_gradients(draw, dtype, rows, columns, one, other), 1.6


VARIATIONS = (
    Variation(
        entry="log_softmax_backward",
        brief=(
            "`log_softmax_backward(y, g, *, num_warps=4)`: y is the *log*-softmax of some x; returns g − exp(y) · Σ g by row, "
            "computed in float32 and cast once. Derive it first. Everything else in the contract of `backward` stays."
        ),
        changes="The Jacobian is another one, so the sum is of g alone and an exponential stands before it.",
        inputs=logarithms_and_gradients,
        cases=BY_ROW,
        options=WARPS,
    ),
    Variation(
        entry="scaled_backward",
        brief=(
            "`scaled_backward(y, g, scale, *, num_warps=4)`: y is the softmax of scale · x for a positive Python float; returns "
            "the gradient with respect to x. Everything else in the contract of `backward` stays."
        ),
        changes="The chain rule adds one factor, and it belongs to fp32, before the cast.",
        inputs=shares_gradients_and_a_scale,
        cases=BY_ROW,
        options=WARPS,
    ),
    Variation(
        entry="column_backward",
        brief=(
            "`column_backward(y, g, *, num_warps=4)`: y is the softmax of every *column* of some x, with 1 to 8192 rows. The "
            "result is contiguous. Everything else in the contract of `backward` stays."
        ),
        changes="Three pairs of strides change places, and those of the result are no longer (n, 1) along the lanes.",
        inputs=shares_and_gradients,
        cases=BY_COLUMN,
        options=WARPS,
    ),
)


def _wide(value):
    return value if value.dtype == torch.float64 else value.float()


def log_softmax_backward_reference(y, g):
    """g − exp(y) · Σ g by row for log-softmax ``y`` and ``g`` [rows, columns], in fp32 (float64 for float64), rounded once."""
    wide_y, wide_g = _wide(y), _wide(g)
    return (wide_g - wide_y.exp() * wide_g.sum(dim=1, keepdim=True)).to(y.dtype).contiguous()


def scaled_backward_reference(y, g, scale):
    """scale · y · (g − Σ y·g) by row, in fp32 (float64 for float64), rounded once."""
    wide_y, wide_g = _wide(y), _wide(g)
    d = (wide_y * wide_g).sum(dim=1, keepdim=True)
    return (scale * wide_y * (wide_g - d)).to(y.dtype).contiguous()


def column_backward_reference(y, g):
    """y · (g − Σ y·g) with the sum taken down each column, in fp32 (float64 for float64), rounded once."""
    wide_y, wide_g = _wide(y), _wide(g)
    d = (wide_y * wide_g).sum(dim=0, keepdim=True)
    return (wide_y * (wide_g - d)).to(y.dtype).contiguous()


def log_softmax_backward_condition(y, g):
    """What roundings scale with: |g|, and exp(y) · Σ |g|, whose exponential is off by |y| roundings."""
    return g.abs() + y.exp() * (1 + y.abs()) * g.abs().sum(dim=1, keepdim=True)


def scaled_backward_condition(y, g, scale):
    """What stood there before g and d cancelled, times the scale."""
    return scale * y.abs() * (g.abs() + (y * g).abs().sum(dim=1, keepdim=True))


def column_backward_condition(y, g):
    """What stood there before g and d cancelled, by column."""
    return y.abs() * (g.abs() + (y * g).abs().sum(dim=0, keepdim=True))
