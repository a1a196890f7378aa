"""The hidden checks of L3a: the same contract at shapes and values drawn when the work is graded."""

import torch

from learning.judge import check
from learning.lessons.softmax.reference import softmax_oracle, softmax_reference


@check(points=2, hidden=True)
def covers_one_to_8192_columns_and_any_number_of_rows(softmax, trial):
    """The ends of the contract, primes, tall and flat; on a GPU more rows than the second axis of a grid takes."""
    trial.case("which shapes")
    prime = trial.random.choice((509, 1021, 2039, 4093))
    shapes = [(1, 1), (2, 2), (trial.random.randrange(60, 120), 3), (2, prime), (1, 4097), (1, 8191), (2, 8192)]
    if trial.device == "cuda":
        shapes += [(65536 + trial.random.randrange(1, 900), 5), (3000, 1000), (777, 8192)]
    for rows, columns in shapes:
        trial.case(f"{rows} rows of {columns}")
        trial.parity(softmax, trial.normal(rows, columns), reference=softmax_reference, oracle=softmax_oracle)
    for dtype in trial.dtypes[1:]:
        trial.case(f"2 rows of 8191, {dtype}")
        trial.parity(softmax, trial.normal(2, 8191, dtype=dtype), reference=softmax_reference, oracle=softmax_oracle)


@check(points=2, hidden=True)
def stays_right_at_every_magnitude_in_every_dtype(softmax, trial):
    """Rows times a thousandth, 4 and 64, five higher, far below zero, subnormal, of both zeros, at the dtype's ends."""
    scales = ((1e-3, 0.0), (4.0, 0.0), (64.0, 0.0), (1.0, 5.0))
    for dtype in trial.dtypes:
        trial.case(f"one row a magnitude, {dtype}")
        columns = 33 + trial.random.randrange(20)
        rows = [trial.normal(1, columns, dtype=dtype, scale=scale, offset=offset) for scale, offset in scales]
        kinds = ("far_below_zero", "subnormals", "signed_zeros", "large")
        rows += [trial.pattern(kind, 1, columns, dtype=dtype) for kind in kinds]
        x = torch.cat(rows)
        x[-1, 7], x[-1, 30] = 65504.0, -65504.0
        trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle)
        trial.case(f"a row of -65504 alone, {dtype}")
        x = torch.full_like(x[:1], -65504.0)
        trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle)
        trial.case(f"2 rows of {columns} times 4, {dtype}")
        x = trial.normal(2, columns, dtype=dtype, scale=4.0)
        trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle)


@check(points=1.5, hidden=True)
def follows_spikes_ramps_ties_and_alternating_signs(softmax, trial):
    """One large element, a maximum that arrives last, two values only, signs that cancel, one value throughout."""
    kinds = ("spikes", "ramp", "ties", "alternating", "constant_rows")
    for columns in (2, 70):
        trial.case(f"one row of {columns} each: {', '.join(kinds)}")
        x = torch.cat([trial.pattern(kind, 1, columns) for kind in kinds])
        trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle)
    trial.case("one number of 100 in each of 4 rows, elsewhere 0")
    x = torch.zeros_like(trial.normal(4, 100))
    for row in range(4):
        x[row, trial.random.randrange(100)] = 100.0
    trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle)


@check(points=1, hidden=True, trap=8)
def gives_equal_values_equal_shares(softmax, trial):
    """n equal values get 1/n each. A sum that was rounded to 16 bits on the way is a whole step off at these n."""
    for dtype, columns in ((torch.float32, 4098), (torch.float16, 4098), (torch.bfloat16, 514)):
        if dtype in trial.dtypes:
            trial.case(f"1 row of {columns} equal values, {dtype}")
            x = trial.normal(1, 1, dtype=dtype).expand(1, columns).contiguous()
            exact = dtype != torch.float32
            trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle, exact=exact)


@check(points=1.5, hidden=True)
def depends_on_each_row_alone_and_not_on_its_level(softmax, trial):
    """Adding a number to a row changes nothing; reordering the rows reorders the results, bit for bit."""
    trial.case("4 rows of 53 eighths, and the same plus 16")
    x = trial.integers(4, 53, low=-32, high=33) / 8
    trial.parity(softmax, x + 16, reference=softmax_reference, oracle=lambda shifted: softmax_oracle(shifted - 16))
    # eighths below 64 are exact in float32, so both calls see the very same differences
    trial.same(
        trial.returns(softmax, x + 16),
        trial.returns(softmax, x),
        called="softmax(x + 16) and softmax(x)",
        where="rows of whole eighths, whose differences float32 holds exactly",
    )
    trial.case("rows of three levels in another order")
    x = trial.normal(4, 53) + trial.normal(1, 1).new_tensor([[0.0], [30.0], [-200.0], [5.0]])
    order = trial.random.sample(range(4), 4)
    trial.same(
        trial.returns(softmax, x[order].contiguous()),
        trial.returns(softmax, x)[order],
        called=f"softmax(x[{order}]) and softmax(x)[{order}]",
    )
    trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle)


@check(points=2, hidden=True, needs_gpu=True)
def runs_within_a_quarter_of_our_time(softmax, trial):
    """Full points up to 1.25 times the time of the supplied answer in the same run, half up to 2 times."""
    trial.case("8192 rows of 8192, float16")
    trial.faster(softmax, (trial.normal(8192, 8192, dtype=torch.float16),), full=1.25, half=2.0)
