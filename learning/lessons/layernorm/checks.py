"""The public checks of L3d, 6 points: parity 4, structure 1, house rules 1. Each is one cell; its name says what to make true."""

import torch

from learning.judge import check
from learning.lessons.layernorm.reference import (
    agrees,
    drawn,
    layernorm_condition,
    layernorm_oracle,
    layernorm_reference,
)


@check(points=1)
def normalises_ragged_rows_in_every_dtype(layernorm, trial):
    """A power of two, its two neighbours, a prime and a short row; the result has the dtype of x."""
    for columns in (5, 127, 128, 129, 781):
        trial.case(f"3 rows of {columns}")
        agrees(trial, layernorm, *drawn(trial, 3, columns), 1e-5)
    for dtype in trial.dtypes[1:]:
        trial.case(f"3 rows of 129, {dtype}")
        agrees(trial, layernorm, *drawn(trial, 3, 129, dtype=dtype), 1e-5)


@check(points=1)
def keeps_padded_lanes_out_of_the_variance(layernorm, trial):
    """Rows five above zero and five below: a lane that holds 0 is five away from the mean, and its square is 25."""
    for offset in (5.0, -5.0):
        for dtype in trial.dtypes:
            trial.case(f"2 rows of 67 around {offset:g}, {dtype}")
            agrees(trial, layernorm, *drawn(trial, 2, 67, dtype=dtype, offset=offset), 1e-5)


@check(points=1)
def keeps_eps_inside_the_root(layernorm, trial):
    """Rows of thousandths, where eps counts as much as the variance does; a constant row and a single column give the bias."""
    for eps in (1e-6, 1e-5, 1e-2):
        trial.case(f"4 rows of 100, eps {eps:g}")
        x, weight, bias = drawn(trial, 4, 100)
        x *= x.new_tensor([[1e-3], [3e-3], [0.0], [1.0]])
        agrees(trial, layernorm, x, weight, bias, eps)
    trial.case("3 rows of 1")
    agrees(trial, layernorm, *drawn(trial, 3, 1), 1e-5)


@check(points=1)
def leaves_its_inputs_alone_and_returns_fresh_memory(layernorm, trial):
    """x, weight and bias keep every byte, the result shares memory with none of them, and no rows are no error."""
    trial.case("4 rows of 70")
    x, weight, bias = trial.distinct(4, 70), trial.distinct(70), trial.distinct(70)
    agrees(trial, layernorm, x, weight, bias, 1e-5)
    agrees(trial, layernorm, x[:0], weight, bias, 1e-5)


@check(points=1)
def reads_each_row_twice_at_most_and_writes_it_once(layernorm, trial):
    """One pass over x is enough, two are accepted: mean, variance and scaling need no walk each. Sums are in float32."""
    trial.case("3 rows of 1300, float16")
    x, weight, bias = drawn(trial, 3, 1300, dtype=torch.float16)
    seen = trial.structure(
        layernorm,
        x,
        weight,
        bias,
        1e-5,
        reference=layernorm_reference,
        oracle=layernorm_oracle,
        scale=layernorm_condition,
    )
    seen.passes(x=(1, 2), out=1)
    seen.writes_once()
    seen.adds_in_float32()
    seen.padding_never_matters("x")


@check(points=1)
def keeps_the_house_rules(layernorm, trial):
    """A kernel of your own finds mean and variance and scales: PyTorch may make the result, look at shapes and take views."""
    trial.case("2 rows of 5")
    trial.house_rules(layernorm, *drawn(trial, 2, 5), 1e-5)
