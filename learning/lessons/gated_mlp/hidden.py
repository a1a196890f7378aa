"""The hidden checks of L5: the same contract at shapes, strides and values drawn when the work is graded."""

import torch

from learning.judge import check
from learning.lessons.gated_mlp.reference import agrees, drawn


@check(points=2, hidden=True)
def gates_shapes_it_has_never_seen(gated_mlp, trial):
    """One token, one output, a single column, primes, deep and shallow; on a GPU more tiles than a second axis takes."""
    trial.case("which shapes")
    prime = trial.random.choice((37, 41, 43, 67, 71))
    some = trial.random.randrange(97, 130)
    shapes = [(1, some, prime), (prime, 2, 1), (2, 1, some), (some, 3, 5), (3, 515, 2), (34, prime, 34)]
    if trial.device == "cuda":
        shapes += [(1, 1, 32 * 65536 + some), (32 * 65536 + some, 1, 1), (200 + some, 1000, 500 + prime)]
    for rows, inner, outer in shapes:
        trial.case(f"x [{rows}, {inner}], weights [{outer}, {inner}]")
        given = drawn(trial, rows, inner, outer, scale=2.0)
        agrees(trial, gated_mlp, *given)
    for dtype in trial.dtypes[1:]:
        trial.case(f"x [{prime}, {some}], weights [50, {some}], {dtype}")
        agrees(trial, gated_mlp, *drawn(trial, prime, some, 50, dtype=dtype, scale=2.0))


@check(points=2, hidden=True, trap=14)
def follows_gates_of_every_size_and_sign(gated_mlp, trial):
    """Gates from −300 to 300 and 0: no NaN where an exponential overflows; zeros of both signs, spikes, hundreds, thousandths."""
    for dtype in trial.dtypes:
        for gates in ((-300.0, -120.0, -90.0, -40.0), (-8.0, -1.0, -0.1, 0.0, 0.1, 1.0, 8.0, 40.0, 90.0, 120.0, 300.0)):
            trial.case(f"{len(gates)} gates between {gates[0]:g} and {gates[-1]:g}, {dtype}")
            x = trial.normal(1, 20, dtype=dtype)
            x[:, 0] = 1.0
            w_gate = torch.zeros_like(trial.normal(len(gates), 20, dtype=dtype))
            w_gate[:, 0] = w_gate.new_tensor(gates)
            agrees(trial, gated_mlp, x, w_gate, trial.normal(len(gates), 20, dtype=dtype))
        kinds = ("constant_rows", "alternating", "spikes", "signed_zeros")
        trial.case(f"one row each: {', '.join(kinds)}, hundreds; {dtype}")
        rows = [trial.pattern(kind, 1, 45, dtype=dtype) for kind in kinds]
        _, w_gate, w_up = drawn(trial, 1, 45, 34, dtype=dtype)
        agrees(trial, gated_mlp, torch.cat([*rows, trial.normal(1, 45, dtype=dtype, scale=200.0)]), w_gate, w_up)
        trial.case(f"2 rows of thousandths, {dtype}")
        agrees(trial, gated_mlp, trial.normal(2, 45, dtype=dtype, scale=1e-3), w_gate, w_up)


@check(points=2, hidden=True, trap=5)
def reads_x_through_its_strides_wherever_it_starts(gated_mlp, trial):
    """x may be turned, a window of a larger matrix, every other column, one row for all, or start one element late."""
    for layout in ("transposed", "sliced", "every_other", "broadcast_rows", "broadcast_cols", "offset"):
        trial.case(f"x is {layout.replace('_', ' ')}")
        x, w_gate, w_up = drawn(trial, 34, 48, 33, scale=2.0)
        agrees(trial, gated_mlp, trial.layout(x, layout), w_gate, w_up)
    for dtype in trial.dtypes[1:]:
        trial.case(f"all three from their second element on, {dtype}")
        agrees(trial, gated_mlp, *(trial.layout(t, "offset") for t in drawn(trial, 5, 64, 48, dtype=dtype, scale=2.0)))


@check(points=2, hidden=True)
def pairs_every_row_of_x_with_its_own_weights(gated_mlp, trial):
    """Where gates are whole numbers above 20, silu changes nothing in float32: products are equal or wrong."""
    size = trial.random.randrange(33, 60)
    trial.case(f"[{size}, {size}] three times, whole numbers")
    x, w_gate = trial.integers(size, size, low=1, high=5), trial.integers(size, size, low=1, high=6)
    w_up = trial.integers(size, size)
    agrees(trial, gated_mlp, x, w_gate, w_up, exact=True)
    trial.case("a weight that picks one column of x each")
    order = trial.random.sample(range(size), size)
    picker = torch.zeros_like(x)
    picker[range(size), order] = 1.0
    agrees(trial, gated_mlp, trial.distinct(size, size), picker * 32.0, picker)


@check(points=2, hidden=True, needs_gpu=True)
def runs_within_a_quarter_of_our_time(gated_mlp, trial):
    """Full points up to 1.25 times the time of the supplied answer in the same run, half up to 2 times."""
    trial.case("64 rows of 4096, weights [11008, 4096], float16")
    trial.faster(gated_mlp, drawn(trial, 64, 4096, 11008, dtype=torch.float16), full=1.25, half=2.0)
