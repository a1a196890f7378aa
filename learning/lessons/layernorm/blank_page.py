"""The blank page of L3d: mean and variance from memory, with less or something else around them."""

import torch

from learning.lesson import Variation

VARIATIONS = (
    Variation(
        entry="standardise",
        brief=(
            "`standardise(x, eps)` returns (x − mean) · rsqrt(variance + eps) by row: no weight, no bias. Everything else in the "
            "contract of `layernorm` stays."
        ),
        changes="Two arguments fewer; a constant row gives 0, up to the rounding of its mean.",
    ),
    Variation(
        entry="centre",
        brief=(
            "`centre(x)` returns x minus the mean of its row, computed in float32 and rounded once. Everything else in the "
            "contract of `layernorm` stays."
        ),
        changes="One reduction, and the padded lanes of the difference are never summed: does it still need a second mask?",
    ),
    Variation(
        entry="layernorm_plus_one",
        brief=(
            "`layernorm_plus_one(x, weight, eps)` returns (x − mean) · rsqrt(variance + eps) · (1 + weight) by row, 1 + weight in "
            "float32. Everything else in the contract of `layernorm` stays."
        ),
        changes="The weight is a deviation from 1, and there is no bias.",
    ),
)


def standardise_reference(x, eps):
    """(x − mean) · rsqrt(biased variance + eps) for each row of ``x`` [M, H], in float32, rounded once to its dtype."""
    wide = x.float()
    deviation = wide - wide.mean(dim=1, keepdim=True)
    return (deviation * torch.rsqrt(deviation.square().mean(dim=1, keepdim=True) + eps)).to(x.dtype)


def centre_reference(x):
    """x minus the mean of its row for ``x`` [M, H], in float32, rounded once to its dtype."""
    wide = x.float()
    return (wide - wide.mean(dim=1, keepdim=True)).to(x.dtype)


def layernorm_plus_one_reference(x, weight, eps):
    """The norm of each row of ``x`` [M, H] times (1 + ``weight``) [H], in float32, rounded once to its dtype."""
    wide = x.float()
    deviation = wide - wide.mean(dim=1, keepdim=True)
    scale = torch.rsqrt(deviation.square().mean(dim=1, keepdim=True) + eps)
    return (deviation * scale * (1 + weight.float())).to(x.dtype)
