"""The checks of C3, all of them public: its own reference, values, reading, refusals, house rules, and a time that waits for a GPU."""

import torch

from learning.capstones.wide_softmax.given import MOST, agrees, eager_softmax, most_passes, states, true_softmax
from learning.judge import check


@check(points=1)
def states_the_reference_first(softmax_reference, trial):
    """Your own reference says in eager torch what is asked for: without one there is no kernel."""
    trial.case("rows of 1, 7 and 300, far below zero and far above")
    cases = [trial.normal(2, 1), trial.normal(3, 7, scale=4.0), trial.normal(2, 300, offset=-200.0)]
    states(
        trial, softmax_reference, [*cases, trial.normal(2, 300, dtype=torch.float16, scale=64.0), trial.normal(0, 5)]
    )


@check(points=2, trap=3)
def agrees_where_a_row_is_kept_whole(softmax, trial):
    """1 to 32768 columns: nothing is left to walk over, and most blocks have lanes without a column."""
    for dtype in trial.dtypes:
        for columns in (1, 1000 + trial.random.randrange(100), 4097):
            trial.case(f"2 rows of {columns}, {dtype}")
            agrees(trial, softmax, trial.normal(2, columns, dtype=dtype))
    trial.case("1 row of 32768")
    agrees(trial, softmax, trial.normal(1, 32768))
    trial.case("0 rows of 300")
    agrees(trial, softmax, trial.normal(0, 300))


@check(points=2)
def agrees_where_a_row_is_wider_than_what_is_kept(softmax, trial):
    """One column more than 32768, a last chunk that is nearly empty, 131072 columns: kept and walked over meet without a gap."""
    for columns in (32769, 40961 + trial.random.randrange(200)):
        trial.case(f"2 rows of {columns}")
        agrees(trial, softmax, trial.normal(2, columns))
    for dtype in trial.dtypes[1:]:
        trial.case(f"1 row of 65537, {dtype}")
        agrees(trial, softmax, trial.normal(1, 65537, dtype=dtype, scale=3.0))
    trial.case(f"1 row of {MOST}, float16")
    agrees(trial, softmax, trial.normal(1, MOST, dtype=torch.float16))
    if trial.device == "cuda":
        trial.case(f"300 rows of {MOST - 1}, float16")
        agrees(trial, softmax, trial.normal(300, MOST - 1, dtype=torch.float16))


@check(points=2)
def merges_what_is_kept_with_what_is_walked_over(softmax, trial):
    """The largest value stands in the first column, in the last, on either side of what is kept; chunks rise; all lie far below 0."""
    trial.case("4 rows of 45000, one high value each")
    x = trial.normal(4, 45000)
    for row, column in enumerate((0, 32767, 32768, 44999)):
        x[row, column] = 14.0 + row
    agrees(trial, softmax, x)
    trial.case("2 rows of 45000 that rise and fall")
    x = trial.normal(2, 45000, scale=0.1) + torch.linspace(0.0, 60.0, 45000, device=trial.torch_device)
    x[1] = x[1].flip(0)
    agrees(trial, softmax, x)
    trial.case("1 row of 33000, the columns from 32800 on 200 higher")
    x = trial.normal(1, 33000)
    x[:, 32800:] += 200.0
    agrees(trial, softmax, x)
    trial.case("1 row of 33000, the first 200 columns 200 higher")
    x = trial.normal(1, 33000)
    x[:, :200] += 200.0
    agrees(trial, softmax, x)
    trial.case("1 row of 33000 around -200")
    agrees(trial, softmax, trial.normal(1, 33000, offset=-200.0))
    trial.case("1 row of 700 around -40, float16")
    agrees(trial, softmax, trial.pattern("far_below_zero", 1, 700, dtype=torch.float16))


@check(points=3)
def asks_for_a_row_less_than_twice(softmax, trial):
    """Kernels ask for a row once up to 32768 columns, for 2 − 32768 / C rows beyond; sums stay in float32."""
    for rows, columns in ((2, 900), (2, 40960), (1, MOST)):
        trial.case(f"{rows} rows of {columns}, float16")
        x = trial.normal(rows, columns, dtype=torch.float16)
        seen = trial.structure(softmax, x, reference=eager_softmax, oracle=true_softmax)
        seen.passes(x=most_passes(columns), out=1, scratch=0.01, slack=0.005)
        seen.writes_once()
        seen.adds_in_float32()


@check(points=1)
def refuses_what_the_contract_excludes(softmax, trial):
    """TypeError or ValueError before anything is launched; the message names x and the limit."""
    x = trial.normal(2, 5)
    for value in (None, 3.0, [[1.0, 2.0]], x.double(), x.int(), x.clone().requires_grad_()):
        trial.rejects(softmax, value, names="x")
    trial.rejects(softmax, torch.empty(2, 5, device="meta"), names="x")
    for wrong_rank in (x[0, 0], x[0], x[None]):
        trial.rejects(softmax, wrong_rank, names="x", limit="2")
    for columns in (0, MOST + 1):
        trial.rejects(softmax, x.new_zeros(1, columns), names="x", limit="131072")
    for lying in (x.t(), x[:, ::2], x[:, :4], x[:1].expand(2, 5)):
        trial.rejects(softmax, lying, names="x", limit="contiguous")
    many = torch.empty(2**14 + 1, MOST, dtype=torch.float16, device=x.device)  # never written: no page of it is touched
    trial.rejects(softmax, many, names="x")


@check(points=1)
def keeps_the_house_rules(softmax, trial):
    """Kernels of your own do the work: PyTorch makes the tensors that hold it."""
    trial.house_rules(softmax, trial.normal(2, 5))


@check(points=3, needs_gpu=True)
def beats_the_best_two_pass_kernel(softmax, trial):
    """1024 rows of 131072 in float16: less time than `two_passes` in the same run."""
    trial.case("1024 rows of 131072, float16")
    trial.faster(softmax, (trial.normal(1024, MOST, dtype=torch.float16),), anchor="two_passes", full=1.0, half=1.0)
