"""The hidden checks of A2, 10 points: parity 8, benchmark 2. Shapes and values are drawn when the work is graded."""

import torch

from learning.judge import check
from learning.lessons.split_softmax.reference import agrees


@check(points=1, hidden=True, trap=3)
def gives_padded_lanes_no_share_of_the_sum(softmax, trial):
    """Rows far below zero whose last chunk is nearly empty, and rows of a number of chunks that is no power of two: neither a lane
    without a column nor a lane without a chunk joins in."""
    for dtype in trial.dtypes:
        columns = 513 + trial.random.randrange(15)
        trial.case(f"1 row of {columns} around -40, chunks of 256, {dtype}")
        agrees(trial, softmax, trial.pattern("far_below_zero", 1, columns, dtype=dtype), chunk_size=256)
    trial.case("2 rows of 700 around -200, chunks of 256")
    agrees(trial, softmax, trial.normal(2, 700, offset=-200.0), chunk_size=256)


@check(points=1, hidden=True)
def stays_finite_at_every_magnitude(softmax, trial):
    """Rows of a thousandth, of 4 and 64 times, five higher, subnormal, of both zeros, and of 65504 in one chunk and -65504 in the
    other."""
    for dtype in trial.dtypes:
        scales = ((1e-3, 0.0), (4.0, 0.0), (64.0, 0.0), (1.0, 5.0)) if dtype == torch.float32 else ((64.0, 0.0),)
        trial.case(f"one row of 300 a magnitude, chunks of 256, {dtype}")
        rows = [trial.normal(1, 300, dtype=dtype, scale=scale, offset=offset) for scale, offset in scales]
        rows += [trial.pattern(kind, 1, 300, dtype=dtype) for kind in ("subnormals", "signed_zeros", "large")]
        x = torch.cat(rows)
        x[-1, 7], x[-1, 290] = 65504.0, -65504.0
        agrees(trial, softmax, x, chunk_size=256)
        trial.case(f"1 row of 300, the second chunk 200 higher, {dtype}")
        x = trial.normal(1, 300, dtype=dtype)
        x[:, 256:] += 200.0
        agrees(trial, softmax, x, chunk_size=256)


@check(points=1, hidden=True, trap=8)
def gives_equal_values_equal_shares(softmax, trial):
    """n equal values get 1/n each. A sum that was rounded to 16 bits within a chunk, in memory or in the merge is a whole step off
    at these n."""
    counts = {torch.float16: ((4098, 256), (2049, 4096)), torch.bfloat16: ((514, 256),)}
    for dtype in trial.dtypes[1:]:
        for columns, size in counts[dtype]:
            trial.case(f"1 row of {columns} equal values, chunks of {size}, {dtype}")
            x = trial.normal(1, 1, dtype=dtype).repeat(1, columns)
            agrees(trial, softmax, x, chunk_size=size, exact=True)


@check(points=1.5, hidden=True)
def splits_every_way_to_one_result(softmax, trial):
    """Spikes, ramps up and down, alternating signs: three chunk sizes, one result."""
    columns = 1030 + trial.random.randrange(200)
    for kind in ("spikes", "ramp", "alternating"):
        for size in (256, 1024, 4096):
            trial.case(f"1 row of {columns}, {kind}, chunks of {size}")
            x = trial.pattern(kind, 1, columns)
            agrees(trial, softmax, x, chunk_size=size)
    trial.case("1 row that falls, chunks of 256")
    agrees(trial, softmax, trial.pattern("ramp", 1, columns).flip(1), chunk_size=256)
    for dtype in trial.dtypes[1:]:
        trial.case(f"1 row of {columns}, one value four above small ones, chunks of 1024, {dtype}")
        x = trial.normal(1, columns, dtype=dtype, scale=0.1)
        x[0, columns - 1] = 4.2
        agrees(trial, softmax, x, chunk_size=1024)


@check(points=0.5, hidden=True)
def depends_on_each_row_alone(softmax, trial):
    """Reordering the rows reorders the results, bit for bit; what is added to a whole row changes nothing."""
    trial.case("3 rows of 300, chunks of 256, and the same in another order")
    x = trial.integers(3, 300, low=-32, high=33) / 8
    x += x.new_tensor([[0.0], [2.0], [-7.0]])
    agrees(trial, softmax, x, chunk_size=256)
    order = [2, 0, 1]
    trial.same(
        trial.returns(softmax, x[order], chunk_size=256),
        trial.returns(softmax, x, chunk_size=256)[order],
        called="softmax(x[[2, 0, 1]]) and softmax(x)[[2, 0, 1]]",
    )
    trial.case("the same and 16 more")
    agrees(trial, softmax, x + 16, chunk_size=256)


@check(points=1.5, hidden=True)
def covers_one_to_131072_columns(softmax, trial):
    """The ends of the contract; a last chunk of one column at every chunk size; the most chunks there can be."""
    cases = [(4097, 4096), (4353, 256), (131072, 4096)]
    if trial.device == "cuda":
        cases += [(1, 4096), (1025, 1024), (131072, 1024), (131072, 256), (130817, 256), (131071, 4096)]
    for columns, size in cases:
        trial.case(f"1 row of {columns}, chunks of {size}")
        agrees(trial, softmax, trial.normal(1, columns), chunk_size=size)
    trial.case("1 row of 20481, chunks of 4096, float16")
    agrees(trial, softmax, trial.normal(1, 20481, dtype=torch.float16), chunk_size=4096)
    trial.case("9 rows of 3")
    agrees(trial, softmax, trial.normal(9, 3))


@check(points=1, hidden=True)
def keeps_calls_of_any_shape_apart(softmax, trial):
    """Two calls whose kernels alternate: wider, narrower, with more rows and fewer, of another dtype, on a second stream."""
    for one, other in (((2, 300), (2, 600)), ((3, 260), (1, 260)), ((2, 257), (0, 257))):
        trial.case(f"{one[0]} rows of {one[1]}, and {other[0]} of {other[1]} in between")
        x, between = trial.normal(*one), trial.normal(*other, scale=4.0, offset=-3.0)
        agrees(trial, softmax, x, chunk_size=256)
        trial.interleaved(softmax, (x,), (between,), chunk_size=256)
    trial.case("2 rows of 300, and 2 of 300 in float16 in between")
    x = trial.normal(2, 300)
    if trial.gradable(torch.float16):
        trial.interleaved(softmax, (x,), (trial.normal(2, 300, dtype=torch.float16, offset=5.0),), chunk_size=256)


@check(points=0.5, hidden=True)
def refuses_every_argument_outside_the_contract(softmax, trial):
    """Kind, device, dtype, rank, columns, layout, autograd, chunk size and count: each is refused by name."""
    x = trial.normal(2, 5)
    for value in (None, 3.0, "x"):
        trial.rejects(softmax, value, names="x")
    for dtype in (torch.float64, torch.int32, torch.bool):
        trial.rejects(softmax, x.to(dtype), names="x")
    for wrong_rank in (x[0, 0], x[0], x[None]):
        trial.rejects(softmax, wrong_rank, names="x", limit="2")
    for columns in (0, 131073):
        for rows in (0, 1):
            trial.rejects(softmax, x.new_zeros(rows, columns), names="x", limit="131072")
    for lying in (x.t(), x[:, ::2], x[:, :4], x[:1].expand(2, 5), x[:, :1].expand(2, 5)):
        trial.rejects(softmax, lying, names="x", limit="contiguous")
    for size in (0, 1, 128, 255, 512, 2048, 8192, -256, True, None, "256", 256.0, (256,)):
        trial.rejects(softmax, x, chunk_size=size, names="chunk_size", limit="256 1024 4096")
    trial.rejects(softmax, x.clone().requires_grad_(), names="x")
    trial.rejects(softmax, torch.empty(2, 5, device="meta"), names="x")
    if trial.device == "cuda":
        trial.rejects(softmax, x.cpu(), names="x")
    many = torch.empty(
        2**14 + 1, 131072, dtype=torch.float16, device=x.device
    )  # never written: no page of it is touched
    trial.rejects(softmax, many, names="x")


@check(points=2, hidden=True, needs_gpu=True)
def runs_wide_rows_within_reach_of_the_taught_answer(softmax, trial):
    """Full points up to 1.25 times the time of the supplied answer in the same run, half up to 2 times."""
    trial.case("256 rows of 131072, float16")
    trial.faster(softmax, (trial.normal(256, 131072, dtype=torch.float16),), full=1.25, half=2.0)
