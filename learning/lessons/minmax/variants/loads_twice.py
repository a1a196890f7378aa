"""Two loads, each with the padding its reduction needs: the row is requested twice."""

import torch
import triton
import triton.language as tl


@triton.jit
def minmax_kernel(x_ptr, out_ptr, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    at = x_ptr + row * n_cols + cols
    low = tl.min(tl.load(at, mask=mask, other=float("inf")).to(tl.float32), axis=0)
    x = tl.load(at, mask=mask, other=-float("inf")).to(tl.float32)
    high = tl.max(x, axis=0)
    y = (x - low) / (high - low + eps)
    tl.store(out_ptr + row * n_cols + cols, y.to(out_ptr.dtype.element_ty), mask=mask)


def minmax(x, eps):
    out = torch.empty_like(x)
    n_rows, n_cols = x.shape
    block = triton.next_power_of_2(n_cols)
    minmax_kernel[(n_rows,)](x, out, n_cols, eps, BLOCK=block)
    return out
