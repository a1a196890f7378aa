"""The public checks of L4. Each is one cell of the notebook; its name says what to make true."""

import torch

from learning.judge import check
from learning.lessons.matmul.reference import agrees, drawn, matmul_condition, matmul_reference


@check(points=1)
def multiplies_ragged_matrices_in_every_dtype(matmul, trial):
    """One element, whole tiles, and tiles that hang over the end along M, N, K or all three; the dtype is that of a."""
    for rows, inner, columns in ((1, 1, 1), (64, 32, 64), (66, 17, 130)):
        trial.case(f"[{rows}, {inner}] times [{inner}, {columns}]")
        agrees(trial, matmul, *drawn(trial, rows, inner, columns))
    for dtype in trial.dtypes[1:]:
        trial.case(f"[33, 33] times [33, 70], {dtype}")
        agrees(trial, matmul, *drawn(trial, 33, 33, 70, dtype=dtype))


@check(points=1, trap=8)
def adds_up_in_float32(matmul, trial):
    """Sums of 400 terms of both signs and of one: 16-bit partial sums lose what float32 keeps until the one rounding."""
    for dtype in trial.dtypes[1:]:
        trial.case(f"[12, 400] times [400, 20], {dtype}")
        a, b = drawn(trial, 12, 400, 20, dtype=dtype)
        a[6:] += 2.0
        b[:, 10:] += 2.0
        agrees(trial, matmul, a, b)


@check(points=1)
def keeps_all_24_bits_of_float32(matmul, trial):
    """float32 operands stay float32: neither 16 bits nor the 10 of TF32 are enough. tl.dot must be told so."""
    trial.case("[30, 150] times [150, 17]")
    agrees(trial, matmul, *drawn(trial, 30, 150, 17))
    trial.case("[7, 3] times [3, 5], exact products of 12 bits each")
    a, b = trial.integers(7, 3, low=2049, high=4096), trial.integers(3, 5, low=-1, high=2)
    agrees(trial, matmul, a, b, exact=True)


@check(points=0.5)
def gives_zeros_where_nothing_is_added(matmul, trial):
    """K = 0 is an empty sum in every element, so zeros; no rows or no columns are an empty result and no error."""
    for rows, inner, columns in ((5, 0, 70), (0, 8, 3), (3, 8, 0), (0, 0, 4)):
        trial.case(f"[{rows}, {inner}] times [{inner}, {columns}]")
        agrees(trial, matmul, *drawn(trial, rows, inner, columns))


@check(points=0.5)
def leaves_its_inputs_alone_and_returns_fresh_memory(matmul, trial):
    """a and b keep every byte, the result has memory of its own, from each call anew, also where all three are square."""
    trial.case("two square matrices")
    a, b = trial.distinct(48, 48), trial.distinct(48, 48)
    agrees(trial, matmul, a, b)
    trial.case("a matrix times itself")
    agrees(trial, matmul, a, a)


@check(points=1)
def keeps_the_house_rules(matmul, trial):
    """A kernel of your own multiplies: PyTorch may make the result, look at shapes and take views."""
    trial.case("[5, 4] times [4, 3]")
    trial.house_rules(matmul, *drawn(trial, 5, 4, 3))


@check(points=1)
def asks_for_each_element_once_a_tile(matmul, trial):
    """[128, 32] times [32, 128]: a and b are asked for at most 4 times each, as by tiles of 32 × 32; the result is stored once.
    And float32 is multiplied with all its 24 bits, on every card."""
    trial.case("[128, 32] times [32, 128], float16")
    a, b = trial.normal(128, 32, dtype=torch.float16), trial.normal(32, 128, dtype=torch.float16)
    seen = trial.structure(matmul, a, b, reference=matmul_reference, scale=matmul_condition, terms=32)
    seen.passes(a=4, b=4, out=1)
    seen.writes_once("out")
    seen.adds_in_float32()
    trial.case("[16, 20] times [20, 16], float32, as a newer card would multiply")
    a, b = drawn(trial, 16, 20, 16)
    trial.structure(matmul, a, b, reference=matmul_reference, scale=matmul_condition, terms=20).multiplies_in_float32()
