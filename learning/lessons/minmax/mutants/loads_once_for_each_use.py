"""A load for the minimum, one for the maximum and one for the scaling: right, and x is asked for three times."""

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
    at = x_ptr + row * n_cols + cols
    low = tl.min(tl.load(at, mask=mask, other=float("inf")).to(tl.float32), axis=0)
    high = tl.max(tl.load(at, mask=mask, other=-float("inf")).to(tl.float32), axis=0)
    x = tl.load(at, mask=mask, other=0.0).to(tl.float32)
    y = (x - low) / (high - low + eps)
    tl.store(out_ptr + row * n_cols + cols, y.to(out_ptr.dtype.element_ty), mask=mask)


def minmax(x, eps):
    out = torch.empty_like(x)
    n_rows, n_cols = x.shape
    minmax_kernel[(n_rows,)](x, out, n_cols, eps, BLOCK=triton.next_power_of_2(n_cols))
    return out
