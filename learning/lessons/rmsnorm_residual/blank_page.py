"""The blank page of L3b: the same row work from memory, with what is normalised or by what changed."""

import torch

from learning.lesson import Variation

VARIATIONS = (
    Variation(
        entry="rmsnorm",
        brief=(
            "`rmsnorm(x, weight, eps)` returns x · rsqrt(mean of x² + eps) · weight by row: no residual, one result. Everything "
            "else in the contract of `rmsnorm_residual` stays."
        ),
        changes="Two matrices cross memory instead of four, and nothing is rounded on the way.",
    ),
    Variation(
        entry="rmsnorm_gated",
        brief=(
            "`rmsnorm_gated(x, gate, weight, eps)` returns `(normed, product)`: product = x · gate rounded to the dtype, normed "
            "the RMSNorm of that rounded product. Everything else in the contract of `rmsnorm_residual` stays."
        ),
        changes="A product stands where the sum stood: the rounding comes before the norm again.",
    ),
    Variation(
        entry="l2_normalise",
        brief=(
            "`l2_normalise(x, eps)` returns x · rsqrt(sum of x² + eps) by row, one result. Everything else in the contract of "
            "`rmsnorm_residual` stays."
        ),
        changes="A sum instead of a mean: the number of columns is needed for the mask alone.",
    ),
)


def rmsnorm_reference(x, weight, eps):
    """x · rsqrt(mean x² + eps) · weight for each row of ``x`` [M, H], in float32, rounded once to its dtype."""
    wide = x.float()
    return (wide * torch.rsqrt(wide.square().mean(dim=1, keepdim=True) + eps) * weight.float()).to(x.dtype)


def rmsnorm_gated_reference(x, gate, weight, eps):
    """(normed, product) of ``x`` and ``gate`` [M, H]; the product is rounded to the dtype before it is normalised."""
    product = x * gate
    return rmsnorm_reference(product, weight, eps), product


def l2_normalise_reference(x, eps):
    """x · rsqrt(sum of x² + eps) for each row of ``x`` [M, H], in float32, rounded once to its dtype."""
    wide = x.float()
    return (wide * torch.rsqrt(wide.square().sum(dim=1, keepdim=True) + eps)).to(x.dtype)
