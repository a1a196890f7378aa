# class 13
"""The kernel's own body, plain Python under the interpreter, calls torch on tensors from a list."""

import torch
import triton
import triton.language as tl


@triton.jit
def k(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    HOLD[2].copy_(HOLD[0] + HOLD[1])
    tl.store(out_ptr, tl.load(out_ptr))

HOLD = []
def add(x, y):
    out = torch.empty_like(x)
    HOLD[:] = [x, y, out]
    k[(1,)](x, out, x.numel(), BLOCK=1024)
    return out
