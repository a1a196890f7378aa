"""Five kernels whose traffic can be reckoned by hand, each at a size that no cache holds and at one that can be traced.

A case's traffic grows with its number of programs and with nothing else, so counts of the small size, times ``scale``, are
those of the large one; that is how an interpreter answers for a gigabyte. Import this after the device is open.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import triton
import triton.language as tl


@triton.jit
def lens_add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    total = tl.load(x_ptr + i, mask=mask, other=0.0) + tl.load(y_ptr + i, mask=mask, other=0.0)
    tl.store(out_ptr + i, total, mask=mask)


@triton.jit
def lens_softmax_one_tile_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    mask = cols < columns
    x = tl.load(x_ptr + row * columns + cols, mask=mask, other=float("-inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + row * columns + cols, e / tl.sum(e, axis=0), mask=mask)


@triton.jit
def lens_softmax_three_loops_kernel(x_ptr, out_ptr, columns, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    top = tl.full((BLOCK,), float("-inf"), tl.float32)
    for start in range(0, columns, BLOCK):
        mask = start + cols < columns
        top = tl.maximum(top, tl.load(x_ptr + row * columns + start + cols, mask=mask, other=float("-inf")))
    highest = tl.max(top, axis=0)
    sums = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, columns, BLOCK):
        mask = start + cols < columns
        sums += tl.exp(tl.load(x_ptr + row * columns + start + cols, mask=mask, other=float("-inf")) - highest)
    total = tl.sum(sums, axis=0)
    for start in range(0, columns, BLOCK):
        mask = start + cols < columns
        x = tl.load(x_ptr + row * columns + start + cols, mask=mask, other=float("-inf"))
        tl.store(out_ptr + row * columns + start + cols, tl.exp(x - highest) / total, mask=mask)


@triton.jit
def lens_rmsnorm_kernel(x_ptr, residual_ptr, weight_ptr, summed_ptr, out_ptr, columns, eps, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    mask = cols < columns
    here = row * columns + cols
    summed = tl.load(x_ptr + here, mask=mask, other=0.0) + tl.load(residual_ptr + here, mask=mask, other=0.0)
    tl.store(summed_ptr + here, summed, mask=mask)
    weight = tl.load(weight_ptr + cols, mask=mask, other=0.0)
    scale = tl.rsqrt(tl.sum(summed * summed, axis=0) / columns + eps)
    tl.store(out_ptr + here, summed * scale * weight, mask=mask)


@triton.jit
def lens_turned_copy_kernel(x_ptr, out_ptr, columns, stride_row, stride_column, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    mask = cols < columns
    x = tl.load(x_ptr + row * stride_row + cols.to(tl.int64) * stride_column, mask=mask, other=0.0)
    tl.store(out_ptr + row * columns + cols, x, mask=mask)


@dataclass(frozen=True)
class Case:
    """``make(small, place)`` gives (launch, {parameter: tensor}); the large size has ``scale`` times the small one's
    programs; ``note`` says what is to be seen."""

    kernel: Any
    make: Callable[[bool, str], tuple[Callable[[], Any], dict[str, torch.Tensor]]]
    scale: int
    note: str

    @property
    def name(self) -> str:
        return self.kernel.__name__


def _add(small: bool, place: str) -> tuple:
    n = (1 if small else 64) << 20
    x, y = torch.rand(n, device=place), torch.rand(n, device=place)
    out = torch.empty_like(x)
    grid = (triton.cdiv(n, 1024),)
    return lambda: lens_add_kernel[grid](x, y, out, n, BLOCK=1024), {"x_ptr": x, "y_ptr": y, "out_ptr": out}


def _rows(kernel: Any, rows: int, columns: int, block: int, place: str, **options: int) -> tuple:
    x = torch.rand(rows, columns, device=place)
    out = torch.empty_like(x)
    return lambda: kernel[(rows,)](x, out, columns, BLOCK=block, **options), {"x_ptr": x, "out_ptr": out}


def _one_tile(small: bool, place: str) -> tuple:
    return _rows(lens_softmax_one_tile_kernel, 64 if small else 16384, 8192, 8192, place, num_warps=8)


def _three_loops(small: bool, place: str) -> tuple:
    return _rows(lens_softmax_three_loops_kernel, 4 if small else 1024, 131072, 4096, place, num_warps=8)


def _rmsnorm(small: bool, place: str) -> tuple:
    rows, columns = 64 if small else 32768, 4096
    x, residual = torch.rand(rows, columns, device=place), torch.rand(rows, columns, device=place)
    weight, summed, out = torch.rand(columns, device=place), torch.empty_like(x), torch.empty_like(x)
    named = {"x_ptr": x, "residual_ptr": residual, "weight_ptr": weight, "summed_ptr": summed, "out_ptr": out}
    return lambda: lens_rmsnorm_kernel[(rows,)](
        x, residual, weight, summed, out, columns, 1e-6, BLOCK=4096, num_warps=8
    ), named


def _turned(small: bool, place: str) -> tuple:
    rows, columns = 64 if small else 16384, 8192
    x = torch.rand(columns, rows, device=place).t()
    out = torch.empty(rows, columns, device=place)
    grid = (rows, columns // 1024)
    return lambda: lens_turned_copy_kernel[grid](x, out, columns, *x.stride(), BLOCK=1024), {"x_ptr": x, "out_ptr": out}


CASES = (
    Case(lens_add_kernel, _add, 64, "every byte once: DRAM moves what is requested"),
    Case(lens_softmax_one_tile_kernel, _one_tile, 256, "a row in registers: read once"),
    Case(lens_softmax_three_loops_kernel, _three_loops, 256, "read three times; rows in flight exceed the L2"),
    Case(lens_rmsnorm_kernel, _rmsnorm, 512, "the weight is requested by every row and comes from the cache"),
    Case(lens_turned_copy_kernel, _turned, 256, "neighbouring lanes far apart: a sector for every element of x"),
)
