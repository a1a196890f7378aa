"""The public checks of A2, 6 points: parity 4, structure 1, house rules 1. Each is one cell; its name says what to make true."""

import torch

from learning.judge import check
from learning.lessons.split_softmax.reference import agrees, softmax_oracle, softmax_reference


@check(points=1)
def agrees_with_eager_softmax_at_the_edges_of_a_chunk(softmax, trial):
    """One column, exactly one chunk, one column more, three chunks; the chunk size named and not."""
    trial.case("2 rows of 1, chunks as they come")
    agrees(trial, softmax, trial.normal(2, 1))
    for rows, columns in ((2, 256), (2, 257), (1, 600)):
        trial.case(f"{rows} rows of {columns}, chunks of 256")
        agrees(trial, softmax, trial.normal(rows, columns), chunk_size=256)
    for dtype in trial.dtypes[1:]:
        trial.case(f"2 rows of 257, chunks of 256, {dtype}")
        agrees(trial, softmax, trial.normal(2, 257, dtype=dtype), chunk_size=256)


@check(points=1)
def merges_chunks_of_different_maxima(softmax, trial):
    """The largest value stands in the first chunk, in the middle, in the last, alone; chunks lie 20 apart; each rises above the
    one before."""
    trial.case("3 rows of 513, one high value each, chunks of 256")
    x = trial.normal(3, 513)
    for row, column in enumerate((5, 300, 512)):
        x[row, column] = 14.0 + row
    agrees(trial, softmax, x, chunk_size=256)
    trial.case("2 rows of 700, chunks of 256 that lie apart")
    x = trial.normal(2, 700)
    for row, levels in enumerate(((6.0, 0.0, 3.0), (-20.0, 0.0, -40.0))):
        for chunk, level in enumerate(levels):
            x[row, chunk * 256 : chunk * 256 + 256] += level
    agrees(trial, softmax, x, chunk_size=256)
    for dtype in trial.dtypes:
        trial.case(f"1 row of 600 that rises, chunks of 256, {dtype}")
        agrees(trial, softmax, trial.pattern("ramp", 1, 600, dtype=dtype), chunk_size=256)


@check(points=0.5)
def keeps_two_calls_apart(softmax, trial):
    """Between the kernels of one call another call of the same shape runs from its beginning to its end: both keep their
    results."""
    trial.case("2 rows of 300, and 2 others of 300 in between")
    x = trial.normal(2, 300)
    agrees(trial, softmax, x, chunk_size=256)
    trial.interleaved(softmax, (x,), (trial.normal(2, 300, scale=3.0, offset=2.0),), chunk_size=256)


@check(points=0.5)
def returns_an_empty_tensor_for_zero_rows(softmax, trial):
    """No rows, no programs: an empty tensor of the same shape and dtype, and no error."""
    for dtype in trial.dtypes:
        trial.case(f"0 rows of 300, {dtype}")
        agrees(trial, softmax, trial.normal(0, 300, dtype=dtype))


@check(points=1)
def refuses_what_the_contract_excludes(softmax, trial):
    """TypeError or ValueError before anything is launched; the message names the argument and the limit."""
    x = trial.normal(2, 5)
    trial.rejects(softmax, [[1.0, 2.0]], names="x")
    trial.rejects(softmax, x.double(), names="x")
    trial.rejects(softmax, x[0], names="x", limit="2")
    trial.rejects(softmax, x.t(), names="x", limit="contiguous")
    trial.rejects(softmax, x[:, :0], names="x", limit="131072")
    trial.rejects(softmax, x.new_zeros(1, 131073), names="x", limit="131072")
    for size in (512, 0):
        trial.rejects(softmax, x, chunk_size=size, names="chunk_size", limit="256 1024 4096")


@check(points=1)
def walks_over_x_twice_and_hands_on_little_else(softmax, trial):
    """x is requested twice at most and the result stored once; states are small beside it, and sums stay in float32."""
    trial.case("2 rows of 1030, chunks of 256, float16")
    x = trial.normal(2, 1030, dtype=torch.float16)
    seen = trial.structure(softmax, x, reference=softmax_reference, oracle=softmax_oracle, chunk_size=256)
    seen.passes(x=2, out=1, scratch=0.2)
    seen.writes_once()
    seen.adds_in_float32()
    trial.case("2 rows of 300, chunks of 256, below and above the padding")
    x = trial.normal(2, 300)
    seen = trial.structure(softmax, x, reference=softmax_reference, oracle=softmax_oracle, chunk_size=256)
    seen.padding_never_matters()


@check(points=1)
def keeps_the_house_rules(softmax, trial):
    """Kernels of your own find the maxima, the sums and the quotients: PyTorch makes the tensors that hold them."""
    trial.house_rules(softmax, trial.normal(2, 5))
