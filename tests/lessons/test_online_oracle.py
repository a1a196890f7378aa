"""The oracle of A1 against forty-digit arithmetic: it may be wrong by a few parts in 10¹⁶, and the checks allow 10⁻¹²."""

from decimal import Context, Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from learning.lessons.online_normalizer.reference import normalizer_oracle

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
NEAR = st.floats(-750.0, 750.0)


def to_forty_digits(values):
    """Σ exp(x − maximum), the differences as fractions."""
    maximum, digits, total = max(values), Context(prec=40), Decimal(0)
    for x in values:
        gap = Fraction(x) - Fraction(maximum)
        if gap > -800:
            exponent = digits.divide(Decimal(gap.numerator), Decimal(gap.denominator))
            total = digits.add(total, digits.exp(exponent))
    return total


@given(st.lists(st.one_of(NUMBERS, NEAR), min_size=1, max_size=40))
def test_the_oracle_is_good_to_the_last_digits(values):
    maximum, total = normalizer_oracle(values)
    exact = to_forty_digits(values)
    assert maximum == max(values)
    assert abs(Decimal(total) - exact) <= exact * Decimal("4e-16")


@given(st.floats(1.0, 1e15), st.lists(st.floats(0.0, 60.0), min_size=1, max_size=20))
def test_differences_that_a_double_rounds_are_put_right(far, gaps):
    values = [far, *(far - gap for gap in gaps)]
    exact = to_forty_digits(values)
    assert abs(Decimal(normalizer_oracle(values)[1]) - exact) <= exact * Decimal("4e-16")
