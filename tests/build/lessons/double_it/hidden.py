"""Hidden checks."""

from learning.judge import check

from .reference import double_reference

LARGE = (2.0**300, -(2.0**400), 123456789.125)


@check(points=10, hidden=True)
def doubles_large_numbers(double, trial):
    """Numbers far from 1 come out doubled.

    Their exponents are large, their mantissas are not special.
    """
    for secret_case in LARGE:
        trial.expect(double(secret_case) == double_reference(secret_case), called="double")


@check(points=2, hidden=True, needs_gpu=True)
def is_timed_on_a_gpu(double, trial):
    """Doubling is as fast as it can be."""
    trial.expect(double(0.5) + double(0.25) == 1.5, called="double(0.5)")
