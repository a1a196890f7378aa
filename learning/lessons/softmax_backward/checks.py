"""The public checks of I2, 6 points: parity 4, structure 1, house rules 1. Each is one cell; its name says what to make true."""

import torch

from learning.judge import check
from learning.lessons.softmax_backward.reference import (
    agrees,
    backward_oracle,
    backward_reference,
    by_autograd,
    condition,
    drawn,
    leftover,
)


@check(points=1)
def agrees_with_autograd_on_ragged_rows(backward, trial):
    """One column, a power of two, its two neighbours and a prime; PyTorch differentiates softmax(x), you get only y."""
    for columns in (1, 127, 128, 129, 781):
        trial.case(f"2 rows of {columns}")
        x, g = trial.normal(2, columns), trial.normal(2, columns)
        y = torch.softmax(x.double(), dim=1).float()
        trial.parity(
            backward, y, g, reference=backward_reference, oracle=by_autograd(x), k=3,
            scale=condition(y.double(), g.double()),
        )  # fmt: skip
    for dtype in trial.dtypes[1:]:
        trial.case(f"2 rows of 129, {dtype}")
        agrees(trial, backward, *drawn(trial, 2, 129, dtype))


@check(points=1, trap=5)
def reads_y_and_g_each_through_its_own_strides(backward, trial):
    """The same numbers, lying differently in memory; y and g never lie alike, and num_warps=8 changes nothing either."""
    for one, other in (("transposed", "contiguous"), ("contiguous", "padded"), ("every_other", "transposed")):
        trial.case(f"3 rows of 37, y {one}, g {other}")
        y, g = drawn(trial, 3, 37)
        agrees(trial, backward, trial.layout(y, one), trial.layout(g, other), num_warps=8)
    trial.case("g one number that stands for all, as a sum hands it back")
    y, _ = drawn(trial, 3, 21)
    agrees(trial, backward, y, trial.normal(1, 1).expand(3, 21))
    trial.case("y one stored row, read 3 times")
    y, g = drawn(trial, 3, 21)
    agrees(trial, backward, y[:1].expand(3, 21), g)


@check(points=0.5)
def gives_gradients_that_sum_to_zero(backward, trial):
    """A softmax does not notice a constant added to its row, so the gradients of a row cancel, up to rounding."""
    for dtype in trial.dtypes:
        trial.case(f"3 rows of 65, {dtype}")
        y, g = drawn(trial, 3, 65, dtype)
        dx = trial.returns(backward, y, g)
        if getattr(dx, "shape", None) == y.shape:
            left, allowed = leftover(dx, y, g)
            worst = int((left.abs() / allowed).argmax())
            trial.expect(
                bool((left.abs() <= allowed).all()),
                called=trial.called(backward, (y, g)),
                got=f"gradients that sum to {float(dx[worst].double().sum()):.3g}",
                expected=f"0, give or take {float(allowed[worst]):.2g} of rounding",
                where=f"row {worst}",
                advice="Σ y·(g − d) = d − d·Σ y. What does your row subtract?",
            )
        agrees(trial, backward, y, g)


@check(points=0.5)
def returns_an_empty_tensor_for_zero_rows(backward, trial):
    """No rows, no programs: an empty tensor of the same shape and dtype, and no error."""
    for dtype in trial.dtypes:
        trial.case(f"0 rows of 5, {dtype}")
        agrees(trial, backward, *drawn(trial, 0, 5, dtype))


@check(points=1)
def refuses_what_the_contract_excludes(backward, trial):
    """TypeError or ValueError before anything is launched; the message names the argument and the limit."""
    y, g = drawn(trial, 2, 5)
    trial.rejects(backward, [[1.0, 2.0]], g, names="y")
    trial.rejects(backward, y.double(), g.double(), names="y")
    trial.rejects(backward, y[0], g[0], names="y", limit="2")
    trial.rejects(backward, y[:, :0], g[:, :0], names="y", limit="8192")
    trial.rejects(backward, y.new_zeros(1, 8193), y.new_zeros(1, 8193), names="y", limit="8192")
    trial.rejects(backward, y, g[:1], names="g")
    trial.rejects(backward, y, g.half(), names="g")
    trial.rejects(backward, y, g, num_warps=3, names="num_warps", limit="4 8")


@check(points=1)
def asks_memory_for_y_and_g_once_where_they_lie(backward, trial):
    """Three crossings in all: y and g are requested once, through their strides, and dx is stored once; sums stay in float32."""
    trial.case("3 rows of 301, y padded, g transposed, float16")
    y, g = drawn(trial, 3, 301, torch.float16)
    y, g = trial.layout(y, "padded"), trial.layout(g, "transposed")
    given = {"reference": backward_reference, "oracle": backward_oracle, "scale": condition, "k": 3, "outputs": "dx"}
    seen = trial.structure(backward, y, g, **given)
    seen.passes(y=1, g=1, dx=1)
    seen.writes_once()
    seen.adds_in_float32()
    trial.case("3 rows of 37, below and above the padding")
    seen = trial.structure(backward, *drawn(trial, 3, 37), **given)
    seen.padding_never_matters()


@check(points=1)
def keeps_the_house_rules(backward, trial):
    """Your kernel does the work and reads y and g where they lie: no .contiguous(), nothing outside the printed list."""
    trial.house_rules(backward, *drawn(trial, 2, 5))
