"""The blank page of L3a: the same row in registers from memory, with the formula bent."""

import torch

from learning.lesson import Variation

SHAPES = tuple(
    {"rows": r, "columns": c} for r, c in ((3, 781), (2, 1), (3, 127), (3, 128), (3, 129), (1, 8192), (0, 40))
)


def rows_apart(draw, dtype, rows, columns):
    """x [rows, columns], every third row far below zero and every third far above: no padding but the right one is neutral."""
    x = draw.normal(rows, columns, dtype=dtype)
    x[::3] -= 40
    x[1::3] += 40
    return (x,)


def rows_and_a_temperature(draw, dtype, rows, columns):
    """The same and a temperature."""
    return *rows_apart(draw, dtype, rows, columns), 0.7


VARIATIONS = (
    Variation(
        entry="log_softmax",
        brief=(
            "`log_softmax(x)` returns x − max − log Σ exp(x − max) by row, computed in float32 and cast once. Everything else "
            "in the contract of `softmax` stays."
        ),
        changes="The division becomes a subtraction; taking the logarithm of a finished softmax loses every small share.",
        inputs=rows_apart,
        cases=SHAPES,
    ),
    Variation(
        entry="softmin",
        brief=(
            "`softmin(x)` returns exp(−x) / Σ exp(−x) by row: the smallest value gets the largest share. Everything else in the "
            "contract of `softmax` stays."
        ),
        changes="The shift is by the minimum now, and the padding that a minimum never notices is another one.",
        inputs=rows_apart,
        cases=SHAPES,
    ),
    Variation(
        entry="tempered",
        brief=(
            "`tempered(x, temperature)` returns the softmax of x / temperature by row; temperature is a positive Python float and "
            "the quotient is taken in float32. Everything else in the contract of `softmax` stays."
        ),
        changes="One number travels beside the pointers, and the division has a right and a wrong place.",
        inputs=rows_and_a_temperature,
        cases=SHAPES,
    ),
)


def _wide(x):
    return x if x.dtype == torch.float64 else x.float()


def log_softmax_reference(x):
    """The logarithm of the softmax of each row of ``x`` [rows, columns], by eager torch."""
    return torch.log_softmax(x, dim=1)


def softmin_reference(x):
    """The softmax of each row of −``x``, in float32 (float64 for a float64 ``x``), rounded once."""
    return torch.softmax(-_wide(x), dim=1).to(x.dtype)


def tempered_reference(x, temperature):
    """The softmax of each row of ``x / temperature``, in float32 (float64 for a float64 ``x``), rounded once."""
    return torch.softmax(_wide(x) / temperature, dim=1).to(x.dtype)


def tempered_condition(x, temperature):
    """What the roundings of one share scale with: itself, times what one rounding of a quotient moves its exponent by."""
    quotients = x / temperature
    return torch.softmax(quotients, dim=1) * (1 + quotients.abs().amax(dim=1, keepdim=True))
