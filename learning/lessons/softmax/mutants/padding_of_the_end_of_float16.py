"""Trap: -65504, the end of float16, stands in for minus infinity, which holds until a float32 row lies below it."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "reads_each_row_twice_at_most_and_writes_it_once"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def softmax_kernel(x_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=-65504.0).to(tl.float32)
    weights = tl.where(mask, tl.exp(x - tl.max(x, axis=0)), 0.0)
    shares = weights / tl.sum(weights, axis=0)
    tl.store(out_ptr + row * n_cols + cols, shares.to(out_ptr.dtype.element_ty), mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    out = torch.empty_like(x)
    block = triton.next_power_of_2(n_cols)
    softmax_kernel[(n_rows,)](x, out, n_cols, BLOCK=block, num_warps=max(4, block // 512))
    return out
