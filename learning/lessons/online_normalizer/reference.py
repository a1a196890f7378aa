"""What the states must amount to: all values at hand, the maximum first, then one careful sum."""

import math

from learning.lessons.online_normalizer.answer import EMPTY


def normalizer_reference(values):
    """Return ``(maximum, Σ exp(x − maximum))`` of a list of finite floats; ``(-inf, 0.0)`` of an empty list.

    Two passes over a row that is all there: what a stable softmax does before it divides. ``math.fsum`` rounds the sum
    once, so this reference has no order of its own.
    """
    if not values:
        return EMPTY
    maximum = max(values)
    return maximum, math.fsum(math.exp(x - maximum) for x in values)


def normalizer_oracle(values):
    """The same pair with no rounding left in a difference: each term is good to about one unit in its last place.

    ``gap`` is ``x − maximum`` as a double and ``lost`` what its rounding left out, both exact (Knuth's two-sum, The Art of
    Computer Programming 2, 4.2.2); then exp(gap + lost) = exp(gap) · (1 + lost), since ``lost`` is below 1e-13. Terms below
    exp(−800) are less than the smallest double and are left out.
    """
    if not values:
        return EMPTY
    maximum, terms = max(values), []
    for x in values:
        gap = x - maximum
        if gap > -800.0:
            back = gap - x
            lost = (x - (gap - back)) - (maximum + back)
            terms.append(math.exp(gap) * (1.0 + lost))
    return maximum, math.fsum(terms)
