"""The blank page of A1: the merge state from memory, over another base, with a payload, or upside down."""

import math

from learning.lesson import Variation

VARIATIONS = (
    Variation(
        entry="result_base_two",
        brief=(
            "`push(state, x)`, `merge(a, b)` and `result(state)` → (maximum, Σ 2^(xᵢ − maximum)). Everything else in the "
            "contract stays."
        ),
        changes="The exponential, and nothing of the argument: why?",
    ),
    Variation(
        entry="result_weighted_mean",
        brief=(
            "`push(state, x, v)` takes pairs of finite floats; `result(state)` gives Σ exp(xᵢ − m)·vᵢ / Σ exp(xᵢ − m), m "
            "the maximum of all xᵢ, and 0.0 where nothing was pushed. States have three numbers, EMPTY as well."
        ),
        changes="A second sum is rescaled with the first: one query's attention, key by key.",
    ),
    Variation(
        entry="result_minimum",
        brief=(
            "`result(state)` → (minimum, Σ exp(minimum − xᵢ)); EMPTY is (+inf, 0.0). Everything else in the contract stays."
        ),
        changes="Every sign that matters turns round.",
    ),
)


def result_base_two_reference(values):
    """``(maximum, Σ 2^(x − maximum))`` of a list of floats; ``(-inf, 0.0)`` of an empty one."""
    if not values:
        return -math.inf, 0.0
    maximum = max(values)
    return maximum, math.fsum(math.exp2(x - maximum) for x in values)


def result_weighted_mean_reference(pairs):
    """The mean of v weighted with exp(x), of a list of pairs (x, v); 0.0 of an empty one."""
    if not pairs:
        return 0.0
    maximum = max(x for x, _ in pairs)
    weights = [math.exp(x - maximum) for x, _ in pairs]
    return math.fsum(w * v for w, (_, v) in zip(weights, pairs, strict=True)) / math.fsum(weights)


def result_minimum_reference(values):
    """``(minimum, Σ exp(minimum − x))`` of a list of floats; ``(inf, 0.0)`` of an empty one."""
    if not values:
        return math.inf, 0.0
    minimum = min(values)
    return minimum, math.fsum(math.exp(minimum - x) for x in values)
