# class 15, parity
"""A kernel whose loop waits for a value that nobody stores."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, total, mask=mask)


def launch(x, y, out, times=1):
    for _ in range(times):
        add_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
    return out


@triton.jit
def waits(flag_ptr, out_ptr):
    value = tl.load(flag_ptr, volatile=True)
    while value == 0.0:
        value = tl.load(flag_ptr, volatile=True)
    tl.store(out_ptr, value)


def add(x, y):
    out = torch.zeros_like(x)
    waits[(1,)](torch.zeros(1, device=x.device), out)
    return out
