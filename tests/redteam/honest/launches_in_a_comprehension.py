"""Cuts its arguments into views and launches one kernel a piece, all in one comprehension."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x_ptr + offsets, mask=mask).to(tl.float32) + tl.load(y_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(out_ptr + offsets, total.to(out_ptr.dtype.element_ty), mask=mask)


def add(x, y):
    out = torch.empty_like(x)
    pieces = zip(x.split(2000), y.split(2000), out.split(2000), strict=True)
    [add_kernel[(triton.cdiv(a.numel(), 512),)](a, b, c, a.numel(), BLOCK=512) for a, b, c in pieces if a.numel()]
    return out
