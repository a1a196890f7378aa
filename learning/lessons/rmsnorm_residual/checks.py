"""The public checks of L3b, 6 points: parity 4, structure 1, house rules 1. Each is one cell; its name says what to make true."""

import torch

from learning.judge import check
from learning.lessons.rmsnorm_residual.reference import (
    agrees,
    drawn,
    rmsnorm_residual_oracle_in,
    rmsnorm_residual_reference,
)


@check(points=1)
def normalises_the_sum_of_ragged_rows(rmsnorm_residual, trial):
    """One column, a power of two, its two neighbours and a prime: the last lanes of a program may own nothing."""
    for columns in (1, 127, 128, 129, 781):
        trial.case(f"3 rows of {columns}")
        x, residual, weight = drawn(trial, 3, columns)
        agrees(trial, rmsnorm_residual, x, residual, weight, 1e-6)


@check(points=1, trap=8)
def rounds_the_sum_and_normalises_what_it_rounded(rmsnorm_residual, trial):
    """summed is x + residual in the dtype, and normed follows from it: started from summed and 0, it is the same to the bit."""
    for dtype in trial.dtypes[1:]:
        trial.case(f"3 rows of 320, {dtype}")
        x, residual, weight = drawn(trial, 3, 320, dtype=dtype)
        agrees(trial, rmsnorm_residual, x, residual, weight, 1e-6)
        normed, summed = trial.returns(rmsnorm_residual, x, residual, weight, 1e-6)
        trial.same(
            summed, x + residual, called="summed, and x + residual", expected="equal bits: one sum, rounded once"
        )
        again, _ = trial.returns(rmsnorm_residual, summed, torch.zeros_like(summed), weight, 1e-6)
        trial.same(
            normed, again,
            called="normed of (x, residual), and normed of (summed, 0)",
            expected="equal bits: normed is computed from the rounded sum",
        )  # fmt: skip


@check(points=1)
def keeps_eps_inside_the_root(rmsnorm_residual, trial):
    """Rows of thousandths, where eps counts as much as the values do, a row of zeros, and an ordinary row."""
    for eps in (1e-6, 1e-5, 1e-2):
        trial.case(f"4 rows of 100, eps {eps:g}")
        x, residual, weight = drawn(trial, 4, 100)
        size = x.new_tensor([[1e-3], [3e-3], [0.0], [1.0]])
        agrees(trial, rmsnorm_residual, x * size, residual * size, weight, eps)


@check(points=1)
def leaves_its_inputs_alone_and_returns_two_fresh_tensors(rmsnorm_residual, trial):
    """x, residual and weight keep every byte, both results have memory of their own, one tensor may be added to itself,
    and no rows are no error."""
    trial.case("3 rows of 70")
    x, residual, weight = trial.distinct(3, 70), trial.distinct(3, 70), trial.distinct(70)
    for first, second in ((x, residual), (x, x), (x[:0], residual[:0])):
        agrees(trial, rmsnorm_residual, first, second, weight, 1e-6)


@check(points=1)
def moves_no_matrix_more_than_twice(rmsnorm_residual, trial):
    """One pass over each of the four matrices is enough, two are accepted; no fifth matrix, and sums in float32."""
    trial.case("3 rows of 1300, float16")
    x, residual, weight = drawn(trial, 3, 1300, dtype=torch.float16)
    seen = trial.structure(
        rmsnorm_residual, x, residual, weight, 1e-6,
        reference=rmsnorm_residual_reference, oracle=rmsnorm_residual_oracle_in(x.dtype), outputs="normed summed",
    )  # fmt: skip
    seen.passes(x=(1, 2), residual=(1, 2), normed=(1, 2), summed=(1, 2))
    seen.writes_once()
    seen.adds_in_float32()
    seen.padding_never_matters("x", "residual")


@check(points=1)
def keeps_the_house_rules(rmsnorm_residual, trial):
    """A kernel of your own adds and normalises: PyTorch may make the two results, look at shapes and take views."""
    trial.case("2 rows of 5")
    trial.house_rules(rmsnorm_residual, *drawn(trial, 2, 5), 1e-6)
