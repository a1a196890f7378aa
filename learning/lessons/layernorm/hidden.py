"""The hidden checks of L3d, 10 points: parity 8, benchmark 2. Shapes and values are drawn when the work is graded."""

import torch

from learning.judge import check
from learning.lessons.layernorm.reference import agrees, drawn


@check(points=2, hidden=True)
def normalises_widths_it_has_never_seen(layernorm, trial):
    """From one column to 8192, primes and powers of two, in every dtype; tall and narrow as well as flat and wide."""
    trial.case("which widths")
    pick = trial.random.choice
    shapes = [(2, 1), (1, 8191), (1, 8192), (2, pick((2, 3, 7, 31))), (1, pick((1021, 2039, 4093))), (31, pick((4, 5)))]
    for dtype in trial.dtypes:
        for rows, columns in shapes if dtype == torch.float32 else shapes[2:5]:
            trial.case(f"{rows} rows of {columns}, {dtype}")
            agrees(trial, layernorm, *drawn(trial, rows, columns, dtype=dtype), 1e-5)


@check(points=2, hidden=True, trap=8)
def survives_a_mean_far_from_zero(layernorm, trial):
    """A thousand above zero with a spread of one: E[x²] − E[x]² has lost the variance, and a 16-bit mean or sum is lost too."""
    for offset in (1000.0, -3000.0):
        trial.case(f"2 rows of 781 around {offset:g}, float32")
        agrees(trial, layernorm, *drawn(trial, 2, 781, offset=offset), 1e-5)
    for dtype in trial.dtypes[1:]:
        trial.case(f"3 rows of 300 around 1000 with a spread of 8, {dtype}")
        agrees(trial, layernorm, *drawn(trial, 3, 300, dtype=dtype, scale=8.0, offset=1000.0), 1e-5)


@check(points=2, hidden=True, trap=8)
def follows_rows_that_are_hard(layernorm, trial):
    """One value throughout, alternating signs, a spike, a ramp, zeros of both signs, tiny values, ±65504, hundreds."""
    kinds = ("constant_rows", "alternating", "spikes", "ramp", "ties", "signed_zeros")
    for dtype in trial.dtypes:
        trial.case(f"one row of 90 each: {', '.join(kinds)}, tiny, both signs of 65504, 64 times; {dtype}")
        rows = [trial.pattern(kind, 1, 90, dtype=dtype) for kind in kinds]
        rows.append(trial.normal(1, 90, dtype=dtype, scale=1e-6 if dtype == torch.float16 else 1e-4))
        rows.append((65504.0 * (2 * trial.integers(1, 90, low=0, high=2) - 1)).to(dtype))
        x = torch.cat([*rows, trial.normal(1, 90, dtype=dtype, scale=64.0)])
        _, weight, bias = drawn(trial, 1, 90, dtype=dtype)
        agrees(trial, layernorm, x, weight, bias, 1e-5)


@check(points=2, hidden=True)
def depends_on_each_row_alone_wherever_it_lies(layernorm, trial):
    """Tensors may start one element into their storage; the rows in another order give the same rows, bit for bit."""
    for dtype in trial.dtypes:
        columns = 16 * trial.random.randrange(5, 20)
        trial.case(f"all three from their second element on, 2 rows of {columns}, {dtype}")
        late = [trial.layout(tensor, "offset") for tensor in drawn(trial, 2, columns, dtype=dtype)]
        agrees(trial, layernorm, *late, 1e-5)
    trial.case("4 rows of 53 in another order")
    x, weight, bias = drawn(trial, 4, 53)
    x[2] = 100 * x[2] + 7
    order, before = [2, 0, 3, 1], trial.returns(layernorm, x, weight, bias, 1e-5)
    trial.same(
        trial.returns(layernorm, x[order], weight, bias, 1e-5),
        before[order],
        called="layernorm of x[order], and layernorm of x in that order",
    )


@check(points=2, hidden=True, needs_gpu=True)
def runs_4096_rows_within_a_quarter_of_our_time(layernorm, trial):
    """Full points up to 1.25 times the time of the supplied answer in the same run, half up to 2 times."""
    trial.case("4096 rows of 4096, float16")
    trial.faster(layernorm, (*drawn(trial, 4096, 4096, dtype=torch.float16), 1e-5), full=1.25, half=2.0)
