"""What the course's CPU device mends or refuses, one story a function: each raises ``AssertionError`` where it fails."""

import numpy as np
import torch
import triton
import triton.language as tl

BF16 = torch.bfloat16


def refused(launch, *words):
    """Assert that ``launch()`` raises and that the chain of errors holds every word."""
    try:
        launch()
    except Exception as error:
        chain = []
        while error is not None:
            chain.append(f"{type(error).__name__}: {error}")
            error = error.__cause__ or error.__context__
        text = "\n".join(chain)
        assert all(word in text for word in words), f"the error does not say {words}: {text}"
    else:
        raise AssertionError(f"nothing was raised; expected an error that says {words}")


@triton.jit
def sum_to_kernel(out_ptr, bound_ptr, n):
    total = 0
    for i in range(n):
        total += i
    for i in range(tl.load(bound_ptr)):
        total += i
    tl.store(out_ptr, total)


def a_loop_bound_known_only_at_run_time(device):
    out = torch.zeros(1, dtype=torch.int32, device=device)
    sum_to_kernel[(1,)](out, torch.tensor([4], dtype=torch.int32, device=device), 5)
    assert out.item() == 10 + 6, out


@triton.jit
def bf16_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr, OP: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n, other=0.0)
    y = tl.load(y_ptr + i, mask=i < n, other=1.0)
    if OP == "add":
        z = x + y
    elif OP == "sub":
        z = x - y
    elif OP == "mul":
        z = x * y
    elif OP == "div":
        z = x / y
    elif OP == "neg":
        z = -x
    elif OP == "abs":
        z = tl.abs(x)
    elif OP == "max":
        z = tl.maximum(x, y)
    elif OP == "where":
        z = tl.where(x > 0, x, 0.0)
    elif OP == "scale":
        z = x * 2.0 + 1.0
    elif OP == "cast":
        z = (x.to(tl.float32) * 1.7).to(tl.bfloat16)
    else:
        z = (x.to(tl.float16)).to(tl.bfloat16)
    tl.store(out_ptr + i, z, mask=i < n)


def bf16_arithmetic_equals_torch_to_the_bit(device):
    generator = torch.Generator().manual_seed(7)
    x = (torch.randn(1000, generator=generator) * 3).to(BF16).to(device)
    y = (torch.randn(1000, generator=generator) + 4).to(BF16).to(device)
    expected = {
        "add": x + y,
        "sub": x - y,
        "mul": x * y,
        "div": x / y,
        "neg": -x,
        "abs": x.abs(),
        "max": torch.maximum(x, y),
        "where": torch.where(x > 0, x, torch.zeros_like(x)),
        "cast": (x.float() * np.float32(1.7)).to(BF16),
        "through fp16": x.half().to(BF16),
    }
    for op, right in expected.items():
        out = torch.empty_like(x)
        if op == "through fp16" and not a_t4_converts_fp16_to_bf16():
            refused(lambda o=out: bf16_kernel[(1,)](x, y, o, 1000, BLOCK=1024, OP="through fp16"), "sm_80 or higher")
            continue
        bf16_kernel[(1,)](x, y, out, 1000, BLOCK=1024, OP=op)
        wrong = (out != right).sum().item()
        assert wrong == 0, f"{op}: {wrong} of 1000 differ"


def a_t4_converts_fp16_to_bf16():
    """From Triton 3.9 the compiler emits an instruction for it that a T4 lacks."""
    from learning.lens import device

    version = tuple(int(part) for part in triton.__version__.split(".")[:2])
    return version < (3, 9) or device.current().target != "sm_75"


def bf16_times_a_constant(device):
    x = torch.linspace(-3, 3, 64, device=device).to(BF16)
    out = torch.empty_like(x)
    bf16_kernel[(1,)](x, x, out, 64, BLOCK=64, OP="scale")
    stepwise, fused = x * 2 + 1, (x.float() * 2 + 1).to(BF16)
    assert ((out == stepwise) | (out == fused)).all(), (out, stepwise)


@triton.jit
def store_rounded_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i).to(out_ptr.dtype.element_ty))


def bf16_stores_round_to_nearest_even(device):
    bits = torch.arange(0x3F800000, 0x3F800000 + 4 * 65536, 64, dtype=torch.int64).to(torch.int32)
    special = torch.tensor([float("inf"), -float("inf"), float("nan"), 3.4e38, -3.4e38, 1e-40, -0.0, 9.2e-41])
    x = torch.cat([bits.view(torch.float32), special, torch.zeros(16384 - 4096 * 4 + len(bits) - len(special))])
    x = x[: 2 ** (len(x).bit_length() - 1)].to(device)
    out = torch.empty(len(x), dtype=BF16, device=device)
    store_rounded_kernel[(1,)](x, out, BLOCK=len(x))
    right = x.to(BF16)
    same = (out == right) | (out.isnan() & right.isnan())
    assert same.all(), f"{(~same).sum()} of {len(x)} differ"


@triton.jit
def bf16_reduce_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    tl.store(out_ptr, tl.sum(x, axis=0))
    tl.store(out_ptr + 1, tl.max(x, axis=0).to(tl.bfloat16))
    tl.store(out_ptr + 2, tl.min(x, axis=0).to(tl.bfloat16))


def bf16_sums_and_extremes(device):
    x = torch.arange(1, 65, device=device).to(BF16)
    out = torch.zeros(3, dtype=BF16, device=device)
    bf16_reduce_kernel[(1,)](x, out, BLOCK=64)
    assert abs(out[0].item() - 2080) <= 16 and out[1].item() == 64 and out[2].item() == 1, out


@triton.jit
def and_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    keep = i > 2 and i < 6
    tl.store(out_ptr + i, tl.load(x_ptr + i), mask=keep)


@triton.jit
def not_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i), mask=not (i < 6))


@triton.jit
def if_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    if i < 6:
        tl.store(out_ptr + i, tl.load(x_ptr + i))


@triton.jit
def chained_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i), mask=2 <= i < 6)


def _eight(device):
    return torch.ones(8, device=device), torch.zeros(8, device=device)


def and_on_blocks_is_refused_or_right(device):
    x, out = _eight(device)
    try:
        and_kernel[(1,)](x, out, BLOCK=8)
    except Exception:
        refused(lambda: and_kernel[(1,)](x, out, BLOCK=8), "block", "&")
    else:
        assert out.tolist() == [0, 0, 0, 1, 1, 1, 0, 0], out


def not_on_a_block_is_refused_or_right(device):
    x, out = _eight(device)
    try:
        not_kernel[(1,)](x, out, BLOCK=8)
    except Exception:
        refused(lambda: not_kernel[(1,)](x, out, BLOCK=8), "block", "~")
    else:
        assert out.tolist() == [0] * 6 + [1, 1], out


def if_on_a_block_is_refused(device):
    x, out = _eight(device)
    refused(lambda: if_kernel[(1,)](x, out, BLOCK=8))


def chained_comparison_is_refused_or_right(device):
    x, out = _eight(device)
    try:
        chained_kernel[(1,)](x, out, BLOCK=8)
    except Exception:
        assert tuple(int(part) for part in triton.__version__.split(".")[:2]) <= (3, 8)
    else:
        assert out.tolist() == [0, 0, 1, 1, 1, 1, 0, 0], out


@triton.jit
def scalars_kernel(out_ptr, n):
    pid = tl.program_id(0)
    if pid == 1 and n > 3:
        tl.store(out_ptr + pid, 1)
    elif not (pid == 0) or n < 0:  # noqa: SIM201 - `not` on a scalar is the story
        tl.store(out_ptr + pid, 2)
    else:
        tl.store(out_ptr + pid, 3)


def conditions_on_scalars_still_work(device):
    out = torch.zeros(3, dtype=torch.int32, device=device)
    scalars_kernel[(3,)](out, 7)
    assert out.tolist() == [3, 1, 2], out


@triton.jit
def shrug_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i, mask=i < n)
    tl.store(out_ptr, tl.sum(x, axis=0))


def a_missing_other_shows_in_the_sum(device):
    out = torch.zeros(1)
    shrug_kernel[(1,)](torch.ones(8), out, 5, BLOCK=8)
    assert out.isnan().all(), out
    out = torch.zeros(1, dtype=torch.int32)
    shrug_kernel[(1,)](torch.ones(8, dtype=torch.int32), out, 5, BLOCK=8)
    assert out.item() == 5 + 3 * 32749, out


@triton.jit
def scalar_other_kernel(x_ptr, out_ptr, n):
    tl.store(out_ptr, tl.load(x_ptr, mask=n > 5, other=0.0))


def a_scalar_load_with_other_zero_gives_zero(device):
    out = torch.ones(1, device=device)
    scalar_other_kernel[(1,)](torch.ones(1, device=device), out, 3)
    assert out.item() == 0, out


def a_misspelt_launch_option_is_refused(device):
    x, out = _eight(device)
    refused(lambda: store_rounded_kernel[(1,)](x, out, BLOCK=8, num_wraps=4), "num_wraps")
    store_rounded_kernel[(1,)](x, out, BLOCK=8, num_warps=4, num_stages=2)
    assert out.tolist() == x.tolist()


def a_kernel_called_without_a_grid_is_refused_in_words_of_launches(device):
    x, out = _eight(device)
    refused(lambda: store_rounded_kernel(x, out, BLOCK=8), "kernel")


@triton.jit
def assert_kernel(x_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.device_assert(tl.load(x_ptr + i) > 0, "x must be positive")


def a_device_assert_is_checked(device):
    x, _ = _eight(device)
    assert_kernel[(1,)](x, BLOCK=8)
    x[3] = -1
    refused(lambda: assert_kernel[(1,)](x, BLOCK=8), "x must be positive")


@triton.jit
def overflow_kernel(out_ptr, a, b, OP: tl.constexpr):
    if OP == "+":
        c = a + b
    elif OP == "-":
        c = a - b
    else:
        c = a * b
    tl.store(out_ptr, c)


def an_int32_overflow_is_refused(device):
    out = torch.zeros(1, dtype=torch.int64, device=device)
    overflow_kernel[(1,)](out, 2**30, 2**30 - 1, OP="+")
    assert out.item() == 2**31 - 1
    overflow_kernel[(1,)](out, -(2**30), 2**30, OP="-")
    assert out.item() == -(2**31)
    refused(lambda: overflow_kernel[(1,)](out, 2**30, 2**30, OP="+"), "int32 overflow", "tl.int64")
    refused(lambda: overflow_kernel[(1,)](out, -(2**31), 1, OP="-"), "int32 overflow")
    refused(lambda: overflow_kernel[(1,)](out, 65536, 32768, OP="*"), "int32 overflow")


@triton.jit
def random_kernel(out_ptr, seed, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.rand(seed, i))


def random_numbers_do_not_count_as_overflow(device):
    out = torch.zeros(64, device=device)
    random_kernel[(1,)](out, 1234, BLOCK=64)
    assert 0.3 < out.mean().item() < 0.7 and len(set(out.tolist())) == 64


@triton.jit
def padded_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    x = tl.make_tensor_descriptor(x_ptr, [n], [1], [BLOCK], padding_option="nan")
    tl.store(out_ptr + tl.arange(0, BLOCK), x.load([0]))


def nan_padding_of_a_descriptor_is_nan_in_bf16(device):
    for dtype in (torch.float32, torch.float16, BF16):
        out = torch.zeros(32, dtype=dtype)
        padded_kernel[(1,)](torch.ones(16, dtype=dtype), out, 10, BLOCK=32)
        assert out[:10].eq(1).all() and out[10:].isnan().all(), (dtype, out)


@triton.autotune(
    configs=[triton.Config({"BLOCK": block}, num_warps=warps) for block in (64, 256) for warps in (2, 4)], key=["n"]
)
@triton.jit
def tuned_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)


def the_autotuner_walks_its_configurations(device):
    x = torch.randn(1000, device=device)
    out = torch.empty_like(x)
    tuned_kernel[lambda meta: (triton.cdiv(1000, meta["BLOCK"]),)](x, out, 1000)
    assert torch.equal(out, x * 2) and tuned_kernel.best_config.kwargs["BLOCK"] in (64, 256)
    assert len(tuned_kernel.configs_timings) == 4


CPU_ONLY = (
    a_missing_other_shows_in_the_sum,
    a_device_assert_is_checked,
    an_int32_overflow_is_refused,
    nan_padding_of_a_descriptor_is_nan_in_bf16,
)
