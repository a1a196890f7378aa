"""The blank page of L3d: mean and variance from memory, with less or something else around them."""

import torch

from learning.lesson import Variation

SHAPES = tuple(
    {"rows": r, "columns": c} for r, c in ((3, 781), (2, 1), (3, 127), (3, 128), (3, 129), (1, 8192), (0, 40))
)
EPS = 1e-5


def alone(draw, dtype, rows, columns):
    """x [rows, columns] around 5, every third row around −5: a lane that owns nothing is far from the mean."""
    x = draw.normal(rows, columns, dtype=dtype, offset=5.0)
    x[::3] -= 10
    return (x,)


def one(draw, dtype, rows, columns):
    """The same and eps."""
    return *alone(draw, dtype, rows, columns), EPS


def weighted(draw, dtype, rows, columns):
    """x, a weight [columns] around 0, eps."""
    return *alone(draw, dtype, rows, columns), draw.normal(columns, dtype=dtype, scale=0.25), EPS


VARIATIONS = (
    Variation(
        entry="standardise",
        brief=(
            "`standardise(x, eps)` returns (x − mean) · rsqrt(variance + eps) by row: no weight, no bias. Everything else in the "
            "contract of `layernorm` stays."
        ),
        changes="Two arguments fewer; a constant row gives 0, up to the rounding of its mean.",
        inputs=one,
        cases=SHAPES,
    ),
    Variation(
        entry="centre",
        brief=(
            "`centre(x)` returns x minus the mean of its row, computed in float32 and rounded once. Everything else in the "
            "contract of `layernorm` stays."
        ),
        changes="One reduction, and the padded lanes of the difference are never summed: does it still need a second mask?",
        inputs=alone,
        cases=SHAPES,
    ),
    Variation(
        entry="layernorm_plus_one",
        brief=(
            "`layernorm_plus_one(x, weight, eps)` returns (x − mean) · rsqrt(variance + eps) · (1 + weight) by row, 1 + weight in "
            "float32. Everything else in the contract of `layernorm` stays."
        ),
        changes="The weight is a deviation from 1, and there is no bias.",
        inputs=weighted,
        cases=SHAPES,
    ),
)


def _wide(x):
    return x.to(torch.promote_types(x.dtype, torch.float32))


def standardise_reference(x, eps):
    """(x − mean) · rsqrt(biased variance + eps) for each row of ``x`` [M, H], in float32, rounded once to its dtype."""
    wide = _wide(x)
    deviation = wide - wide.mean(dim=1, keepdim=True)
    return (deviation * torch.rsqrt(deviation.square().mean(dim=1, keepdim=True) + eps)).to(x.dtype)


def centre_reference(x):
    """x minus the mean of its row for ``x`` [M, H], in float32, rounded once to its dtype."""
    wide = _wide(x)
    return (wide - wide.mean(dim=1, keepdim=True)).to(x.dtype)


def layernorm_plus_one_reference(x, weight, eps):
    """The norm of each row of ``x`` [M, H] times (1 + ``weight``) [H], in float32, rounded once to its dtype."""
    wide = _wide(x)
    deviation = wide - wide.mean(dim=1, keepdim=True)
    scale = torch.rsqrt(deviation.square().mean(dim=1, keepdim=True) + eps)
    return (deviation * scale * (1 + _wide(weight))).to(x.dtype)


def centre_condition(x):
    """What one rounding of the mean moves a result by: √n / 4 roundings of the row's largest value, [M, 1]."""
    return max(1.0, x.shape[1] ** 0.5 / 4) * x.abs().amax(dim=1, keepdim=True)


def standardise_condition(x, eps):
    """The same over the root of the variance, [M, 1]."""
    variance = (x - x.mean(dim=1, keepdim=True)).square().mean(dim=1, keepdim=True)
    return centre_condition(x) / torch.sqrt(variance + eps)


def layernorm_plus_one_condition(x, weight, eps):
    """The same times the factor of each column, [M, H]."""
    return standardise_condition(x, eps) * (1 + weight).abs()
