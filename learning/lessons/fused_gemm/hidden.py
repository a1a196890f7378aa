"""The hidden checks of I3, 10 points: parity 8, benchmark 2. Shapes and values are drawn when the work is graded."""

import torch

from learning.judge import check
from learning.lessons.fused_gemm.reference import agrees, cancelling, drawn


@check(points=2, hidden=True)
def multiplies_shapes_it_has_never_seen(matmul_bias_relu, trial):
    """A row times a column, an outer product, tall, flat, deep, many bands, odd addresses; on a GPU more tiles than a grid's second axis takes."""
    trial.case("which shapes")
    prime = trial.random.choice((67, 71, 79, 97, 101))
    some = trial.random.randrange(129, 200)
    shapes = [(1, prime, 1), (prime, 1, some), (some, 5, 2), (3, 307, 2), (129, some % 32 + 3, 64)]
    if trial.device == "cuda":
        shapes += [(1, 1, 64 * 65536 + some), (64 * 65536 + some, 1, 1), (1000 + some, 1500, 900 + prime)]
    for rows, inner, columns in shapes:
        group_m, tile_m = trial.random.choice((1, 4, 8)), trial.random.choice((16, 32, 64))
        trial.case(f"[{rows}, {inner}] times [{inner}, {columns}], group_m={group_m}, tile_m={tile_m}")
        agrees(trial, matmul_bias_relu, *drawn(trial, rows, inner, columns), group_m=group_m, tile_m=tile_m)
    for group_m, rows, columns in ((1, 70, 130), (4, 150, 70), (8, 200, 130)):
        trial.case(f"[{rows}, 8] times [8, {columns}], bands of {group_m} tile rows of 16")
        agrees(trial, matmul_bias_relu, *drawn(trial, rows, 8, columns), group_m=group_m, tile_m=16)
    for dtype in trial.dtypes[1:]:
        trial.case(f"[34, 32] times [32, 72], all three from their second element on, {dtype}")
        given = drawn(trial, 34, 32, 72, dtype=dtype)
        agrees(trial, matmul_bias_relu, *(trial.layout(x, "offset") for x in given))


@check(points=2, hidden=True, trap=8)
def keeps_float32_until_the_end_at_every_magnitude(matmul_bias_relu, trial):
    """Thousandths, hundreds, rows that cancel, subnormals, both zeros, biases that cancel, results past the dtype's end."""
    kinds = ("constant_rows", "alternating", "spikes", "signed_zeros", "large")
    for dtype in trial.dtypes[1:]:
        inner = 40 + trial.random.randrange(30)
        trial.case(f"one row each: {', '.join(kinds)}, thousandths, hundreds; {dtype}")
        rows = [trial.pattern(kind, 1, inner, dtype=dtype) for kind in kinds]
        rows += [trial.normal(1, inner, dtype=dtype, scale=scale) for scale in (1e-3, 300.0)]
        b = trial.normal(inner, 33, dtype=dtype)
        b[:, 7] = 1.0
        agrees(trial, matmul_bias_relu, torch.cat(rows), b, trial.normal(33, dtype=dtype, scale=5.0))
        trial.case(f"a bias that takes almost all of it back, K = {inner}, {dtype}")
        agrees(trial, matmul_bias_relu, *cancelling(trial, 9, inner, 35, dtype))
        trial.case(f"[8, 1100] times [1100, 9], all positive, {dtype}")
        a, b, bias = drawn(trial, 8, 1100, 9, dtype=dtype)
        agrees(trial, matmul_bias_relu, a.abs(), b.abs(), bias)
    if torch.float16 in trial.dtypes:
        trial.case("3 rows of subnormals, float16")
        a, b, bias = drawn(trial, 3, 40, 33)
        agrees(trial, matmul_bias_relu, trial.pattern("subnormals", 3, 40, dtype=torch.float16), b, bias * 1e-6)
        trial.case("float16 results beyond 65504")
        a, b = trial.normal(4, 50, dtype=torch.float16, offset=200.0), trial.normal(50, 9, dtype=torch.float16)
        b *= b.new_tensor([1.0, 3.0, 100.0, -100.0, 9.0, 0.0, 50.0, -7.0, 20.0])
        agrees(trial, matmul_bias_relu, a, b, bias[:9] * 1000.0)


@check(points=1.5, hidden=True)
def pairs_every_row_with_every_column_and_its_bias(matmul_bias_relu, trial):
    """Small whole numbers leave no room for a rounding excuse; a matrix that only moves rows hands on every bit of the other."""
    size = trial.random.randrange(65, 80)
    trial.case(f"whole numbers, [{size}, {size}] twice")
    a, b, bias = (
        trial.integers(*shape, low=-4, high=5, dtype=torch.float16) for shape in ((size, 30), (30, size), (size,))
    )
    agrees(trial, matmul_bias_relu, a, b, bias * 16, exact=True)
    size = trial.random.randrange(17, 32)
    for dtype in trial.dtypes[1:]:
        trial.case(f"a matrix that reorders {size} rows of 70, no bias, {dtype}")
        order = trial.random.sample(range(size), size)
        mover = torch.zeros_like(trial.normal(size, size, dtype=dtype))
        mover[range(size), order] = 1.0
        moved = trial.distinct(size, 70, dtype=dtype)
        agrees(trial, matmul_bias_relu, mover, moved, torch.zeros_like(moved[0]), exact=True)


@check(points=1.5, hidden=True)
def cuts_below_zero_and_nowhere_else(matmul_bias_relu, trial):
    """All below 0, all above, sums below 0 that the bias lifts and sums above that it sinks, exact zeros."""
    for dtype in trial.dtypes[1:]:
        inner = 20 + trial.random.randrange(20)
        trial.case(f"[18, {inner}] times [{inner}, 40], sums of either sign, biases of either sign, {dtype}")
        a, b = trial.normal(18, inner, dtype=dtype).abs(), trial.normal(inner, 40, dtype=dtype).abs()
        b[:, ::2] *= -1.0
        bias = torch.zeros_like(b[0])
        bias[1::4], bias[2::4], bias[3::4] = -6.0 * inner, 6.0 * inner, 0.125
        agrees(trial, matmul_bias_relu, a, b, bias)
        trial.case(f"biases alone: negative, positive, zeros of both signs, {dtype}")
        bias = trial.normal(45, dtype=dtype)
        bias[:4] = bias.new_tensor([0.0, -0.0, 6.0, 60.0])
        agrees(trial, matmul_bias_relu, torch.zeros_like(a), b.new_zeros(inner, 45), bias, exact=True)


@check(points=1, hidden=True)
def refuses_every_argument_outside_the_contract(matmul_bias_relu, trial):
    """Kind, device, dtype, rank, shape, layout, autograd, offsets, counts and options: each is refused by name."""
    a, b, bias = drawn(trial, 4, 8, 16)
    given = {"a": a, "b": b, "bias": bias}
    for name, x in given.items():
        for value in (None, 3.0, x.double(), x.float(), x.int(), x[None], x[0], trial.layout(x, "every_other")):
            trial.rejects(matmul_bias_relu, *({**given, name: value}).values(), names=name)
        trial.rejects(matmul_bias_relu, *({**given, name: x.clone().requires_grad_()}).values(), names=name)
        trial.rejects(matmul_bias_relu, *({**given, name: torch.empty_like(x, device="meta")}).values(), names=name)
        if trial.device == "cuda":
            trial.rejects(matmul_bias_relu, *({**given, name: x.cpu()}).values(), names=name)
    for name in ("b", "bias"):
        trial.rejects(matmul_bias_relu, *({**given, name: given[name].bfloat16()}).values(), names=name)
    for wrong in (b[:7], b.new_zeros(9, 16), b.t().contiguous()):
        trial.rejects(matmul_bias_relu, a, wrong, bias, names="b")
    for wrong in (bias[:1], bias.new_zeros(17), bias.new_zeros(0)):
        trial.rejects(matmul_bias_relu, a, b, wrong, names="bias", limit="16")
    for value in (0, 2, 16, -8, True, None, "8", 8.0):
        trial.rejects(matmul_bias_relu, a, b, bias, group_m=value, names="group_m", limit="1 4 8")
    for value in (0, 8, 128, -16, True, None, "64", 64.0):
        trial.rejects(matmul_bias_relu, a, b, bias, tile_m=value, names="tile_m", limit="16 32 64")
    trial.rejects(matmul_bias_relu, a.new_zeros(2**16, 0), a.new_zeros(0, 2**15), a.new_zeros(2**15))
    far = torch.empty(2**31 + 1, 1, dtype=torch.float16, device=a.device)  # never written: no page of it is touched
    trial.rejects(matmul_bias_relu, far, a.new_zeros(1, 0), a.new_zeros(0), names="a")


@check(points=2, hidden=True, needs_gpu=True)
def runs_within_a_quarter_of_our_time(matmul_bias_relu, trial):
    """Full points up to 1.25 times the time of the supplied answer in the same run, half up to 2 times."""
    trial.case("[4096, 4096] times [4096, 4096], float16")
    a, b, bias = drawn(trial, 4096, 4096, 4096)
    trial.faster(matmul_bias_relu, (a, b, bias), full=1.25, half=2.0)
