"""The blank page of L4: tiles along K from memory, with one of the three matrices bent."""

import torch

from learning.lesson import Variation

SHAPES = tuple(
    {"M": m, "K": k, "N": n}
    for m, k, n in ((66, 17, 130), (1, 1, 1), (63, 64, 65), (33, 33, 70), (5, 0, 7), (0, 8, 3), (3, 8, 0))
)
INNER = tuple({"K": k, "N": n} for k, n in ((17, 130), (1, 1), (64, 65), (33, 70), (0, 7), (8, 0)))


def turned(draw, dtype, M, K, N):
    """a [M, K] and b [N, K]."""
    return draw.normal(M, K, dtype=dtype), draw.normal(N, K, dtype=dtype)


def three(draw, dtype, M, K, N):
    """a [M, K], b [K, N], c [M, N]."""
    return draw.normal(M, K, dtype=dtype), draw.normal(K, N, dtype=dtype), draw.normal(M, N, dtype=dtype, scale=3.0)


def one(draw, dtype, K, N):
    """a [K, N]."""
    return (draw.normal(K, N, dtype=dtype),)


VARIATIONS = (
    Variation(
        entry="matmul_transposed",
        brief=(
            "`matmul_transposed(a, b)` returns a · bᵀ for contiguous a `[M, K]` and b `[N, K]`, read where it lies. Everything else in "
            "the contract of `matmul` stays."
        ),
        changes="The tile of b is read with other strides; nothing is copied.",
        inputs=turned,
        cases=SHAPES,
    ),
    Variation(
        entry="matmul_add",
        brief=(
            "`matmul_add(a, b, c)` returns c + a · b for a contiguous c `[M, N]`, added in float32 before the one rounding. Everything "
            "else in the contract of `matmul` stays; K = 0 gives c."
        ),
        changes="The accumulator does not begin with zeros, and a fourth tensor has a mask.",
        inputs=three,
        cases=SHAPES,
    ),
    Variation(
        entry="gram",
        brief=(
            "`gram(a)` returns aᵀ · a for a contiguous a `[K, N]`: `[N, N]`. Everything else in the contract of `matmul` stays."
        ),
        changes="Both tiles come from one tensor, and the summed axis is its first.",
        inputs=one,
        cases=INNER,
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


def matmul_transposed_condition(a, b):
    """What one rounding in float32 may move each element by: Σ |a · b| along K."""
    return a.abs() @ b.abs().t()


def matmul_add_condition(a, b, c):
    """The same, and the size of what is added."""
    return a.abs() @ b.abs() + c.abs()


def gram_condition(a):
    """The same for a with itself."""
    return a.abs().t() @ a.abs()
