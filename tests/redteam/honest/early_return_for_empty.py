"""Returns early where there is nothing to add; a grid of three numbers, two warps."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x_ptr + offsets, mask=mask).to(tl.float32) + tl.load(y_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(out_ptr + offsets, total.to(out_ptr.dtype.element_ty), mask=mask)


def add(x, y):
    out = torch.empty_like(x)
    if x.numel() == 0:
        return out
    n = x.numel()
    add_kernel[(triton.cdiv(n, 1024), 1, 1)](x, y, out, n, BLOCK=1024, num_warps=2, num_stages=1)
    return out
