"""A decorator puts launchers into a table that the entry looks them up in."""

import torch
import triton
import triton.language as tl


@triton.jit
def adder(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x_ptr + offsets, mask=mask).to(tl.float32) + tl.load(y_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(out_ptr + offsets, total.to(out_ptr.dtype.element_ty), mask=mask)


LAUNCHERS = {}


def launcher(name):
    def keep(function):
        LAUNCHERS[name] = function
        return function

    return keep


@launcher("small")
def _small(x, y, out):
    adder[(triton.cdiv(x.numel(), 256),)](x, y, out, x.numel(), BLOCK=256)


@launcher("large")
def _large(x, y, out):
    adder[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)


def add(x, y):
    out = torch.empty_like(x)
    LAUNCHERS["small" if x.numel() < 1000 else "large"](x, y, out)
    return out
