"""Lanes beyond the end hold 0 by ``other``; cache and eviction hints."""

import torch
import triton
import triton.language as tl


@triton.jit
def hint_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0, cache_modifier=".cg")
    y = tl.load(y_ptr + offsets, mask=mask, other=0.0, eviction_policy="evict_first")
    total = x.to(tl.float32) + y.to(tl.float32)
    tl.store(out_ptr + offsets, total.to(out_ptr.dtype.element_ty), mask=mask, cache_modifier=".cs")


def add(x, y):
    out = torch.empty_like(x)
    hint_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
    return out
