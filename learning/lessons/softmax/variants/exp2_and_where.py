"""Loads pad with 0 and tl.where puts what each reduction needs; exp2 with log2(e) takes the place of exp."""

import torch
import triton
import triton.language as tl

LOG2_E = tl.constexpr(1.4426950408889634)


@triton.jit
def where_kernel(x_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0).to(tl.float32)
    shifted = tl.where(mask, x - tl.max(tl.where(mask, x, -float("inf")), axis=0), 0.0)
    weights = tl.where(mask, tl.exp2(shifted * LOG2_E), 0.0)
    shares = weights * (1.0 / tl.sum(weights, axis=0))
    tl.store(out_ptr + row * n_cols + cols, shares.to(out_ptr.dtype.element_ty), mask=mask)


def softmax(x):
    out = torch.zeros_like(x)
    if x.shape[0] > 0:
        where_kernel[(x.shape[0],)](x, out, x.shape[1], BLOCK=max(32, triton.next_power_of_2(x.shape[1])), num_warps=8)
    return out
