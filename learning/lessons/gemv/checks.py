"""The public checks of L6, 6 points: parity 4, house rules 1, structure 1. Each is one cell; its name says what to
make true."""

import torch

from learning.judge import check
from learning.lessons.gemv.reference import agrees, condition, gemv_reference


@check(points=1)
def multiplies_every_row_of_a_ragged_matrix(gemv, trial):
    """One element, a tile and its neighbours, a prime by a prime: rows and columns past the end add nothing and get
    nothing."""
    for rows, columns in ((1, 1), (16, 256), (17, 255), (15, 257), (31, 521)):
        trial.case(f"{rows} rows of {columns}")
        agrees(trial, gemv, trial.normal(columns), trial.normal(rows, columns))


@check(points=1, trap=5)
def reads_x_through_its_stride(gemv, trial):
    """x may be every other element of a vector, a column of a matrix, or one number repeated with a stride of 0."""
    trial.case("every other element, 3 rows of 70")
    agrees(trial, gemv, trial.layout(trial.distinct(70), "every_other"), trial.normal(3, 70))
    trial.case("a column of a matrix of 300 × 5, 3 rows")
    agrees(trial, gemv, trial.distinct(300, 5)[:, 2], trial.normal(3, 300))
    trial.case("one number 300 times, 3 rows")
    agrees(trial, gemv, trial.layout(trial.normal(300), "broadcast_cols"), trial.normal(3, 300))


@check(points=1, trap=8)
def adds_thousands_of_products_in_float32(gemv, trial):
    """Whole numbers whose sums float32 holds and 16 bits do not: a running sum of ones stops at 2048 in float16."""
    for dtype in trial.dtypes:
        trial.case(f"2 rows of 4100: all ones, and ones and twos in turn, {dtype}")
        weight = torch.ones_like(trial.normal(2, 4100, dtype=dtype))
        weight[1, ::2] = 2.0
        agrees(trial, gemv, torch.ones_like(weight[0]), weight, exact=True)
    for dtype in trial.dtypes[1:]:
        trial.case(f"5 rows of 2000, {dtype}")
        agrees(trial, gemv, trial.normal(2000, dtype=dtype), trial.normal(5, 2000, dtype=dtype))


@check(points=1)
def gives_zeros_for_no_columns_and_nothing_for_no_rows(gemv, trial):
    """K = 0 is a sum of nothing for each row, N = 0 no rows at all; each call makes fresh memory and leaves its
    inputs."""
    trial.case("20 rows of 0 columns")
    agrees(trial, gemv, trial.normal(0), trial.normal(20, 0), exact=True)
    trial.case("no rows of 7 columns, and no rows of none")
    for columns in (7, 0):
        agrees(trial, gemv, trial.normal(columns), trial.normal(0, columns))
    trial.case("3 rows of 7")
    agrees(trial, gemv, trial.distinct(7), trial.distinct(3, 7))


@check(points=1)
def keeps_the_house_rules(gemv, trial):
    """A kernel of your own multiplies and adds: PyTorch may make the result, look at shapes and strides and take
    views."""
    trial.case("2 rows of 5")
    trial.house_rules(gemv, trial.normal(5), trial.normal(2, 5))


@check(points=1, trap=15)
def asks_for_each_weight_once_and_adds_in_float32(gemv, trial):
    """Each weight is requested once and x at most once a row; each result is stored once, no partial sum has 16 bits,
    and no float32 is multiplied with fewer than its 24."""
    trial.case("40 rows of 600, float16")
    x, weight = trial.normal(600, dtype=torch.float16), trial.normal(40, 600, dtype=torch.float16)
    seen = trial.structure(gemv, x, weight, reference=gemv_reference, scale=condition)
    seen.passes(x=40, weight=1, out=1, scratch=0.1)
    seen.writes_once()
    seen.adds_in_float32()
    trial.case("16 rows of 40, float32, as a newer card would multiply")
    x, weight = trial.normal(40), trial.normal(16, 40)
    trial.structure(gemv, x, weight, reference=gemv_reference, scale=condition).multiplies_in_float32()
