"""A global ``tl.constexpr`` and a jitted helper with an eviction hint."""

import torch
import triton
import triton.language as tl

BLOCK = tl.constexpr(512)

@triton.jit
def widen(p, offsets, mask):
    return tl.load(p + offsets, mask=mask, eviction_policy="evict_first").to(tl.float32)

@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, (widen(x_ptr, offsets, mask) + widen(y_ptr, offsets, mask)).to(out_ptr.dtype.element_ty), mask=mask)

def add(x, y):
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), BLOCK.value),)](x, y, out, x.numel())
    return out
