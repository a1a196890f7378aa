"""The blank page of L3c: the same two ends from memory, put to another use."""

import torch

from learning.lesson import Variation

SHAPES = tuple(
    {"rows": r, "columns": c} for r, c in ((3, 781), (2, 1), (3, 127), (3, 128), (3, 129), (1, 8192), (0, 40))
)
EPS = 1e-6


def alone(draw, dtype, rows, columns):
    """x [rows, columns], every third row near −40 and every third near +40: a 0 in a lane that owns nothing would win."""
    x = draw.normal(rows, columns, dtype=dtype)
    x[::3] -= 40
    x[1::3] += 40
    return (x,)


def one(draw, dtype, rows, columns):
    """The same and eps."""
    return *alone(draw, dtype, rows, columns), EPS


VARIATIONS = (
    Variation(
        entry="minmax_signed",
        brief=(
            "`minmax_signed(x, eps)` returns 2 · (x − min) / (max − min + eps) − 1 by row, computed in float32 and cast once. "
            "Everything else in the contract of `minmax` stays, but that a constant row gives −1."
        ),
        changes="The result lies between −1 and 1, and a constant row goes to the lower end.",
        inputs=one,
        cases=SHAPES,
    ),
    Variation(
        entry="absmax_scale",
        brief=(
            "`absmax_scale(x, eps)` returns x / (m + eps) by row, m the largest magnitude in the row. Everything else in the "
            "contract of `minmax` stays, but that a constant row keeps its sign."
        ),
        changes="One reduction instead of two, over magnitudes: another padding is neutral now, and 0 is right for once.",
        inputs=one,
        cases=SHAPES,
    ),
    Variation(
        entry="row_range",
        brief=(
            "`row_range(x)` returns max − min of each row in the dtype of x, as a vector with one element a row. Everything else "
            "in the contract of `minmax` stays; the range is promised to be finite in the dtype."
        ),
        changes="A program stores one number, and its address is the row's own.",
        inputs=alone,
        cases=SHAPES,
    ),
)


def _wide(x):
    return x.to(torch.promote_types(x.dtype, torch.float32))


def minmax_signed_reference(x, eps):
    """2 (x − min)/(max − min + eps) − 1 for each row of ``x`` [M, N], in float32, rounded once to its dtype."""
    wide = _wide(x)
    smallest, largest = wide.amin(dim=1, keepdim=True), wide.amax(dim=1, keepdim=True)
    return (2 * (wide - smallest) / (largest - smallest + eps) - 1).to(x.dtype)


def absmax_scale_reference(x, eps):
    """x / (largest magnitude + eps) for each row of ``x`` [M, N], in float32, rounded once to its dtype."""
    wide = _wide(x)
    return (wide / (wide.abs().amax(dim=1, keepdim=True) + eps)).to(x.dtype)


def row_range_reference(x):
    """max − min of each row of ``x`` [M, N], a vector [M], in float32, rounded once to its dtype."""
    wide = _wide(x)
    return (wide.amax(dim=1) - wide.amin(dim=1)).to(x.dtype)
