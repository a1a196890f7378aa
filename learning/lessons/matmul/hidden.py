"""The hidden checks of L4: the same contract at shapes and values drawn when the work is graded."""

import torch

from learning.judge import check
from learning.lessons.matmul.reference import agrees, drawn


@check(points=2, hidden=True)
def multiplies_shapes_it_has_never_seen(matmul, trial):
    """A row times a column, an outer product, tall, flat and deep; on a GPU more tiles than a grid's second axis takes."""
    trial.case("which shapes")
    prime = trial.random.choice((67, 71, 79, 97, 101))
    some = trial.random.randrange(129, 200)
    shapes = [(1, prime, 1), (prime, 1, some), (some, 5, 2), (3, 307, 2), (129, some % 32 + 3, 64)]
    if trial.device == "cuda":
        shapes += [(1, 1, 64 * 65536 + some), (64 * 65536 + some, 1, 1), (1000 + some, 1500, 900 + prime)]
    for rows, inner, columns in shapes:
        trial.case(f"[{rows}, {inner}] times [{inner}, {columns}]")
        agrees(trial, matmul, *drawn(trial, rows, inner, columns))
    prime = trial.random.choice((29, 31, 37, 41, 43))
    for dtype in trial.dtypes[1:]:
        trial.case(f"[33, {prime}] times [{prime}, 66], {dtype}")
        agrees(trial, matmul, *drawn(trial, 33, prime, 66, dtype=dtype))


@check(points=2, hidden=True, trap=8)
def stays_right_at_every_magnitude_in_every_dtype(matmul, trial):
    """Thousandths, hundreds, rows that cancel, one value throughout, subnormals, both zeros, ±65504, results past the end."""
    kinds = ("constant_rows", "alternating", "spikes", "signed_zeros", "large")
    for dtype in trial.dtypes:
        inner = 40 + trial.random.randrange(30)
        trial.case(f"one row each: {', '.join(kinds)}, thousandths, hundreds; {dtype}")
        rows = [trial.pattern(kind, 1, inner, dtype=dtype) for kind in kinds]
        rows += [trial.normal(1, inner, dtype=dtype, scale=scale) for scale in (1e-3, 300.0)]
        a, b = torch.cat(rows), trial.normal(inner, 33, dtype=dtype)
        b[:, 7] = 1.0
        agrees(trial, matmul, a, b)
        if dtype != torch.bfloat16:  # tensor cores may round its subnormals away, and so may eager
            trial.case(f"3 rows of subnormals, {dtype}")
            a = trial.pattern("subnormals", 3, inner, dtype=dtype)
            agrees(trial, matmul, a, trial.normal(inner, 33, dtype=dtype))
    if torch.float16 in trial.dtypes:
        trial.case("float16 results beyond 65504")
        a, b = trial.normal(4, 50, dtype=torch.float16, offset=200.0), trial.normal(50, 9, dtype=torch.float16)
        b *= b.new_tensor([1.0, 3.0, 100.0, -100.0, 9.0, 0.0, 50.0, -7.0, 20.0])
        agrees(trial, matmul, a, b)


@check(points=2, hidden=True)
def pairs_every_row_with_every_column(matmul, trial):
    """Small whole numbers leave no room for a rounding excuse; a matrix that only moves rows hands on every bit of the other."""
    size = trial.random.randrange(65, 80)
    trial.case(f"whole numbers, [{size}, {size}] twice")
    a, b = trial.integers(size, size), trial.integers(size, size)
    agrees(trial, matmul, a, b, exact=True)
    size = trial.random.randrange(17, 32)
    for dtype in trial.dtypes:
        trial.case(f"a matrix that reorders {size} rows of 70, {dtype}")
        order = trial.random.sample(range(size), size)
        mover = torch.zeros_like(trial.normal(size, size, dtype=dtype))
        mover[range(size), order] = 1.0
        agrees(trial, matmul, mover, trial.distinct(size, 70, dtype=dtype), exact=True)


@check(points=2, hidden=True)
def reads_matrices_that_start_anywhere(matmul, trial):
    """A view may start one element into its storage: at an address that no wide load may use, and no descriptor can name."""
    for dtype in trial.dtypes:
        inner, columns = 16 * trial.random.randrange(1, 3), 16 * trial.random.randrange(4, 6)
        trial.case(f"both from their second element on, [34, {inner}] times [{inner}, {columns}], {dtype}")
        a, b = drawn(trial, 34, inner, columns, dtype=dtype)
        agrees(trial, matmul, trial.layout(a, "offset"), trial.layout(b, "offset"))
    trial.case("only b from its second element on")
    a, b = drawn(trial, 16, 32, 64)
    agrees(trial, matmul, a, trial.layout(b, "offset"))


@check(points=2, hidden=True, needs_gpu=True)
def runs_within_a_quarter_of_our_time(matmul, trial):
    """Full points up to 1.25 times the time of the supplied answer in the same run, half up to 2 times."""
    trial.case("[4096, 4096] times [4096, 4096], float16")
    trial.faster(matmul, drawn(trial, 4096, 4096, 4096, dtype=torch.float16), full=1.25, half=2.0)
