"""The blank page of L4: tiles along K from memory, with one of the three matrices bent."""

import torch

from learning.lesson import Variation

VARIATIONS = (
    Variation(
        entry="matmul_transposed",
        brief=(
            "`matmul_transposed(a, b)` returns a · bᵀ for contiguous a `[M, K]` and b `[N, K]`, read where it lies. Everything else in "
            "the contract of `matmul` stays."
        ),
        changes="The tile of b is read with other strides; nothing is copied.",
    ),
    Variation(
        entry="matmul_add",
        brief=(
            "`matmul_add(a, b, c)` returns c + a · b for a contiguous c `[M, N]`, added in float32 before the one rounding. Everything "
            "else in the contract of `matmul` stays; K = 0 gives c."
        ),
        changes="The accumulator does not begin with zeros, and a fourth tensor has a mask.",
    ),
    Variation(
        entry="gram",
        brief=(
            "`gram(a)` returns aᵀ · a for a contiguous a `[K, N]`: `[N, N]`. Everything else in the contract of `matmul` stays."
        ),
        changes="Both tiles come from one tensor, and the summed axis is its first.",
    ),
)


def _wide(x):
    return x.to(torch.promote_types(x.dtype, torch.float32))


def matmul_transposed_reference(a, b):
    """a [M, K] times the transpose of b [N, K], in float32 (float64 for float64), rounded once."""
    return (_wide(a) @ _wide(b).t()).to(a.dtype)


def matmul_add_reference(a, b, c):
    """c [M, N] plus a [M, K] times b [K, N], in float32 (float64 for float64), rounded once."""
    return (_wide(c) + _wide(a) @ _wide(b)).to(a.dtype)


def gram_reference(a):
    """The transpose of a [K, N] times a, in float32 (float64 for float64), rounded once."""
    return (_wide(a).t() @ _wide(a)).to(a.dtype)
