"""The blank page of L3a: the same row in registers from memory, with the formula bent."""

import torch

from learning.lesson import Variation

VARIATIONS = (
    Variation(
        entry="log_softmax",
        brief=(
            "`log_softmax(x)` returns x − max − log Σ exp(x − max) by row, computed in float32 and cast once. Everything else "
            "in the contract of `softmax` stays."
        ),
        changes="The division becomes a subtraction; taking the logarithm of a finished softmax loses every small share.",
    ),
    Variation(
        entry="softmin",
        brief=(
            "`softmin(x)` returns exp(−x) / Σ exp(−x) by row: the smallest value gets the largest share. Everything else in the "
            "contract of `softmax` stays."
        ),
        changes="The shift is by the minimum now, and the padding that a minimum never notices is another one.",
    ),
    Variation(
        entry="tempered",
        brief=(
            "`tempered(x, temperature)` returns the softmax of x / temperature by row; temperature is a positive Python float and "
            "the quotient is taken in float32. Everything else in the contract of `softmax` stays."
        ),
        changes="One number travels beside the pointers, and the division has a right and a wrong place.",
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
