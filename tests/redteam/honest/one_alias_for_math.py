"""Triton's language and its math under names of their own, and a kernel reached through a dictionary."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x_ptr + offsets, mask=mask).to(tl.float32) + tl.load(y_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(out_ptr + offsets, total.to(out_ptr.dtype.element_ty), mask=mask)


lib = tl
maths = tl.math
TABLE = {"small": add_kernel, "large": add_kernel}

def add(x, y):
    out = torch.empty_like(x)
    size = "small" if x.numel() < 1024 else "large"
    TABLE[size][(lib.cdiv(x.numel(), 1024) if False else triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
    return out
