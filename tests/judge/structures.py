"""Answers of every structure, right on every value unless their name says otherwise. Open the device before importing.

The text of this file also stands for a learner's cells, so it keeps the house rules.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, out_ptr, n, STEP: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * STEP + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n, other=0.0), mask=at < n)


def copied(x, step=128, short=0):
    out = torch.zeros_like(x)
    copy_kernel[(triton.cdiv(x.numel() - short, step),)](x, out, x.numel() - short, STEP=step, BLOCK=128)
    return out


def copy(x):
    return copied(x)


def copy_by_way_of_scratch(x):
    return copied(copied(x))


def copy_of_a_copy(x):
    return copied(x.clone())


def copy_in_overlapping_tiles(x):
    return copied(x, step=64)


def copy_all_but_a_zero(x):
    """The last element, which the caller made 0, is left to torch.zeros_like."""
    return copied(x, short=1)


@triton.jit
def twice_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    once = tl.load(x_ptr + at, mask=at < n, other=0.0)
    again = tl.load(x_ptr + at, mask=at < n, other=0.0)
    tl.store(out_ptr + at, tl.maximum(once, again), mask=at < n)


def copy_read_twice(x):
    out = torch.empty_like(x)
    twice_kernel[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), BLOCK=128)
    return out


@triton.jit
def sums_kernel(x_ptr, out_ptr, HOW: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * 4 * BLOCK + lanes)
    if HOW == "tl.sum":
        total = tl.sum(x, axis=0)
        for piece in tl.static_range(1, 4):
            total = tl.sum(tl.load(x_ptr + (row * 4 + piece) * BLOCK + lanes), axis=0).to(tl.float32) + total
    elif HOW == "+=":
        for piece in tl.static_range(1, 4):
            x += tl.load(x_ptr + (row * 4 + piece) * BLOCK + lanes)
        total = tl.sum(x.to(tl.float32), axis=0)
    elif HOW == "tl.cumsum":
        total = 0.0
        for piece in tl.static_range(0, 4):
            running = tl.cumsum(tl.load(x_ptr + (row * 4 + piece) * BLOCK + lanes), axis=0)
            total += tl.max(running, axis=0).to(tl.float32)
    else:
        y = x.to(tl.float32)
        for piece in tl.static_range(1, 4):
            y += tl.load(x_ptr + (row * 4 + piece) * BLOCK + lanes).to(tl.float32)
        total = tl.sum(y, axis=0)
    tl.store(out_ptr + row, total.to(out_ptr.dtype.element_ty))


def row_sums(x, how="float32"):
    out = torch.empty(x.shape[:1], dtype=x.dtype, device=x.device)
    sums_kernel[(x.shape[0],)](x, out, HOW=how, BLOCK=x.shape[1] // 4)
    return out


@triton.jit
def total_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out_ptr, tl.sum(tl.load(x_ptr + at).to(tl.float32), axis=0).to(out_ptr.dtype.element_ty))


def total_by_atomics(x):
    out = torch.zeros(1, dtype=x.dtype, device=x.device)
    total_kernel[(x.numel() // 64,)](x, out, BLOCK=64)
    return out


@triton.jit
def product_kernel(a_ptr, b_ptr, out_ptr, OUT: tl.constexpr, HOW: tl.constexpr, T: tl.constexpr):
    i, j = tl.arange(0, T)[:, None], tl.arange(0, T)[None, :]
    a, b = tl.load(a_ptr + i * T + j), tl.load(b_ptr + i * T + j)
    c = tl.dot(a, b, out_dtype=OUT) if HOW == "unless told" else tl.dot(a, b, input_precision=HOW, out_dtype=OUT)
    tl.store(out_ptr + i * T + j, c.to(out_ptr.dtype.element_ty))


def product(a, b, narrow=False, how="unless told"):
    out = torch.empty_like(a)
    product_kernel[(1,)](a, b, out, OUT=tl.float16 if narrow else tl.float32, HOW=how, T=16)
    return out


@triton.jit
def sum_of_two_kernel(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at) + tl.load(y_ptr + at))


def sum_of_two(x, y):
    out = torch.empty_like(x)
    sum_of_two_kernel[(1,)](x, y, out, BLOCK=64)
    return out


@triton.autotune([triton.Config({"BLOCK": block}) for block in (32, 64, 128, 256)], key=["n", "m"])
@triton.jit
def tuned_kernel(x_ptr, out_ptr, n, m, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at, mask=at < n, other=0.0), mask=at < n)


def tuned(x, fixed=False):
    out = torch.empty_like(x)
    n = x.numel()
    grid = (triton.cdiv(n, 32),) if fixed else lambda config: (triton.cdiv(n, config["BLOCK"]),)
    tuned_kernel[grid](x, out, n, 1)
    return out


@triton.jit
def largest_kernel(x_ptr, out_ptr, n_cols, PADDING: tl.constexpr, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + tl.program_id(0) * n_cols + cols, mask=cols < n_cols, other=PADDING)
    tl.store(out_ptr + tl.program_id(0), tl.max(x, axis=0))


def largest(x, padding=-float("inf")):
    out = torch.empty(x.shape[:1], dtype=x.dtype, device=x.device)
    largest_kernel[(x.shape[0],)](x, out, x.shape[1], PADDING=padding, BLOCK=triton.next_power_of_2(x.shape[1]))
    return out
