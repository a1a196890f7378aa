"""The public checks of I3, 6 points: parity 4, house rules 1, structure 1. Each is one cell; its name says what to make true."""

from learning.judge import check
from learning.lessons.fused_gemm.reference import (
    agrees,
    cancelling,
    drawn,
    matmul_bias_relu_condition,
    matmul_bias_relu_reference,
)


@check(points=1)
def adds_the_bias_to_ragged_products_and_cuts_at_zero(matmul_bias_relu, trial):
    """One element, whole tiles, and tiles that hang over the end along M, N, K or all three; the dtype is that of a."""
    for rows, inner, columns in ((1, 1, 1), (64, 32, 64), (66, 17, 130)):
        trial.case(f"[{rows}, {inner}] times [{inner}, {columns}], float16")
        agrees(trial, matmul_bias_relu, *drawn(trial, rows, inner, columns))
    for dtype in trial.dtypes[2:]:
        trial.case(f"[33, 33] times [33, 70], {dtype}")
        agrees(trial, matmul_bias_relu, *drawn(trial, 33, 33, 70, dtype=dtype))


@check(points=1, trap=8)
def rounds_once_after_bias_and_relu(matmul_bias_relu, trial):
    """Sums of a hundred that the bias takes back to 1: whoever rounds before the bias has lost what is left. 400 terms too."""
    for dtype in trial.dtypes[1:]:
        trial.case(f"[12, 48] times [48, 40], a bias that takes almost all of it back, {dtype}")
        agrees(trial, matmul_bias_relu, *cancelling(trial, 12, 48, 40, dtype))
    trial.case("[12, 400] times [400, 20], float16")
    a, b, bias = drawn(trial, 12, 400, 20)
    agrees(trial, matmul_bias_relu, a + 2.0, b + 0.25, bias)


@check(points=0.5)
def gives_relu_of_the_bias_where_k_is_zero(matmul_bias_relu, trial):
    """K = 0: nothing is added but the bias, in every row, and it is cut. No rows or no columns: an empty result, no error."""
    for rows, inner, columns in ((5, 0, 70), (0, 8, 3), (3, 8, 0), (0, 0, 4)):
        trial.case(f"[{rows}, {inner}] times [{inner}, {columns}]")
        agrees(trial, matmul_bias_relu, *drawn(trial, rows, inner, columns))


@check(points=1)
def covers_every_tile_in_every_order(matmul_bias_relu, trial):
    """Bands of 1, 4 and 8 tile rows, the last one lower, tiles of 16, 32 and 64 rows: each element is computed, and by one program."""
    for group_m, tile_m, rows, columns in ((1, 64, 130, 70), (4, 32, 170, 70), (8, 16, 150, 70)):
        trial.case(f"[{rows}, 8] times [8, {columns}], group_m={group_m}, tile_m={tile_m}")
        agrees(trial, matmul_bias_relu, *drawn(trial, rows, 8, columns), group_m=group_m, tile_m=tile_m)


@check(points=0.5)
def refuses_what_the_contract_excludes(matmul_bias_relu, trial):
    """TypeError or ValueError before anything is launched; the message names the argument and the limit."""
    a, b, bias = drawn(trial, 4, 8, 16)
    trial.rejects(matmul_bias_relu, a.tolist(), b, bias, names="a")
    trial.rejects(matmul_bias_relu, a.float(), b.float(), bias.float(), names="a", limit="float16 bfloat16")
    trial.rejects(matmul_bias_relu, a, b[:7], bias, names="b", limit="8")
    trial.rejects(matmul_bias_relu, a, b, bias[:15], names="bias", limit="16")
    trial.rejects(matmul_bias_relu, a, b.t().contiguous().t(), bias, names="b", limit="contiguous")
    trial.rejects(matmul_bias_relu, a, b, bias, group_m=2, names="group_m", limit="1 4 8")
    trial.rejects(matmul_bias_relu, a, b, bias, tile_m=128, names="tile_m", limit="16 32 64")


@check(points=1)
def keeps_the_house_rules(matmul_bias_relu, trial):
    """A kernel of your own multiplies, adds and cuts: PyTorch may make the result, look at shapes and take views."""
    trial.case("[5, 4] times [4, 3]")
    trial.house_rules(matmul_bias_relu, *drawn(trial, 5, 4, 3))


@check(points=1, trap=15)
def asks_for_b_once_a_tile_row_and_keeps_the_rest_in_registers(matmul_bias_relu, trial):
    """[64, 32] times [32, 64]: with tile_m=64 b is asked for once, with 16 at most 4 times; the result is stored once, nothing else is."""
    a, b, bias = drawn(trial, 64, 32, 64)
    for tile_m in (64, 16):
        trial.case(f"[64, 32] times [32, 64], tile_m={tile_m}")
        seen = trial.structure(
            matmul_bias_relu, a, b, bias, reference=matmul_bias_relu_reference, scale=matmul_bias_relu_condition, terms=32,
            tile_m=tile_m,
        )  # fmt: skip
        seen.passes(a=2, b=64 // tile_m, out=1)
        seen.writes_once("out")
        seen.adds_in_float32()
