"""At most 528 programs walk over the rows, each in steps of as many rows as there are programs."""

import torch
import triton
import triton.language as tl


@triton.jit
def walking_kernel(x_ptr, out_ptr, n_rows, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    for row in range(tl.program_id(0), n_rows, tl.num_programs(0)):
        x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=-float("inf")).to(tl.float32)
        weights = tl.exp(x - tl.max(x, axis=0))
        shares = weights / tl.sum(weights, axis=0)
        tl.store(out_ptr + row * n_cols + cols, shares.to(out_ptr.dtype.element_ty), mask=mask)


def softmax(x):
    n_rows, n_cols = x.shape
    out = torch.empty_like(x)
    block = triton.next_power_of_2(n_cols)
    walking_kernel[(min(n_rows, 528),)](x, out, n_rows, n_cols, BLOCK=block, num_warps=max(4, block // 512))
    return out
