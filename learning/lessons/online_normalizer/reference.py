"""What the states must amount to: all values at hand, the maximum first, then one careful sum."""

import math
from decimal import Context, Decimal
from fractions import Fraction

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
    """The same pair with the differences exact and each exponential good to 40 digits, rounded to a double at the end.

    A double's ``x − maximum`` is rounded, which costs up to |x − maximum| · 2⁻⁵³ of a term's own size; fractions cost
    nothing. Terms below exp(−800) are less than the smallest double and are left out.
    """
    if not values:
        return EMPTY
    maximum, digits, total = max(values), Context(prec=40), Decimal(0)
    for x in values:
        gap = Fraction(x) - Fraction(maximum)
        if gap > -800:
            exponent = digits.divide(Decimal(gap.numerator), Decimal(gap.denominator))
            total = digits.add(total, digits.exp(exponent))
    return maximum, float(total)
