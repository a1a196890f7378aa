"""A class with slots and a call of its own."""

import torch
import triton
import triton.language as tl


@triton.jit
def adder(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x_ptr + offsets, mask=mask).to(tl.float32) + tl.load(y_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(out_ptr + offsets, total.to(out_ptr.dtype.element_ty), mask=mask)


class Adder:
    __slots__ = ("block",)

    def __init__(self, block=1024):
        self.block = block

    def __call__(self, x, y):
        out = x.new_empty(x.shape)
        adder[self.grid(x)](x, y, out, x.numel(), BLOCK=self.block)
        return out

    def grid(self, x):
        return (triton.cdiv(x.numel(), self.block),)

    def __repr__(self):
        return f"Adder({self.block})"


_adder = Adder()


def add(x, y):
    return _adder(x, y)
