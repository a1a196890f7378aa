"""The public checks of L3a. Each is one cell of the notebook; its name says what to make true."""

import torch

from learning.judge import check
from learning.lessons.softmax.reference import softmax_oracle, softmax_reference


@check(points=1)
def agrees_with_eager_softmax_on_ragged_rows(softmax, trial):
    """One column, a power of two, its two neighbours and 781: the last lanes of a program may own nothing."""
    for columns in (1, 127, 128, 129, 781):
        trial.case(f"3 rows of {columns}")
        trial.parity(softmax, trial.normal(3, columns), reference=softmax_reference, oracle=softmax_oracle)
    for dtype in trial.dtypes[1:]:
        trial.case(f"3 rows of 129, {dtype}")
        trial.parity(softmax, trial.normal(3, 129, dtype=dtype), reference=softmax_reference, oracle=softmax_oracle)


@check(points=1, trap=3)
def gives_padded_lanes_no_share_of_a_row(softmax, trial):
    """Rows that lie below zero: whatever a lane holds that owns nothing must not be the maximum and must not be summed."""
    for offset in (-5.0, -40.0):
        trial.case(f"3 rows of 33 around {offset}")
        x = trial.normal(3, 33, offset=offset)
        trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle)


@check(points=1)
def stays_finite_where_exp_alone_would_not(softmax, trial):
    """Values of a few hundred, 65504 beside -65504, and a row with a single column: no infinity, no NaN."""
    trial.case("2 rows of 50 around 300")
    x = trial.normal(2, 50, offset=300.0)
    trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle)
    trial.case("65504 and -65504 in one row")
    x = trial.normal(2, 50)
    x[0, 7], x[0, 40], x[1, 0], x[1, 49] = 65504.0, -65504.0, -65504.0, 65504.0
    trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle)
    trial.case("4 rows of one column, up to 65504")
    x = trial.pattern("large", 4, 1)
    trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle)


@check(points=0.5)
def leaves_x_alone_and_returns_fresh_memory(softmax, trial):
    """x keeps every byte, the result has x's shape and dtype and memory of its own, from each call anew."""
    for dtype in trial.dtypes:
        trial.case(f"2 rows of 40, {dtype}")
        trial.parity(softmax, trial.normal(2, 40, dtype=dtype), reference=softmax_reference, oracle=softmax_oracle)


@check(points=0.5)
def returns_an_empty_tensor_for_zero_rows(softmax, trial):
    """No rows, no programs: an empty tensor of the same shape and dtype, and no error."""
    for columns in (1, 5, 8192):
        trial.case(f"0 rows of {columns}")
        trial.parity(softmax, trial.normal(0, columns), reference=softmax_reference, oracle=softmax_oracle)


@check(points=1)
def reads_each_row_twice_at_most_and_writes_it_once(softmax, trial):
    """One pass over x is enough, two are accepted; sums stay in float32, and no padding of yours can ever win a row."""
    trial.case("3 rows of 1500, float16")
    x = trial.normal(3, 1500, dtype=torch.float16)
    seen = trial.structure(softmax, x, reference=softmax_reference, oracle=softmax_oracle)
    seen.passes(x=(1, 2), out=1)
    seen.writes_once()
    seen.adds_in_float32()
    trial.case("3 rows of 37, below and above the padding")
    seen = trial.structure(softmax, trial.normal(3, 37), reference=softmax_reference, oracle=softmax_oracle)
    seen.padding_never_matters()


@check(points=1)
def keeps_the_house_rules(softmax, trial):
    """A kernel of your own computes the softmax: PyTorch may make the result, look at shapes and take views."""
    trial.case("3 rows of 5")
    trial.house_rules(softmax, trial.normal(3, 5))
