# class 13
"""A function marked as one of the language's own is handed what computes, in the kernel."""

import torch
import triton
import triton.language as tl


@triton.jit
def decoy(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x - tl.load(y_ptr + offsets, mask=mask), mask=mask)


@tl.core.builtin
def own(x, y, _semantic=None):
    _semantic.builder.create_fadd = both
    return x + y

def both(a, b):
    a.data[:] = a.data + b.data
    return a

@triton.jit
def adder(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x, y = tl.load(x_ptr + offsets, mask=mask), tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, own(x, y), mask=mask)

def add(x, y):
    out = torch.empty_like(x)
    adder[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
    return out
