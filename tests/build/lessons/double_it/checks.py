"""Public checks."""

import math

from learning.judge import check

from .reference import TABLE


@check(points=2)
def doubles_small_numbers(double, trial):
    """Every number of the table comes out doubled."""
    for x, twice in TABLE.items():
        trial.expect(double(x) == twice, called=f"double({x})", expected=str(twice))


# a sign lost on the way is the most common slip
@check(points=2)
def keeps_the_sign(double, EMPTY, trial):
    """A negative number stays negative."""
    trial.expect(math.copysign(1.0, double(-3.0) or 0.0) == -1.0, called="double(-3.0)")
