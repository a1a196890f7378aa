"""A table of tiles by length, walked with a loop and a walrus."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x_ptr + offsets, mask=mask).to(tl.float32) + tl.load(y_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(out_ptr + offsets, total.to(out_ptr.dtype.element_ty), mask=mask)


TABLE = ((100, 64), (5000, 512), (1 << 40, 1024))


def add(x, y):
    out = torch.empty_like(x)
    n = x.numel()
    block = next(b for most, b in TABLE if n <= most)
    add_kernel[(triton.cdiv(n, block),)](x, y, out, n, BLOCK=block)
    return out
