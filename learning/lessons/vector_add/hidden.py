"""The hidden checks of L1: the same contract at lengths, addresses and values drawn when the work is graded."""

import torch

from learning.judge import check
from learning.lessons.vector_add.reference import add_reference


@check(points=2, hidden=True)
def adds_lengths_it_has_never_seen(add, trial):
    """Primes, whole numbers of tiles, and a length of almost a hundred tiles with a ragged end."""
    trial.case("which lengths")
    tiles = trial.random.randrange(3, 9)
    ragged = 98304 + trial.random.randrange(1, 512)
    lengths = [
        trial.random.choice((2, 3, 7, 31, 127)),
        trial.random.choice((1021, 2039, 4093, 8191)),
        tiles * 1024,
        ragged,
    ]
    if trial.device == "cuda":
        lengths.append(2**20 + trial.random.randrange(1, 1000))
    for length in lengths:
        trial.case(f"{length} elements")
        trial.parity(add, trial.normal(length), trial.normal(length), reference=add_reference)


@check(points=2, hidden=True)
def adds_tensors_that_start_one_element_late(add, trial):
    """A view that begins inside its storage starts at an address that no wide load may use."""
    for dtype in trial.dtypes:
        trial.case(f"x from its second element on, {dtype}")
        length = 16 * trial.random.randrange(20, 60)
        x, y = trial.normal(length, dtype=dtype), trial.normal(length, dtype=dtype)
        trial.parity(add, trial.layout(x, "offset"), y, reference=add_reference)
    trial.case("both from their second element on")
    x, y = trial.normal(1500), trial.normal(1500)
    trial.parity(add, trial.layout(x, "offset"), trial.layout(y, "offset"), reference=add_reference)


@check(points=2, hidden=True, trap=8)
def keeps_tiny_huge_and_shifted_values(add, trial):
    """A thousandth, 64 times, an offset of 5, float16's largest number, subnormals and both zeros, in one tensor."""
    for dtype in trial.dtypes:
        trial.case(f"all of them in {dtype}")
        tiny = torch.finfo(dtype).smallest_normal
        ends = torch.tensor([65504.0, -65504.0, 32752.0, tiny, tiny / 4, -tiny / 2, 0.0, -0.0, 1.0], dtype=dtype)
        small = torch.tensor([0.0, -0.0, tiny / 4, -tiny, 8.0], dtype=dtype)
        scales = ((1e-3, 0.0), (64.0, 0.0), (1.0, 5.0))
        x, y = (
            [trial.normal(250, dtype=dtype, scale=scale, offset=offset) for scale, offset in scales] for _ in range(2)
        )
        x = torch.cat([*x, ends.repeat_interleave(5).to(x[0].device)])
        y = torch.cat([*y, small.repeat(9).to(y[0].device)])
        trial.parity(add, x, y, reference=add_reference, exact=True)


@check(points=2, hidden=True)
def pairs_each_index_with_its_own_partner(add, trial):
    """Whole numbers, every one different, leave no room for a rounding excuse: the sums are equal or wrong."""
    trial.case("distinct whole numbers")
    length = 2048 + trial.random.randrange(1, 1024)
    trial.parity(add, trial.distinct(length), trial.distinct(length), reference=add_reference, exact=True)
    trial.case("overlapping views of one tensor")
    storage = trial.distinct(length + 1)
    trial.parity(add, storage[:-1], storage[1:], reference=add_reference, exact=True)


@check(points=2, hidden=True, needs_gpu=True)
def runs_within_a_quarter_of_our_time(add, trial):
    """Full points up to 1.25 times the time of the supplied answer in the same run, half up to 2 times."""
    trial.case("16 Mi float32")
    trial.faster(add, (trial.normal(2**24), trial.normal(2**24)), full=1.25, half=2.0)
