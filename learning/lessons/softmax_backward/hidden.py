"""The hidden checks of I2, 10 points: parity 8, benchmark 2. Shapes and values are drawn when the work is graded."""

import torch

from learning.judge import check
from learning.lessons.softmax_backward.reference import (
    agrees,
    backward_reference,
    by_central_differences,
    condition,
    drawn,
)


@check(points=1, hidden=True)
def agrees_with_central_differences(backward, trial):
    """No derivative at all: the loss is computed twice for each element of x, a little above and a little below, in float64."""
    for scale in (1.0, 3.0):
        columns = 17 + trial.random.randrange(24)
        trial.case(f"3 rows of {columns}, values of {scale:g}")
        x, g = trial.normal(3, columns, scale=scale), trial.normal(3, columns)
        y = torch.softmax(x.double(), dim=1).float()
        trial.parity(
            backward, y, g, reference=backward_reference, oracle=by_central_differences(x), k=3,
            scale=condition(y.double(), g.double()),
        )  # fmt: skip


@check(points=1.5, hidden=True)
def uses_the_y_it_was_given(backward, trial):
    """Rows that are no softmax: sums of 3, negative numbers, all ones, zeros, one 1 among zeros. y · (g − d), whatever y is."""
    for dtype in trial.dtypes:
        columns = 30 + trial.random.randrange(40)
        trial.case(f"5 rows of {columns}, {dtype}")
        y, g = drawn(trial, 5, columns, dtype)
        y[0] = y[0] * 3
        y[1] = trial.normal(1, columns, dtype=dtype)
        y[2], y[3], y[4] = 1.0, 0.0, 0.0
        y[4, trial.random.randrange(columns)] = 1.0
        agrees(trial, backward, y, g)


@check(points=1, hidden=True, trap=8)
def keeps_sums_in_float32(backward, trial):
    """4096 equal shares and small whole gradients: every product and every partial sum is exact in fp32, and not in 16 bits."""
    for dtype in trial.dtypes:
        trial.case(f"2 rows of 4096 shares of 1/4096, {dtype}")
        g = trial.integers(2, 4096, low=1, high=9, dtype=dtype)
        y = torch.full_like(g, 1 / 4096)
        agrees(trial, backward, y, g, exact=True)


@check(points=1, hidden=True, trap=8)
def keeps_what_is_left_when_g_and_d_cancel(backward, trial):
    """Gradients that lie around 64: their weighted mean d is 64 too, and the result is what the subtraction leaves."""
    for dtype in trial.dtypes:
        for offset in (64.0, -500.0):
            trial.case(f"2 rows of 83, gradients around {offset:g}, {dtype}")
            y, _ = drawn(trial, 2, 83, dtype)
            agrees(trial, backward, y, trial.normal(2, 83, dtype=dtype, offset=offset))
        trial.case(f"one row a magnitude, {dtype}")
        y, g = drawn(trial, 4, 45, dtype)
        g[0], g[1] = g[0] / 1000, g[1] * 1000
        g[2:3] = trial.pattern("subnormals", 1, 45, dtype=dtype)
        g[3:4] = trial.pattern("large", 1, 45, dtype=dtype)
        agrees(trial, backward, y, g)


@check(points=1.5, hidden=True, trap=5)
def reads_every_pair_of_layouts_in_every_dtype(backward, trial):
    """Transposed, padded, every other column, a window, misaligned by one, stride 0 both ways, y and g apart; tall and flat."""
    every = (
        "contiguous",
        "transposed",
        "padded",
        "every_other",
        "sliced",
        "offset",
        "broadcast_rows",
        "broadcast_cols",
    )
    turn = 1 + trial.random.randrange(len(every) - 1)
    for dtype in trial.dtypes:
        for place, one in enumerate(every if dtype == torch.float32 else ("transposed", "padded")):
            other = every[(place + turn) % len(every)] if dtype == torch.float32 else "offset"
            columns, warps = trial.random.choice((2, 3, 7, 31, 32, 33, 61, 127, 251)), trial.random.choice((4, 8))
            trial.case(f"2 rows of {columns}, y {one}, g {other}, {dtype}, num_warps={warps}")
            y, g = drawn(trial, 2, columns, dtype)
            agrees(trial, backward, trial.layout(y, one), trial.layout(g, other), num_warps=warps)
    trial.case("23 rows of 2, y transposed")
    y, g = drawn(trial, 23, 2)
    agrees(trial, backward, trial.layout(y, "transposed"), g)
    trial.case("y and g two windows of one matrix")
    both = trial.normal(9, 80)
    agrees(trial, backward, both[1:7:2, 3:38], both[2:8:2, 40:75])


@check(points=1, hidden=True)
def covers_one_to_8192_columns(backward, trial):
    """The ends of the contract and both values of num_warps, a row at a time."""
    for columns, warps in ((1, 8), (1023, 8), (1025, 4), (8191, 4), (8192, 4), (8192, 8)):
        trial.case(f"1 row of {columns}, num_warps={warps}")
        agrees(trial, backward, *drawn(trial, 1, columns), num_warps=warps)
    trial.case("2 rows of 8191 columns, g transposed, float16")
    y, g = drawn(trial, 2, 8191, torch.float16)
    agrees(trial, backward, y, trial.layout(g, "transposed"))


@check(points=0.5, hidden=True)
def depends_on_each_row_alone(backward, trial):
    """Reordered rows give reordered results, bit for bit; strangers between the rows change nothing."""
    trial.case("3 rows of 53, and the same in another order")
    y, g = drawn(trial, 3, 53)
    agrees(trial, backward, y, g)
    order = [2, 0, 1]
    trial.same(
        trial.returns(backward, y[order], g[order]),
        trial.returns(backward, y, g)[order],
        called="backward(y[[2, 0, 1]], g[[2, 0, 1]]) and backward(y, g)[[2, 0, 1]]",
    )
    trial.case("3 rows of 29 with 11 strangers behind each")
    y, g = drawn(trial, 3, 40)
    other = y.clone()
    other[:, 29:] = 60.0
    trial.same(
        trial.returns(backward, y[:, :29], g[:, :29]),
        trial.returns(backward, other[:, :29], g[:, :29]),
        called="backward(y, g) of equal rows with other strangers behind them",
    )


@check(points=0.5, hidden=True)
def refuses_every_argument_outside_the_contract(backward, trial):
    """Kind, device, dtype, rank, shape, columns, autograd, warps, offset and count, of y and of g: each is refused by name."""
    y, g = drawn(trial, 2, 5)
    for value in (None, 3.0, "y"):
        trial.rejects(backward, value, g, names="y")
        trial.rejects(backward, y, value, names="g")
    for dtype in (torch.float64, torch.int32, torch.bool):
        trial.rejects(backward, y.to(dtype), g.to(dtype), names="y")
    for dtype in (torch.float64, torch.float16, torch.int32):
        trial.rejects(backward, y, g.to(dtype), names="g")
    for wrong_rank in (y[0, 0], y[0], y[None]):
        trial.rejects(backward, wrong_rank, wrong_rank, names="y", limit="2")
    trial.rejects(backward, y, g[0], names="g")
    for other in (g[:1], g[:, :1], g.t(), g[:, :4]):
        trial.rejects(backward, y, other, names="g")
    for columns in (0, 8193):
        for rows in (0, 1):
            trial.rejects(backward, y.new_zeros(rows, columns), y.new_zeros(rows, columns), names="y", limit="8192")
    for warps in (0, 1, 2, 16, -4, True, None, "4", 4.0):
        trial.rejects(backward, y, g, num_warps=warps, names="num_warps", limit="4 8")
    trial.rejects(backward, y.clone().requires_grad_(), g, names="y")
    trial.rejects(backward, y, g.clone().requires_grad_(), names="g")
    trial.rejects(backward, torch.empty(2, 5, device="meta"), g, names="y")
    if trial.device == "cuda":
        trial.rejects(backward, y.cpu(), g, names="y")
        trial.rejects(backward, y, g.cpu(), names="g")
    far = torch.empty(2**31 + 1, dtype=torch.float16, device=y.device)[:: 2**31, None]  # never written, no page touched
    near = y.half()[:, :1]
    trial.rejects(backward, far, near, names="y")
    trial.rejects(backward, near, far, names="g")
    wide = y.half()[:1, :1].expand(2**18, 8192)
    trial.rejects(backward, wide, wide, names="y")


@check(points=2, hidden=True, needs_gpu=True)
def runs_4096_rows_within_reach_of_the_taught_answer(backward, trial):
    """Full points up to 1.25 times the time of the supplied answer in the same run, half up to 2 times."""
    trial.case("4096 rows of 4096, float16")
    y = torch.softmax(trial.normal(4096, 4096), dim=1).half()
    trial.faster(backward, (y, trial.normal(4096, 4096, dtype=torch.float16)), full=1.25, half=2.0)
