"""One result per length is kept and handed out again: the second call overwrites the first call's answer."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "leaves_its_inputs_alone_and_returns_fresh_memory"
DIES_ON = ("interpreter", "cuda")
BUFFERS = {}


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n_elements, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    y = tl.load(y_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + offsets, (x + y).to(out_ptr.dtype.element_ty), mask=mask)


def add(x, y):
    key = (x.numel(), x.dtype)
    out = BUFFERS.setdefault(key, torch.empty_like(x))
    grid = (triton.cdiv(x.numel(), 1024),)
    add_kernel[grid](x, y, out, x.numel(), BLOCK=1024)
    return out
