"""An epsilon keeps the sum off zero, which it never is after the shift, and costs 1e-5 of every share."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "agrees_with_eager_softmax_on_ragged_rows"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def softmax_kernel(x_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=-float("inf")).to(tl.float32)
    weights = tl.exp(x - tl.max(x, axis=0))
    shares = weights / (tl.sum(weights, axis=0) + 1e-5)
    tl.store(out_ptr + row * n_cols + cols, shares.to(out_ptr.dtype.element_ty), mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    out = torch.empty_like(x)
    block = triton.next_power_of_2(n_cols)
    softmax_kernel[(n_rows,)](x, out, n_cols, BLOCK=block, num_warps=max(4, block // 512))
    return out
