"""The blank page of L6: the same walk along rows, with what is multiplied, added or written changed."""

import torch

from learning.lesson import Variation

SHAPES = tuple(
    {"N": n, "K": k} for n, k in ((31, 521), (1, 1), (16, 256), (17, 255), (15, 257), (2, 4100), (20, 0), (0, 7))
)


def along(draw, dtype, N, K):
    """x [K], every other element of a vector, and weight [N, K]."""
    return draw.layout(draw.normal(K, dtype=dtype), "every_other"), draw.normal(N, K, dtype=dtype)


def with_a_bias(draw, dtype, N, K):
    """The same and a bias [N]."""
    return *along(draw, dtype, N, K), draw.normal(N, dtype=dtype, scale=3.0)


def across(draw, dtype, N, K):
    """x [N], every other element of a vector, and weight [N, K]."""
    return draw.layout(draw.normal(N, dtype=dtype), "every_other"), draw.normal(N, K, dtype=dtype)


VARIATIONS = (
    Variation(
        entry="affine",
        brief=(
            "`affine(x, weight, bias)` returns weight · x + bias, with a contiguous `bias [N]` of the same dtype, added in "
            "float32 before the one rounding. Everything else in the contract of `gemv` stays."
        ),
        changes="One more load a program, at the rows; K = 0 now gives the bias.",
        inputs=with_a_bias,
        cases=SHAPES,
    ),
    Variation(
        entry="squared_distances",
        brief=(
            "`squared_distances(x, table)` returns for each row of a contiguous `table [N, K]` the sum over k of "
            "(table[n, k] − x[k])². Everything else in the contract of `gemv` stays."
        ),
        changes="Lanes past the last column must add 0, and a difference of two zeros does: both loads need a padding.",
        inputs=along,
        cases=SHAPES,
    ),
    Variation(
        entry="vecmat",
        brief=(
            "`vecmat(x, weight)` returns the sum over n of x[n] · weight[n, k], a vector `[K]`, for x `[N]` and a contiguous "
            "`weight [N, K]`. N = 0 gives K zeros, K = 0 an empty vector. Everything else in the contract of `gemv` stays."
        ),
        changes="A program owns columns and walks down the rows; the reduction runs along the other axis.",
        inputs=across,
        cases=SHAPES,
    ),
)


def affine_reference(x, weight, bias):
    """weight [N, K] · x [K] + bias [N], in float32 (float64 for float64), rounded once to the dtype of x."""
    work = torch.promote_types(x.dtype, torch.float32)
    return (weight.to(work) @ x.to(work) + bias.to(work)).to(x.dtype)


def squared_distances_reference(x, table):
    """The squared distance of x [K] from each row of table [N, K], in float32, rounded once to the dtype of x."""
    work = torch.promote_types(x.dtype, torch.float32)
    return (table.to(work) - x.to(work)).square().sum(dim=1).to(x.dtype)


def vecmat_reference(x, weight):
    """x [N] times weight [N, K], a vector [K], in float32, rounded once to the dtype of x."""
    work = torch.promote_types(x.dtype, torch.float32)
    return (x.to(work) @ weight.to(work)).to(x.dtype)


def affine_condition(x, weight, bias):
    """What rounding errors of each sum scale with: Σ |weight · x| + |bias|."""
    return weight.abs() @ x.abs() + bias.abs()


def vecmat_condition(x, weight):
    """The same along the other axis."""
    return x.abs() @ weight.abs()
