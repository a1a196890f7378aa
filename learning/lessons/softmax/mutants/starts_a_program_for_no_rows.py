"""At least one program is started, and for zero rows it writes a row that nobody allocated."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "returns_an_empty_tensor_for_zero_rows"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def softmax_kernel(x_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=-float("inf")).to(tl.float32)
    weights = tl.exp(x - tl.max(x, axis=0))
    shares = weights / tl.sum(weights, axis=0)
    tl.store(out_ptr + row * n_cols + cols, shares.to(out_ptr.dtype.element_ty), mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    out = torch.empty_like(x)
    block = triton.next_power_of_2(n_cols)
    softmax_kernel[(max(n_rows, 1),)](x, out, n_cols, BLOCK=block, num_warps=max(4, block // 512))
    return out
