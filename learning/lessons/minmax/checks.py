"""The public checks of L3c, 6 points: parity 4, structure 1, house rules 1. Each is one cell; its name says what to make true."""

import torch

from learning.judge import check
from learning.lessons.minmax.reference import agrees, minmax_oracle, minmax_reference


@check(points=1)
def scales_ragged_rows_in_every_dtype(minmax, trial):
    """One column, a power of two, its two neighbours and a prime; the result has the dtype of x."""
    for columns in (1, 127, 128, 129, 781):
        trial.case(f"3 rows of {columns}")
        agrees(trial, minmax, trial.normal(3, columns), 1e-6)
    for dtype in trial.dtypes[1:]:
        trial.case(f"3 rows of 129, {dtype}")
        agrees(trial, minmax, trial.normal(3, 129, dtype=dtype), 1e-6)


@check(points=1, trap=3)
def pads_for_the_minimum_and_for_the_maximum(minmax, trial):
    """A row far above zero, whose minimum a 0 would win, and one far below, whose maximum a 0 would win."""
    for dtype in trial.dtypes:
        trial.case(f"one row near 40, one near −40, one around 0; 53 columns, {dtype}")
        x = trial.normal(3, 53, dtype=dtype)
        x[0], x[1] = x[0] + 40, x[1] - 40
        agrees(trial, minmax, x, 1e-6)


@check(points=1)
def gives_zero_for_a_constant_row(minmax, trial):
    """All values equal, a single column, all zeros: the range is 0 and eps alone keeps the quotient finite."""
    for dtype in trial.dtypes:
        for columns in (1, 75):
            trial.case(f"3 constant rows of {columns}, {dtype}")
            x = trial.normal(3, 1, dtype=dtype, scale=9.0).expand(3, columns).contiguous()
            x[1] = 0.0
            agrees(trial, minmax, x, 1e-8)


@check(points=1)
def leaves_its_input_alone_and_returns_fresh_memory(minmax, trial):
    """x keeps every byte, the result shares no memory with it, and no rows are no error."""
    trial.case("4 rows of 70")
    x = trial.distinct(4, 70)
    agrees(trial, minmax, x, 1e-3)
    agrees(trial, minmax, x[:0], 1e-3)


@check(points=1)
def reads_each_row_twice_at_most_and_writes_it_once(minmax, trial):
    """One pass over x is enough, two are accepted; no number you pad with can be an end of any row."""
    trial.case("3 rows of 1300, float16")
    x = trial.normal(3, 1300, dtype=torch.float16)
    seen = trial.structure(minmax, x, 1e-6, reference=minmax_reference, oracle=minmax_oracle)
    seen.passes(x=(1, 2), out=1)
    seen.writes_once()
    trial.case("3 rows of 37, below and above the padding")
    seen = trial.structure(minmax, trial.normal(3, 37), 1e-6, reference=minmax_reference, oracle=minmax_oracle)
    seen.padding_never_matters()


@check(points=1)
def keeps_the_house_rules(minmax, trial):
    """A kernel of your own finds both ends and scales: PyTorch may make the result, look at shapes and take views."""
    trial.case("2 rows of 5")
    trial.house_rules(minmax, trial.normal(2, 5), 1e-6)
