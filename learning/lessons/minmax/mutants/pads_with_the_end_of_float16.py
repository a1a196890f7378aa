"""Trap: 65504, float16's largest, is taken for the largest of float32 too."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "survives_the_ends_of_the_dtype"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def minmax_kernel(x_ptr, out_ptr, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0).to(tl.float32)
    low = tl.min(tl.where(mask, x, 65504.0), axis=0)
    high = tl.max(tl.where(mask, x, -65504.0), axis=0)
    y = (x - low) / (high - low + eps)
    tl.store(out_ptr + row * n_cols + cols, y.to(out_ptr.dtype.element_ty), mask=mask)


def minmax(x, eps):
    out = torch.empty_like(x)
    n_rows, n_cols = x.shape
    block = triton.next_power_of_2(n_cols)
    minmax_kernel[(n_rows,)](x, out, n_cols, eps, BLOCK=block)
    return out
