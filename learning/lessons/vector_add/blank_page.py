"""The blank page of L1: the same kernel from memory, with the contract bent so that memory alone is not enough."""

from learning.lesson import Variation

VARIATIONS = (
    Variation(
        entry="subtract",
        brief="`subtract(x, y)` returns x − y. Everything else in the contract of `add` stays.",
        changes="The order of the operands now matters.",
    ),
    Variation(
        entry="add_scaled",
        brief=(
            "`add_scaled(x, y, alpha)` returns x + alpha · y, computed in float32 and rounded once; alpha is a Python "
            "float. Everything else in the contract of `add` stays."
        ),
        changes="A number travels beside the pointers, and the widening to float32 can no longer be left out.",
    ),
    Variation(
        entry="add_three",
        brief=(
            "`add_three(x, y, z)` returns x + y + z, summed in float32 from the left and rounded once. Everything else in "
            "the contract of `add` stays, for three tensors."
        ),
        changes="Three inputs and four passes over memory: 16 bytes an element in float32.",
    ),
)


def subtract_reference(x, y):
    """x − y as eager PyTorch subtracts: 1-D, same shape and dtype as ``x``."""
    return x - y


def add_scaled_reference(x, y, alpha):
    """x + alpha · y in float32, rounded once to the dtype of ``x``."""
    return (x.float() + alpha * y.float()).to(x.dtype)


def add_three_reference(x, y, z):
    """x + y + z in float32 from the left, rounded once to the dtype of ``x``."""
    return (x.float() + y.float() + z.float()).to(x.dtype)
