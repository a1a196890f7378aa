"""Asks Triton's driver for the card, catches Triton's own errors, and names its kernel's type."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x_ptr + offsets, mask=mask).to(tl.float32) + tl.load(y_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(out_ptr + offsets, total.to(out_ptr.dtype.element_ty), mask=mask)


def warps(kernel: triton.runtime.JITFunction) -> int:
    try:
        capability = triton.runtime.driver.active.get_current_target().arch
    except (triton.runtime.errors.OutOfResources, AttributeError, RuntimeError):
        capability = 0
    return 8 if capability == 90 else 4

def add(x, y):
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024, num_warps=warps(add_kernel))
    return out
