"""Launches come from a generator, inside a class with ``with``, and the grid is a function with a default."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x_ptr + offsets, mask=mask).to(tl.float32) + tl.load(y_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(out_ptr + offsets, total.to(out_ptr.dtype.element_ty), mask=mask)


class Launching:
    def __init__(self, *tensors):
        self.tensors = tensors
    def __enter__(self):
        return self
    def __exit__(self, *exc):
        return None
    def steps(self, block=1024):
        x, y, out = self.tensors
        for start in range(0, x.numel(), 4096):
            yield tuple(t[start : start + 4096] for t in self.tensors), block

def add(x, y):
    out = torch.empty_like(x).fill_(0)
    with Launching(x, y, out) as launching:
        for (a, b, c), block in launching.steps():
            def grid(meta, n=a.numel()):
                return (triton.cdiv(n, meta["BLOCK"]),)
            add_kernel[grid](a, b, c, a.numel(), BLOCK=block)
    return out
