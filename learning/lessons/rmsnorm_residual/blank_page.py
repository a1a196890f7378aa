"""The blank page of L3b: the same row work from memory, with what is normalised or by what changed."""

import torch

from learning.lesson import Variation

SHAPES = tuple(
    {"rows": r, "columns": c} for r, c in ((3, 781), (2, 1), (3, 127), (3, 128), (3, 129), (1, 8192), (0, 40))
)
EPS = 1e-5


def one(draw, dtype, rows, columns):
    """x [rows, columns] and eps; every third row is small enough for eps to count."""
    x = draw.normal(rows, columns, dtype=dtype, scale=3.0)
    x[2::3] *= 1e-3
    return x, EPS


def weighted(draw, dtype, rows, columns):
    """x, a weight [columns] around 1, eps."""
    x, eps = one(draw, dtype, rows, columns)
    return x, draw.normal(columns, dtype=dtype, scale=0.25, offset=1.0), eps


def gated(draw, dtype, rows, columns):
    """x, a gate like it, weight, eps."""
    x, weight, eps = weighted(draw, dtype, rows, columns)
    return x, draw.normal(rows, columns, dtype=dtype), weight, eps


VARIATIONS = (
    Variation(
        entry="rmsnorm",
        brief=(
            "`rmsnorm(x, weight, eps)` returns x · rsqrt(mean of x² + eps) · weight by row: no residual, one result. Everything "
            "else in the contract of `rmsnorm_residual` stays."
        ),
        changes="Two matrices cross memory instead of four, and nothing is rounded on the way.",
        inputs=weighted,
        cases=SHAPES,
    ),
    Variation(
        entry="rmsnorm_gated",
        brief=(
            "`rmsnorm_gated(x, gate, weight, eps)` returns `(normed, product)`: product = x · gate rounded to the dtype, normed "
            "the RMSNorm of that rounded product. Everything else in the contract of `rmsnorm_residual` stays."
        ),
        changes="A product stands where the sum stood: the rounding comes before the norm again.",
        inputs=gated,
        cases=SHAPES,
    ),
    Variation(
        entry="l2_normalise",
        brief=(
            "`l2_normalise(x, eps)` returns x · rsqrt(sum of x² + eps) by row, one result. Everything else in the contract of "
            "`rmsnorm_residual` stays."
        ),
        changes="A sum instead of a mean: the number of columns is needed for the mask alone.",
        inputs=one,
        cases=SHAPES,
    ),
)


def _wide(x):
    return x.to(torch.promote_types(x.dtype, torch.float32))


def rmsnorm_reference(x, weight, eps):
    """x · rsqrt(mean x² + eps) · weight for each row of ``x`` [M, H], in float32, rounded once to its dtype."""
    wide = _wide(x)
    return (wide * torch.rsqrt(wide.square().mean(dim=1, keepdim=True) + eps) * _wide(weight)).to(x.dtype)


def rmsnorm_gated_reference(x, gate, weight, eps):
    """(normed, product) of ``x`` and ``gate`` [M, H]; the product is rounded to the dtype before it is normalised."""
    product = x * gate
    return rmsnorm_reference(product, weight, eps), product


def rmsnorm_gated_oracle_in(dtype):
    """The same in float64, for arguments that were given in ``dtype``: the product is rounded to it, and nothing else is."""

    def oracle(x, gate, weight, eps):
        product = (x * gate).to(dtype).double()
        return rmsnorm_reference(product, weight, eps), product

    return oracle


def l2_normalise_reference(x, eps):
    """x · rsqrt(sum of x² + eps) for each row of ``x`` [M, H], in float32, rounded once to its dtype."""
    wide = _wide(x)
    return (wide * torch.rsqrt(wide.square().sum(dim=1, keepdim=True) + eps)).to(x.dtype)
