"""The hidden checks of L2: the same contract at shapes, strides and values drawn when the work is graded."""

import torch

from learning.judge import check
from learning.lessons.strided_copy.reference import materialise_reference


@check(points=2, hidden=True)
def copies_shapes_it_has_never_seen(materialise, trial):
    """One row, one column, primes, tall and flat, packed and not; on a GPU more tiles side by side than a grid's second axis takes."""
    trial.case("which shapes")
    long = trial.random.choice((71, 83, 97))
    prime = trial.random.choice((61, 67, 71, 73))
    wide = 64 * trial.random.randrange(2, 4) + trial.random.randrange(1, 64)
    crooked = trial.random.choice(("every_other", "transposed", "padded"))
    cases = [(1, long, "every_other"), (1, long, "transposed"), (long, 1, "every_other"), (long, 1, "transposed")]
    cases += [
        (prime, prime, crooked),
        (97, 3, "contiguous"),
        (2, wide, crooked),
        (64, 128, "transposed"),
        (1, 1, "sliced"),
    ]
    for rows, columns, layout in cases:
        trial.case(f"{rows} rows of {columns}, {layout}")
        x = trial.layout(trial.distinct(rows, columns), layout)
        trial.parity(materialise, x, reference=materialise_reference, exact="bits")
    if trial.device == "cuda":
        for rows, columns in ((1, 2**22 + trial.random.randrange(1, 900)), (2**22 + 77, 1), (1777, 3001)):
            trial.case(f"{rows} rows of {columns}, transposed, float16")
            x = trial.layout(trial.normal(rows, columns, dtype=torch.float16), "transposed")
            trial.parity(materialise, x, reference=materialise_reference, exact="bits")


@check(points=2, hidden=True)
def copies_views_that_start_anywhere(materialise, trial):
    """A view that begins inside its storage, one element late or in the middle of a row, at an address no wide load may use."""
    for dtype in trial.dtypes:
        trial.case(f"16 columns, one element late, {dtype}")
        rows = 3 + trial.random.randrange(30)
        x = trial.layout(trial.distinct(rows, 16, dtype=dtype), "offset")
        trial.parity(materialise, x, reference=materialise_reference, exact="bits")
    trial.case("a window of a packed matrix")
    top, left = trial.random.randrange(1, 9), trial.random.randrange(1, 9)
    whole = trial.distinct(60, 50)
    trial.parity(materialise, whole[top : top + 40, left : left + 33], reference=materialise_reference, exact="bits")
    trial.case("a window of a transposed matrix, one element late")
    x = trial.layout(trial.distinct(48, 64), "offset").t()[top:, left : left + 32]
    trial.parity(materialise, x, reference=materialise_reference, exact="bits")


@check(points=2, hidden=True)
def keeps_every_bit_in_every_dtype(materialise, trial):
    """Both zeros, subnormals, the largest numbers, and values that need every bit of their type: a copy rounds nothing."""
    for dtype in trial.dtypes:
        trial.case(f"all of them, transposed, {dtype}")
        info = torch.finfo(dtype)
        step = info.smallest_normal * info.eps
        edges = [0.0, -0.0, step, -step, info.smallest_normal, 65504.0, -65504.0, info.max, info.min, 1 + info.eps]
        rows = [torch.tensor(edges, dtype=dtype).repeat(3), trial.distinct(30, dtype=dtype).cpu()]
        rows += [trial.pattern(kind, 30, dtype=dtype).cpu() for kind in ("signed_zeros", "subnormals", "large")]
        rows += [trial.normal(30, dtype=dtype, scale=scale).cpu() for scale in (1e-3, 1.0, 64.0)]
        x = torch.stack(rows, dim=1).to(trial.torch_device)
        trial.parity(materialise, x, reference=materialise_reference, exact="bits")
        trial.parity(materialise, x.t(), reference=materialise_reference, exact="bits")


@check(points=2, hidden=True, trap=5)
def follows_any_two_strides(materialise, trial):
    """Neither stride is 1, either may be the larger, both may be equal, and windows may overlap."""
    trial.case("which strides")
    pairs = [(1, 1), (2, 3), (3, 2), (0, 3), (5, 0), (1, 7), (40, 2), (2, 90), (6, 6)]
    pairs.append((trial.random.randrange(2, 50), trial.random.randrange(2, 50)))
    for row_stride, col_stride in pairs:
        trial.case(f"9 rows of 14 with strides ({row_stride}, {col_stride})")
        storage = trial.distinct(8 * row_stride + 13 * col_stride + 1)
        x = storage.as_strided((9, 14), (row_stride, col_stride))
        trial.parity(materialise, x, reference=materialise_reference, exact="bits")
    trial.case("every third column of every second row of a transposed matrix")
    x = trial.distinct(40, 90).t()[1::2, 2::3]
    trial.parity(materialise, x, reference=materialise_reference, exact="bits")


@check(points=2, hidden=True, needs_gpu=True)
def runs_a_transposed_matrix_within_a_quarter_of_our_time(materialise, trial):
    """Full points up to 1.25 times the time of the supplied answer in the same run, half up to 2 times."""
    trial.case("8192 rows of 8192, transposed, float16")
    x = trial.layout(trial.normal(8192, 8192, dtype=torch.float16), "transposed")
    trial.faster(materialise, (x,), full=1.25, half=2.0)
