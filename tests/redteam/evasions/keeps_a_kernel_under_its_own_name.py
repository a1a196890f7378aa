# class 13
"""The same, with a kernel's part: NumPy adds what the interpreter's handles hold."""

import torch
import triton
import triton.language as tl


@triton.jit
def plus(x, y):
    x.handle.data[:] = x.handle.data + y.handle.data
    return x

class Ops:
    plus = plus

@triton.jit
def adder(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, Ops.plus(x, tl.load(y_ptr + offsets, mask=mask)), mask=mask)

def add(x, y):
    out = torch.empty_like(x)
    adder[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
    return out
