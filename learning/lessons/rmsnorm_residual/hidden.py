"""The hidden checks of L3b, 10 points: parity 8, benchmark 2. Shapes and values are drawn when the work is graded."""

import torch

from learning.judge import check
from learning.lessons.rmsnorm_residual.reference import agrees, drawn


@check(points=2, hidden=True)
def normalises_widths_it_has_never_seen(rmsnorm_residual, trial):
    """From one column to 8192, primes and powers of two, in every dtype; tall and narrow as well as flat and wide."""
    trial.case("which widths")
    pick = trial.random.choice
    shapes = [(2, 1), (1, 8191), (1, 8192), (2, pick((2, 3, 7, 31))), (1, pick((1021, 2039, 4093))), (31, pick((4, 5)))]
    for dtype in trial.dtypes:
        for rows, columns in shapes if dtype == torch.float32 else shapes[2:5]:
            trial.case(f"{rows} rows of {columns}, {dtype}")
            x, residual, weight = drawn(trial, rows, columns, dtype=dtype)
            agrees(trial, rmsnorm_residual, x, residual, weight, 1e-6)


@check(points=2, hidden=True, trap=8)
def sums_squares_that_float16_cannot_hold(rmsnorm_residual, trial):
    """256 squared is past float16's end, and so are 8192 squares of 4: rows of hundreds, of ±65504, and a long one."""
    for dtype in trial.dtypes:
        trial.case(f"hundreds, and rows of 65504 in one sign and in both, {dtype}")
        x, residual, weight = drawn(trial, 3, 300, dtype=dtype, scale=64.0)
        x[1], residual[1:] = 65504.0, 0.0
        x[2] = 65504.0 * trial.integers(300, low=0, high=2) * 2 - 65504.0
        agrees(trial, rmsnorm_residual, x, residual, weight, 1e-6)
    trial.case("1 row of 8192, around 4 each, float16")
    x, residual, weight = drawn(trial, 1, 8192, dtype=torch.float16, scale=3.0)
    agrees(trial, rmsnorm_residual, x, residual, weight, 1e-6)


@check(points=2, hidden=True)
def follows_rows_that_are_hard(rmsnorm_residual, trial):
    """One value throughout, five higher, alternating signs, a spike, a ramp, zeros of both signs, tiny values, x + (−x)."""
    kinds = ("constant_rows", "alternating", "spikes", "ramp", "ties", "signed_zeros")
    for dtype in trial.dtypes:
        trial.case(f"one row of 90 each: {', '.join(kinds)}, tiny, offset, cancelled; {dtype}")
        rows = [trial.pattern(kind, 1, 90, dtype=dtype) for kind in kinds]
        rows.append(trial.normal(1, 90, dtype=dtype, scale=1e-6 if dtype == torch.float16 else 1e-20))
        x = torch.cat([*rows, trial.normal(2, 90, dtype=dtype, offset=5.0)])
        residual = torch.zeros_like(x)
        residual[1:5] = trial.normal(4, 90, dtype=dtype, scale=0.1)
        residual[-1] = -x[-1]
        weight = trial.normal(90, dtype=dtype, offset=1.0, scale=0.25)
        agrees(trial, rmsnorm_residual, x, residual, weight, 1e-6)


@check(points=2, hidden=True)
def depends_on_each_row_alone_wherever_it_lies(rmsnorm_residual, trial):
    """Tensors that start one element into their storage; and the rows in another order give the same rows, bit for bit."""
    for dtype in trial.dtypes:
        columns = 16 * trial.random.randrange(5, 20)
        trial.case(f"x and weight from their second element on, 2 rows of {columns}, {dtype}")
        x, residual, weight = drawn(trial, 2, columns, dtype=dtype)
        agrees(trial, rmsnorm_residual, trial.layout(x, "offset"), residual, trial.layout(weight, "offset"), 1e-6)
    trial.case("4 rows of 53 in another order")
    x, residual, weight = drawn(trial, 4, 53)
    x[2], residual[2] = 100 * x[2], 100 * residual[2]
    order = [2, 0, 3, 1]
    before = trial.returns(rmsnorm_residual, x, residual, weight, 1e-6)
    trial.same(
        trial.returns(rmsnorm_residual, x[order], residual[order], weight, 1e-6),
        tuple(part[order] for part in before),
        called="the results of x[order], residual[order], and the results of x, residual in that order",
    )


@check(points=2, hidden=True, needs_gpu=True)
def runs_4096_rows_within_a_quarter_of_our_time(rmsnorm_residual, trial):
    """Full points up to 1.25 times the time of the supplied answer in the same run, half up to 2 times."""
    trial.case("4096 rows of 4096, float16")
    trial.faster(rmsnorm_residual, (*drawn(trial, 4096, 4096, dtype=torch.float16), 1e-6), full=1.25, half=2.0)
