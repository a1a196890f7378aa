"""Real Triton kernels, right and wrong, for tests of the judge on the device at hand. Open the device before importing."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr, MASKED: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n if MASKED else offsets < n + BLOCK
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0).to(tl.float32)
    y = tl.load(y_ptr + offsets, mask=offsets < n, other=0.0).to(tl.float32)
    tl.store(out_ptr + offsets, (x + y).to(out_ptr.dtype.element_ty), mask=mask)


def add(x, y, masked=True):
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 256),)](x, y, out, x.numel(), BLOCK=256, MASKED=masked)
    return out


def add_past_the_end(x, y):
    return add(x, y, masked=False)


@triton.jit
def softmax_kernel(x_ptr, out_ptr, stride, n_cols, BLOCK: tl.constexpr):
    """One row a program, in two passes over tiles of BLOCK columns with a running maximum and sum."""
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    top = tl.full((), -float("inf"), tl.float32)
    total = tl.full((), 0.0, tl.float32)
    for start in range(0, n_cols, BLOCK):
        at = start + cols
        x = tl.load(x_ptr + row * stride + at, mask=at < n_cols, other=-float("inf")).to(tl.float32)
        new = tl.maximum(top, tl.max(x, axis=0))
        total = total * tl.exp(top - new) + tl.sum(tl.exp(x - new), axis=0)
        top = new
    for start in range(0, n_cols, BLOCK):
        at = start + cols
        x = tl.load(x_ptr + row * stride + at, mask=at < n_cols, other=-float("inf")).to(tl.float32)
        y = tl.exp(x - top) / total
        tl.store(out_ptr + row * n_cols + at, y.to(out_ptr.dtype.element_ty), mask=at < n_cols)


def softmax(x, *, block=128):
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    softmax_kernel[(x.shape[0],)](x, out, x.stride(0), x.shape[1], BLOCK=block)
    return out


@triton.jit
def matmul_kernel(a_ptr, b_ptr, c_ptr, M, N, K, PRECISION: tl.constexpr, HALF: tl.constexpr, T: tl.constexpr):
    rows = tl.program_id(0) * T + tl.arange(0, T)
    cols = tl.program_id(1) * T + tl.arange(0, T)
    acc = tl.zeros((T, T), tl.float32)
    for start in range(0, K, T):
        inner = start + tl.arange(0, T)
        a = tl.load(
            a_ptr + rows[:, None] * K + inner[None, :], mask=(rows[:, None] < M) & (inner[None, :] < K), other=0.0
        )
        b = tl.load(
            b_ptr + inner[:, None] * N + cols[None, :], mask=(inner[:, None] < K) & (cols[None, :] < N), other=0.0
        )
        acc += tl.dot(a, b, input_precision=PRECISION)
        if HALF:
            acc = acc.to(tl.float16).to(tl.float32)
    out = c_ptr + rows[:, None] * N + cols[None, :]
    tl.store(out, acc.to(c_ptr.dtype.element_ty), mask=(rows[:, None] < M) & (cols[None, :] < N))


def matmul(a, b, *, precision="ieee", half=False):
    (m, k), n = a.shape, b.shape[1]
    out = torch.empty((m, n), dtype=a.dtype, device=a.device)
    grid = (triton.cdiv(m, 32), triton.cdiv(n, 32))
    matmul_kernel[grid](a, b, out, m, n, k, PRECISION=precision, HALF=half, T=32)
    return out


def matmul_tf32(a, b):
    return matmul(a, b, precision="tf32")


def matmul_in_half(a, b):
    return matmul(a, b, half=True)


@triton.jit
def sum_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out_ptr, tl.sum(tl.load(x_ptr + offsets, mask=offsets < n, other=0.0), axis=0))


def atomic_sum(x):
    out = torch.zeros(1, dtype=x.dtype, device=x.device)
    sum_kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out


@triton.jit
def racing_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    """Every program adds its tile to the same element without an atomic: the last to store wins."""
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tile = tl.sum(tl.load(x_ptr + offsets, mask=offsets < n, other=0.0), axis=0)
    tl.store(out_ptr, tl.load(out_ptr) + tile)


def racing_sum(x):
    out = torch.zeros(1, dtype=x.dtype, device=x.device)
    racing_kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), BLOCK=64)
    return out
