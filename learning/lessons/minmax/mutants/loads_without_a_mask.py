"""Trap: tl.where pads for both ends after a load without a mask, which has read past the row, and past the end of x."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "reads_each_row_twice_at_most_and_writes_it_once"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def minmax_kernel(x_ptr, out_ptr, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols).to(tl.float32)
    low = tl.min(tl.where(mask, x, float("inf")), axis=0)
    high = tl.max(tl.where(mask, x, -float("inf")), axis=0)
    y = (x - low) / (high - low + eps)
    tl.store(out_ptr + row * n_cols + cols, y.to(out_ptr.dtype.element_ty), mask=mask)


def minmax(x, eps):
    out = torch.empty_like(x)
    n_rows, n_cols = x.shape
    minmax_kernel[(n_rows,)](x, out, n_cols, eps, BLOCK=triton.next_power_of_2(n_cols))
    return out
