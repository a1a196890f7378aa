"""PyTorch finds both ends, in two passes more, and the kernel only scales."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "keeps_the_house_rules"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def minmax_kernel(x_ptr, out_ptr, low_ptr, high_ptr, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0).to(tl.float32)
    low = tl.load(low_ptr + row).to(tl.float32)
    high = tl.load(high_ptr + row).to(tl.float32)
    y = (x - low) / (high - low + eps)
    tl.store(out_ptr + row * n_cols + cols, y.to(out_ptr.dtype.element_ty), mask=mask)


def minmax(x, eps):
    out = torch.empty_like(x)
    n_rows, n_cols = x.shape
    block = triton.next_power_of_2(n_cols)
    minmax_kernel[(n_rows,)](x, out, x.amin(dim=1), x.amax(dim=1), n_cols, eps, BLOCK=block)
    return out
