"""The hidden checks of L3c, 10 points: parity 8, benchmark 2. Shapes and values are drawn when the work is graded."""

import torch

from learning.judge import check
from learning.lessons.minmax.reference import agrees


@check(points=2, hidden=True)
def scales_widths_it_has_never_seen(minmax, trial):
    """From one column to 8192, primes and powers of two, in every dtype; tall and narrow as well as flat and wide."""
    trial.case("which widths")
    pick = trial.random.choice
    shapes = [(1, 8191), (1, 8192), (2, pick((2, 3, 7, 31))), (2, pick((1021, 2039, 4093))), (31, pick((4, 5)))]
    for dtype in trial.dtypes:
        for rows, columns in shapes if dtype == torch.float32 else shapes[1:4]:
            trial.case(f"{rows} rows of {columns}, {dtype}")
            agrees(trial, minmax, trial.normal(rows, columns, dtype=dtype), 1e-6)


@check(points=2, hidden=True, trap=8)
def survives_the_ends_of_the_dtype(minmax, trial):
    """From −65504 to 65504 is a range that float16 cannot hold, and in float32 a row may lie wholly beyond either."""
    for dtype in trial.dtypes:
        trial.case(f"65504 in both signs, in one, and all but one value there; {dtype}")
        x = trial.pattern("large", 4, 61, dtype=dtype)
        x[0, 5], x[0, 50] = 65504.0, -65504.0
        x[1], x[2] = 65504.0, -65504.0
        x[1, 20] = 64000.0
        agrees(trial, minmax, x, 1e-6)
    trial.case("rows near a billion and near minus a billion, float32")
    x = trial.normal(2, 61, scale=1e6, offset=1e9)
    x[1] = -x[1]
    agrees(trial, minmax, x, 1e-6)


@check(points=2, hidden=True)
def adds_eps_to_the_range_and_to_nothing_else(minmax, trial):
    """Ranges smaller than eps, like it, and far larger; subnormals; a spike, a ramp, two values only, alternating signs."""
    for eps in (1e-8, 1e-3, 1.0):
        trial.case(f"ranges from a ten-thousandth of eps to a thousand times, eps {eps:g}")
        size = torch.logspace(-4, 3, 5)[:, None].to(trial.torch_device)
        agrees(trial, minmax, trial.normal(5, 45) * (size * eps), eps)
    kinds = ("subnormals", "spikes", "ramp", "ties", "alternating", "signed_zeros", "constant_rows")
    trial.case(f"one row of 45 each: {', '.join(kinds)}, and five higher; float16")
    rows = [trial.pattern(kind, 1, 45, dtype=torch.float16) for kind in kinds]
    x = torch.cat([*rows, trial.normal(1, 45, dtype=torch.float16, offset=5.0)])
    agrees(trial, minmax, x, 1e-6)


@check(points=2, hidden=True)
def depends_on_each_row_alone_wherever_it_lies(minmax, trial):
    """x may start one element into its storage; the rows in another order give the same rows, bit for bit."""
    for dtype in trial.dtypes:
        columns = 16 * trial.random.randrange(5, 20)
        trial.case(f"x from its second element on, 2 rows of {columns}, {dtype}")
        agrees(trial, minmax, trial.layout(trial.normal(2, columns, dtype=dtype), "offset"), 1e-6)
    trial.case("4 rows of 53 in another order")
    x = trial.normal(4, 53)
    x[2] *= 100
    order, before = [2, 0, 3, 1], trial.returns(minmax, x, 1e-3)
    trial.same(
        trial.returns(minmax, x[order], 1e-3),
        before[order],
        called="minmax(x[order]) and minmax(x)[order]",
    )


@check(points=2, hidden=True, needs_gpu=True)
def runs_4096_rows_within_a_quarter_of_our_time(minmax, trial):
    """Full points up to 1.25 times the time of the supplied answer in the same run, half up to 2 times."""
    trial.case("4096 rows of 4096, float16")
    trial.faster(minmax, (trial.normal(4096, 4096, dtype=torch.float16), 1e-6), full=1.25, half=2.0)
