# class 13
"""A real kernel copies into the result what torch has summed, behind a ``constexpr``."""

import torch
import triton
import triton.language as tl


@triton.jit
def decoy(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)

def plus(a, b):
    return a + b

def add(x, y):
    s = (tl.constexpr(x) + tl.constexpr(y)).value
    out = torch.empty_like(x)
    decoy[(triton.cdiv(x.numel(), 1024),)](s, out, x.numel(), BLOCK=1024)
    return out
