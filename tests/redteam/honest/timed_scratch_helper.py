"""A decorated test of its own in the answer cell, which adds with torch, prints and reads values."""

import torch
import triton
import triton.language as tl


@triton.jit
def adder(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x_ptr + offsets, mask=mask).to(tl.float32) + tl.load(y_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(out_ptr + offsets, total.to(out_ptr.dtype.element_ty), mask=mask)


def checked(test):
    def run(*sizes):
        for size in sizes:
            print(test.__name__, size, test(size))
        return test

    return run


def add(x, y):
    out = torch.empty_like(x)
    adder[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
    return out


@checked
def matches(size):
    x, y = torch.randn(size), torch.randn(size)
    return torch.allclose(add(x, y), x + y)

matches(3, 1000, 1025)
history = [float(add(torch.ones(2), torch.ones(2)).sum()) for _ in range(3)]
print(history, add(torch.ones(3), torch.ones(3)).tolist())
