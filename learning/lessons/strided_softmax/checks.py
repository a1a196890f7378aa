"""The public checks of I1, 6 points: parity 4, structure 1, house rules 1. Each is one cell; its name says what to make true."""

import torch

from learning.judge import check
from learning.lessons.strided_softmax.reference import softmax_oracle, softmax_reference


@check(points=1)
def agrees_with_eager_softmax_on_ragged_rows(softmax, trial):
    """One column, a power of two, its two neighbours and a prime: the last lanes of a program may own nothing."""
    for columns in (1, 127, 128, 129, 781):
        trial.case(f"2 rows of {columns}")
        x = trial.normal(2, columns)
        trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle)
    for dtype in trial.dtypes[1:]:
        trial.case(f"2 rows of 129, {dtype}")
        x = trial.normal(2, 129, dtype=dtype)
        trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle)


@check(points=1, trap=5)
def reads_x_through_both_of_its_strides(softmax, trial):
    """The same numbers, lying differently in memory, have the same softmax; num_warps=8 does not change it either."""
    for layout in ("transposed", "padded", "every_other", "offset"):
        trial.case(f"3 rows of 37, {layout}")
        x = trial.layout(trial.normal(3, 37), layout)
        trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle, num_warps=8)


@check(points=0.5, trap=5)
def accepts_a_stride_of_zero_in_either_dimension(softmax, trial):
    """expand() repeats a row, or a column, without storing it twice: a stride of 0 is a stride like any other."""
    trial.case("one stored row, read 3 times")
    x = trial.normal(1, 21).expand(3, 21)
    trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle)
    trial.case("one stored column, read 21 times")
    x = trial.normal(3, 1).expand(3, 21)
    trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle)


@check(points=0.5)
def returns_an_empty_tensor_for_zero_rows(softmax, trial):
    """No rows, no programs: an empty tensor of the same shape and dtype, and no error."""
    for dtype in trial.dtypes:
        trial.case(f"0 rows of 5, {dtype}")
        x = trial.normal(0, 5, dtype=dtype)
        trial.parity(softmax, x, reference=softmax_reference, oracle=softmax_oracle)


@check(points=1)
def refuses_what_the_contract_excludes(softmax, trial):
    """TypeError or ValueError before anything is launched; the message names the argument and the limit."""
    x = trial.normal(2, 5)
    trial.rejects(softmax, [[1.0, 2.0]], names="x")
    trial.rejects(softmax, x.double(), names="x")
    trial.rejects(softmax, x[0], names="x", limit="2")
    trial.rejects(softmax, x[:, :0], names="x", limit="8192")
    trial.rejects(softmax, x.new_zeros(1, 8193), names="x", limit="8192")
    trial.rejects(softmax, x, num_warps=3, names="num_warps", limit="4 8")


@check(points=1)
def asks_memory_for_x_once_where_it_lies(softmax, trial):
    """x is requested once, through its strides, and the result stored once; no padding of yours can ever win a row."""
    trial.case("3 rows of 301, padded, float16")
    x = trial.layout(trial.normal(3, 301, dtype=torch.float16), "padded")
    seen = trial.structure(softmax, x, reference=softmax_reference, oracle=softmax_oracle)
    seen.passes(x=1, out=1)
    seen.writes_once()
    seen.adds_in_float32()
    trial.case("3 rows of 37, below and above the padding")
    seen = trial.structure(softmax, trial.normal(3, 37), reference=softmax_reference, oracle=softmax_oracle)
    seen.padding_never_matters()


@check(points=1)
def keeps_the_house_rules(softmax, trial):
    """Your kernel does the work and reads x where it lies: no .contiguous(), nothing outside the printed list."""
    trial.house_rules(softmax, trial.normal(2, 5))
