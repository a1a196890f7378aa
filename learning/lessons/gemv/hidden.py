"""The hidden checks of L6, 10 points: parity 8, benchmark 2. Shapes and values are drawn when the work is graded."""

import torch

from learning.judge import check
from learning.lessons.gemv.reference import agrees


@check(points=2, hidden=True)
def multiplies_shapes_it_has_never_seen(gemv, trial):
    """Tall and narrow, flat and long, primes and powers of two, in every dtype: one row of 9001 as well as 400 rows of
    3."""
    trial.case("which shapes")
    pick = trial.random.choice
    shapes = [
        (1, 9001),
        (pick((113, 211)), pick((1, 2, 3))),
        (pick((63, 65)), pick((127, 129))),
        (3, pick((1021, 2039))),
    ]
    for dtype in trial.dtypes:
        for rows, columns in shapes:
            trial.case(f"{rows} rows of {columns}, {dtype}")
            agrees(trial, gemv, trial.normal(columns, dtype=dtype), trial.normal(rows, columns, dtype=dtype))


@check(points=2, hidden=True, trap=8)
def keeps_products_and_sums_that_cancel(gemv, trial):
    """Large terms of both signs whose small difference is the result: products or sums of 16 bits lose it. And tiny
    terms."""
    for dtype in trial.dtypes:
        half = 8 * trial.random.randrange(40, 60)
        step = torch.finfo(dtype).eps if dtype != torch.float32 else 2.0**-8  # so float32 holds every sum exactly
        few = 3 if dtype == torch.bfloat16 else 31
        trial.case(f"{half} products that lie between two numbers of {dtype}, less {half} of the lower one")
        x = torch.ones_like(trial.normal(2 * half, dtype=dtype))
        weight = torch.ones_like(trial.normal(2, 2 * half, dtype=dtype))
        x[:half], weight[0, :half] = 1 + 16 * step, 1 + few * step
        weight[0, half:] = -(1 + (16 + few) * step)
        weight[1] = -weight[0]
        agrees(trial, gemv, x, weight)
        trial.case(f"3 rows of 1111 alternating, 64 times as large; and 1000 times smaller, {dtype}")
        weight = trial.pattern("alternating", 3, 1111, dtype=dtype) * 64
        agrees(trial, gemv, 1 + trial.normal(1111, dtype=dtype, scale=0.01), weight)
        agrees(trial, gemv, trial.normal(1111, dtype=dtype), trial.normal(3, 1111, dtype=dtype, scale=1e-3))


@check(points=2, hidden=True)
def finds_x_and_weight_wherever_they_start(gemv, trial):
    """Rows from the middle of a larger matrix, both tensors one element into their storage, x with any stride."""
    for dtype in trial.dtypes:
        columns = 16 * trial.random.randrange(5, 30)
        trial.case(f"rows 3 to 7 of 9 of {columns}, x from the middle of a vector, {dtype}")
        weight = trial.distinct(9, columns, dtype=dtype)[3:7]
        agrees(trial, gemv, trial.distinct(columns + 40, dtype=dtype)[17 : 17 + columns], weight)
        trial.case(f"both one element late, 4 rows of {columns}, {dtype}")
        weight = trial.layout(trial.normal(4, columns, dtype=dtype), "offset")
        agrees(trial, gemv, trial.layout(trial.normal(columns, dtype=dtype), "offset"), weight)
        stride = trial.random.choice((3, 7, 48))
        trial.case(f"every {stride}th element of x, 4 rows of {columns}, {dtype}")
        agrees(trial, gemv, trial.normal(columns, stride, dtype=dtype)[:, 1], trial.normal(4, columns, dtype=dtype))


@check(points=2, hidden=True)
def gives_each_row_its_own_sum(gemv, trial):
    """Rows that pick out one element of x, a row of zeros; whole numbers, small rows beside large ones, in any order:
    exactly."""
    for dtype in trial.dtypes:
        trial.case(f"40 rows that each pick one of 600 elements, {dtype}")
        x = trial.distinct(600, dtype=dtype)
        picks = torch.arange(40, device=x.device) * 14 + trial.random.randrange(10, 50)
        weight = torch.zeros_like(trial.normal(40, 600, dtype=dtype))
        weight[torch.arange(40, device=x.device), picks] = 1.0
        weight[11] = 0.0
        agrees(trial, gemv, x, weight, exact=True)
    trial.case("35 rows of 90 whole numbers, every seventh row a thousand times larger, and the same in another order")
    x, weight = trial.integers(90), trial.integers(35, 90)
    weight[::7] *= 1000
    order = trial.random.sample(range(35), 35)
    agrees(trial, gemv, x, weight, exact=True)
    agrees(trial, gemv, x, weight[order], exact=True)


@check(points=2, hidden=True, needs_gpu=True)
def runs_a_language_models_last_layer_within_a_quarter_of_our_time(gemv, trial):
    """Full points up to 1.25 times the time of the supplied answer in the same run, half up to 2 times."""
    trial.case("32000 rows of 4096, float16")
    x = trial.normal(4096, dtype=torch.float16)
    trial.faster(gemv, (x, trial.normal(32000, 4096, dtype=torch.float16, scale=0.02)), full=1.25, half=2.0)
