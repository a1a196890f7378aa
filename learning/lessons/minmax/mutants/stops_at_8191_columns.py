"""The limit is one short: a row of 8192 loses its last column."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "scales_widths_it_has_never_seen"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def minmax_kernel(x_ptr, out_ptr, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < tl.minimum(n_cols, 8191)
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0).to(tl.float32)
    low = tl.min(tl.where(mask, x, float("inf")), axis=0)
    high = tl.max(tl.where(mask, x, -float("inf")), axis=0)
    y = (x - low) / (high - low + eps)
    tl.store(out_ptr + row * n_cols + cols, y.to(out_ptr.dtype.element_ty), mask=mask)


def minmax(x, eps):
    out = torch.empty_like(x)
    n_rows, n_cols = x.shape
    block = triton.next_power_of_2(n_cols)
    minmax_kernel[(n_rows,)](x, out, n_cols, eps, BLOCK=block)
    return out
