"""The blank page of L2: the same addressing from memory, with the matrix turned, mirrored or joined."""

import torch

from learning.lesson import Variation

SHAPES = tuple(
    {"rows": rows, "columns": columns, "layout": layout}
    for rows, columns, layout in (
        (70, 150, "transposed"), (3, 65, "contiguous"), (64, 64, "padded"), (1, 1, "contiguous"), (7, 21, "broadcast_rows"),
        (7, 21, "broadcast_cols"), (40, 33, "every_other"), (0, 5, "contiguous"), (5, 0, "contiguous"),
    )
)  # fmt: skip


def one(draw, dtype, rows, columns, layout):
    """A matrix [rows, columns] with no two values equal, in that layout."""
    return (draw.layout(draw.distinct(rows, columns, dtype=dtype), layout),)


def two(draw, dtype, rows, columns, layout):
    """The same, and a packed matrix of that shape."""
    return *one(draw, dtype, rows, columns, layout), -draw.distinct(rows, columns, dtype=dtype)


VARIATIONS = (
    Variation(
        entry="transpose",
        brief=(
            "`transpose(x)` returns a fresh contiguous [columns, rows] tensor with out[j, i] = x[i, j]. Everything else in the "
            "contract of `materialise` stays, the forbidden calls included."
        ),
        changes="The result's strides change places with its sizes; the row stride of the store is the number of rows.",
        inputs=one,
        cases=SHAPES,
        exact="bits",
    ),
    Variation(
        entry="mirror",
        brief=(
            "`mirror(x)` returns a fresh contiguous tensor of x's shape with out[i, j] = x[i, columns − 1 − j]. Everything else "
            "in the contract of `materialise` stays. (PyTorch has no negative strides, so no view does this.)"
        ),
        changes="One offset runs backwards, and a masked lane's address now lies before the row instead of behind it.",
        inputs=one,
        cases=SHAPES,
        exact="bits",
    ),
    Variation(
        entry="interleave",
        brief=(
            "`interleave(x, y)` takes two matrices of one shape and dtype, each with strides of its own, and returns a fresh "
            "contiguous [rows, 2 · columns] tensor: x's columns at the even places, y's at the odd ones. Everything else in "
            "the contract of `materialise` stays."
        ),
        changes="Two pairs of strides come in, and the stores have a column stride of 2.",
        inputs=two,
        cases=SHAPES,
        exact="bits",
    ),
)


def transpose_reference(x):
    """``x`` [rows, columns] turned into a packed [columns, rows]."""
    return x.t().clone(memory_format=torch.contiguous_format)


def mirror_reference(x):
    """``x`` with its columns in reverse order, packed."""
    return x.flip(1)


def interleave_reference(x, y):
    """Columns of ``x`` and ``y`` in turn, [rows, 2 · columns], packed."""
    return torch.stack((x, y), dim=2).flatten(1)
