"""The blank page of I1: the same layout work from memory, with the arithmetic or the axis changed."""

import torch

from learning.lesson import Variation

VARIATIONS = (
    Variation(
        entry="log_softmax",
        brief=(
            "`log_softmax(x, *, num_warps=4)` returns x − max − log Σ exp(x − max) by row, computed in float32 and cast once. "
            "Everything else in the contract of `softmax` stays."
        ),
        changes="The division becomes a subtraction; taking the logarithm of a finished softmax loses every small share.",
    ),
    Variation(
        entry="column_softmax",
        brief=(
            "`column_softmax(x, *, num_warps=4)` returns the softmax of every *column* of x, which has 1 to 8192 rows. The "
            "output is contiguous. Everything else in the contract of `softmax` stays."
        ),
        changes="The two strides of x change places, and so do those of the output, which are no longer (n, 1) along the lanes.",
    ),
    Variation(
        entry="scaled_softmax",
        brief=(
            "`scaled_softmax(x, scale, *, num_warps=4)` returns the softmax of every row of scale · x; scale is a positive "
            "Python float and the product is taken in float32. Everything else in the contract of `softmax` stays."
        ),
        changes="One number travels beside the strides, and one multiplication has a right and a wrong place.",
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
