"""The blank page of L1: the same kernel from memory, with the contract bent so that memory alone is not enough."""

import torch

from learning.lesson import Variation

LENGTHS = tuple({"length": length} for length in (2500, 0, 1, 1023, 1024, 1025))


def two(draw, dtype, length):
    """x and y [length]; y a tenth of x, so that their order shows."""
    return draw.normal(length, dtype=dtype), draw.normal(length, dtype=dtype, scale=0.1)


def two_and_a_factor(draw, dtype, length):
    """x, y [length] and alpha."""
    return *two(draw, dtype, length), -1.7


def three(draw, dtype, length):
    """x, y, z [length]."""
    return *two(draw, dtype, length), draw.normal(length, dtype=dtype, scale=3.0)


VARIATIONS = (
    Variation(
        entry="subtract",
        brief="`subtract(x, y)` returns x − y. Everything else in the contract of `add` stays.",
        changes="The order of the operands now matters.",
        inputs=two,
        cases=LENGTHS,
        exact=True,
    ),
    Variation(
        entry="add_scaled",
        brief=(
            "`add_scaled(x, y, alpha)` returns x + alpha · y, computed in float32 and rounded once; alpha is a Python "
            "float. Everything else in the contract of `add` stays."
        ),
        changes="A number travels beside the pointers, and the widening to float32 can no longer be left out.",
        inputs=two_and_a_factor,
        cases=LENGTHS,
    ),
    Variation(
        entry="add_three",
        brief=(
            "`add_three(x, y, z)` returns x + y + z, summed in float32 from the left and rounded once. Everything else in "
            "the contract of `add` stays, for three tensors."
        ),
        changes="Three inputs and four passes over memory: 16 bytes an element in float32.",
        inputs=three,
        cases=LENGTHS,
    ),
)


def _wide(x):
    return x.to(torch.promote_types(x.dtype, torch.float32))


def subtract_reference(x, y):
    """x − y as eager PyTorch subtracts: 1-D, same shape and dtype as ``x``."""
    return x - y


def add_scaled_reference(x, y, alpha):
    """x + alpha · y in float32, rounded once to the dtype of ``x``."""
    return (_wide(x) + alpha * _wide(y)).to(x.dtype)


def add_three_reference(x, y, z):
    """x + y + z in float32 from the left, rounded once to the dtype of ``x``."""
    return (_wide(x) + _wide(y) + _wide(z)).to(x.dtype)


def add_scaled_condition(x, y, alpha):
    """What the roundings of one element scale with: the two summands' sizes."""
    return x.abs() + (alpha * y).abs()


def add_three_condition(x, y, z):
    """The same for three."""
    return x.abs() + y.abs() + z.abs()
