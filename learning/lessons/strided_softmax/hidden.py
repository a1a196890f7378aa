"""The hidden checks of I1, 10 points: parity 8, benchmark 2. Shapes and values are drawn when the work is graded."""

import torch

from learning.judge import check
from learning.lessons.strided_softmax.reference import softmax_oracle, softmax_reference


@check(points=1, hidden=True, trap=3)
def gives_padded_lanes_no_share_of_the_sum(softmax, trial):
    """Rows that lie far below zero: padding of 0 would be the largest value of the row, and its sum almost all theirs."""
    for dtype in trial.dtypes:
        columns = 33 + trial.random.randrange(20)
        trial.case(f"2 rows of {columns} far below zero, {dtype}")
        x = trial.pattern("far_below_zero", 2, columns, dtype=dtype)
        trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle)


@check(points=1, hidden=True)
def stays_finite_at_every_magnitude(softmax, trial):
    """Rows of a thousandth, of 4 and 64 times, five higher, subnormal, of both zeros, and of 65504 beside -65504."""
    scales = ((1e-3, 0.0), (4.0, 0.0), (64.0, 0.0), (1.0, 5.0))
    for dtype in trial.dtypes:
        trial.case(f"one row a magnitude, {dtype}")
        rows = [trial.normal(1, 45, dtype=dtype, scale=scale, offset=offset) for scale, offset in scales]
        rows += [trial.pattern(kind, 1, 45, dtype=dtype) for kind in ("subnormals", "signed_zeros", "large")]
        x = torch.cat(rows)
        x[-1, 7], x[-1, 40] = 65504.0, -65504.0
        trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle)
        trial.case(f"2 rows of 45 times 4, {dtype}")
        x = trial.normal(2, 45, dtype=dtype, scale=4.0)
        trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle)


@check(points=0.5, hidden=True)
def follows_spikes_ramps_and_alternating_signs(softmax, trial):
    """One large element, a maximum that arrives last, two values only, signs that cancel, one value throughout."""
    kinds = ("spikes", "ramp", "ties", "alternating", "constant_rows")
    trial.case(f"one row of 70 each: {', '.join(kinds)}")
    x = torch.cat([trial.pattern(kind, 1, 70) for kind in kinds])
    trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle)
    for dtype in trial.dtypes[1:]:
        trial.case(f"1 row of 3001, one value four above small ones, {dtype}")
        x = trial.normal(1, 3001, dtype=dtype, scale=0.1)
        x[0, 1000] = 4.2
        trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle)


@check(points=1, hidden=True, trap=8)
def gives_equal_values_equal_shares(softmax, trial):
    """n equal values get 1/n each. A sum that was rounded to 16 bits on the way is a whole step off at these n."""
    for dtype, columns in ((torch.float32, 4098), (torch.float16, 4098), (torch.bfloat16, 514)):
        if dtype in trial.dtypes:
            trial.case(f"1 row of {columns} equal values, {dtype}")
            x = trial.normal(1, 1, dtype=dtype).expand(1, columns)
            exact = dtype != torch.float32
            trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle, exact=exact)


@check(points=1.5, hidden=True, trap=5)
def reads_every_layout_in_every_dtype(softmax, trial):
    """Transposed, padded, every other column, a window, misaligned by one, stride 0 both ways; tall and flat."""
    every = ("transposed", "padded", "every_other", "sliced", "offset", "broadcast_rows", "broadcast_cols")
    for dtype in trial.dtypes:
        for layout in every if dtype == torch.float32 else ("transposed", "padded", "offset"):
            columns = trial.random.choice((2, 3, 7, 31, 32, 33, 61, 127, 251))
            warps = trial.random.choice((4, 8))
            trial.case(f"2 rows of {columns}, {layout}, {dtype}, num_warps={warps}")
            x = trial.layout(trial.normal(2, columns, dtype=dtype), layout)
            trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle, num_warps=warps)
    trial.case("23 rows of 2, transposed")
    x = trial.layout(trial.normal(23, 2), "transposed")
    trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle)
    trial.case("a window of a transposed matrix")
    x = trial.distinct(40, 9).t()[2:7:2, 3:38:3]
    trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle)


@check(points=0.5, hidden=True)
def never_uses_what_lies_between_the_rows(softmax, trial):
    """The same rows with other neighbours: a result that moves was computed from memory that is not x."""
    trial.case("3 rows of 29 with 11 strangers behind each")
    buffer = trial.normal(3, 40)
    other = buffer.clone()
    other[:, 29:] = 60.0
    trial.parity(softmax, buffer[:, :29], reference=softmax_reference, oracle=softmax_oracle)
    trial.same(
        trial.returns(softmax, buffer[:, :29]),
        trial.returns(softmax, other[:, :29]),
        called="softmax(x) of equal rows with other strangers behind them",
    )


@check(points=0.5, hidden=True)
def depends_on_each_row_alone_and_not_on_its_level(softmax, trial):
    """Adding 16 to a row changes nothing; reordering the rows reorders the results, bit for bit."""
    trial.case("3 rows of 53 eighths, and the same plus 16")
    x = trial.integers(3, 53, low=-32, high=33) / 8
    x += x.new_tensor([[0.0], [2.0], [5.0]])
    trial.parity(softmax, x + 16, reference=softmax_reference, oracle=lambda shifted: softmax_oracle(shifted - 16))
    trial.case("the same rows in another order")
    order = [2, 0, 1]
    trial.same(
        trial.returns(softmax, x[order]),
        trial.returns(softmax, x)[order],
        called="softmax(x[[2, 0, 1]]) and softmax(x)[[2, 0, 1]]",
    )


@check(points=1, hidden=True)
def covers_one_to_8192_columns(softmax, trial):
    """The ends of the contract and both values of num_warps, a row at a time."""
    for columns, warps in ((1, 8), (1023, 8), (1025, 4), (8191, 4), (8192, 4), (8192, 8)):
        trial.case(f"1 row of {columns}, num_warps={warps}")
        x = trial.normal(1, columns)
        trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle, num_warps=warps)
    trial.case("2 rows of 8191 columns, transposed, float16")
    x = trial.layout(trial.normal(2, 8191, dtype=torch.float16), "transposed")
    trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle)


@check(points=1, hidden=True)
def refuses_every_argument_outside_the_contract(softmax, trial):
    """Kind, device, dtype, rank, columns, autograd, warps, offset and count: each is refused by name."""
    x = trial.normal(2, 5)
    for value in (None, 3.0, "x"):
        trial.rejects(softmax, value, names="x")
    for dtype in (torch.float64, torch.int32, torch.bool):
        trial.rejects(softmax, x.to(dtype), names="x")
    for wrong_rank in (x[0, 0], x[0], x[None]):
        trial.rejects(softmax, wrong_rank, names="x", limit="2")
    for columns in (0, 8193):
        for rows in (0, 1):
            trial.rejects(softmax, x.new_zeros(rows, columns), names="x", limit="8192")
    trial.rejects(softmax, x.new_zeros(1, 1).expand(2, 8193), names="x", limit="8192")
    for warps in (0, 1, 2, 16, -4, True, None, "4"):
        trial.rejects(softmax, x, num_warps=warps, names="num_warps", limit="4 8")
    trial.rejects(softmax, x.clone().requires_grad_(), names="x")
    trial.rejects(softmax, torch.empty(2, 5, device="meta"), names="x")
    if trial.device == "cuda":
        trial.rejects(softmax, x.cpu(), names="x")
    far = torch.empty(2**31 + 1, dtype=torch.float16, device=x.device)  # never written: no page of it is touched
    trial.rejects(softmax, far[:: 2**31, None], names="x")
    trial.rejects(softmax, x.half()[:1, :1].expand(2**18, 8192), names="x")


@check(points=2, hidden=True, needs_gpu=True)
def runs_a_transposed_matrix_within_reach_of_the_taught_answer(softmax, trial):
    """Full points up to 1.25 times the time of the supplied answer in the same run, half up to 2 times."""
    trial.case("4096 rows of 8192, transposed, float16")
    x = trial.layout(trial.normal(4096, 8192, dtype=torch.float16), "transposed")
    trial.faster(softmax, (x,), full=1.25, half=2.0)
