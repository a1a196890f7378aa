"""The public checks of L5. Each is one cell of the notebook; its name says what to make true."""

import torch

from learning.judge import check
from learning.lessons.gated_mlp.reference import agrees, drawn, gated_mlp_condition, gated_mlp_reference


@check(points=1)
def gates_ragged_shapes_in_every_dtype(gated_mlp, trial):
    """One element, one row, whole tiles, and tiles that hang over the end along M, H, I or all three."""
    for rows, inner, outer in ((1, 1, 1), (1, 50, 40), (32, 64, 32), (33, 31, 65)):
        trial.case(f"x [{rows}, {inner}], weights [{outer}, {inner}]")
        agrees(trial, gated_mlp, *drawn(trial, rows, inner, outer, scale=2.0))
    for dtype in trial.dtypes[1:]:
        trial.case(f"x [20, 40], weights [33, 40], {dtype}")
        agrees(trial, gated_mlp, *drawn(trial, 20, 40, 33, dtype=dtype, scale=2.0))


@check(points=1, trap=8)
def rounds_once_and_only_at_the_end(gated_mlp, trial):
    """In 16 bits: neither the running sums nor gate, silu or up may be rounded before the product is. Eager rounds four times."""
    for dtype in trial.dtypes[1:]:
        trial.case(f"x [24, 400], weights [30, 400], {dtype}")
        agrees(trial, gated_mlp, *drawn(trial, 24, 400, 30, dtype=dtype, scale=3.0), k=1.25)


@check(points=1)
def keeps_all_24_bits_of_float32(gated_mlp, trial):
    """float32 operands stay float32: neither 16 bits nor the 10 of TF32 are enough. tl.dot must be told so, twice."""
    trial.case("x [10, 200], weights [30, 200]")
    agrees(trial, gated_mlp, *drawn(trial, 10, 200, 30, scale=2.0))
    trial.case("whole numbers of 12 bits; a gate above 20 is its own silu in float32")
    x, w_up = trial.integers(5, 2, low=2049, high=4096), trial.integers(9, 2, low=0, high=2)
    agrees(trial, gated_mlp, x, torch.full_like(w_up, 0.5), w_up)


@check(points=0.5)
def gives_zeros_where_nothing_is_added(gated_mlp, trial):
    """H = 0 makes gate and up empty sums, so zeros; no rows or no outputs are an empty result and no error."""
    for rows, inner, outer in ((5, 0, 40), (0, 8, 3), (3, 8, 0)):
        trial.case(f"x [{rows}, {inner}], weights [{outer}, {inner}]")
        agrees(trial, gated_mlp, *drawn(trial, rows, inner, outer))


@check(points=0.5)
def leaves_its_inputs_alone_and_returns_fresh_memory(gated_mlp, trial):
    """x and both weights keep every byte; the result has memory of its own, from each call anew; one weight may be both."""
    trial.case("square matrices")
    x, w_gate, w_up = trial.distinct(24, 24), trial.distinct(24, 24), trial.distinct(24, 24)
    agrees(trial, gated_mlp, x, w_gate, w_up)
    trial.case("one weight for gate and up")
    agrees(trial, gated_mlp, x, w_gate, w_gate)


@check(points=1)
def keeps_the_house_rules(gated_mlp, trial):
    """A kernel of your own does both products and the gate; the weights are read where they lie: no copy, no packing."""
    trial.case("x [3, 5], weights [4, 5]")
    trial.house_rules(gated_mlp, *drawn(trial, 3, 5, 4))


@check(points=1)
def walks_along_x_once_for_both_products(gated_mlp, trial):
    """x [16, 48] and weights [32, 48]: each of the three is asked for once, by one walk; the result is stored once.
    And float32 is multiplied with all its 24 bits, on every card."""
    trial.case("x [16, 48], weights [32, 48], float16")
    x, w_gate, w_up = drawn(trial, 16, 48, 32, dtype=torch.float16)
    seen = trial.structure(
        gated_mlp, x, w_gate, w_up, reference=gated_mlp_reference, scale=gated_mlp_condition, terms=48
    )
    seen.passes(x=1, w_gate=1, w_up=1, out=1)
    seen.writes_once("out")
    seen.adds_in_float32()
    trial.case("x [16, 20], weights [16, 20], float32, as a newer card would multiply")
    tensors = drawn(trial, 16, 20, 16)
    seen = trial.structure(gated_mlp, *tensors, reference=gated_mlp_reference, scale=gated_mlp_condition, terms=20)
    seen.multiplies_in_float32()
