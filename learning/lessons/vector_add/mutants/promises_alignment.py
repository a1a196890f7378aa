"""The compiler is told that every address is a multiple of 16, and a view that starts late makes it a lie."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "adds_tensors_that_start_one_element_late"
DIES_ON = ("cuda",)


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n_elements, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n_elements
    x = tl.load(tl.multiple_of(x_ptr + offsets, 16), mask=mask, other=0.0).to(tl.float32)
    y = tl.load(tl.multiple_of(y_ptr + offsets, 16), mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + offsets, (x + y).to(out_ptr.dtype.element_ty), mask=mask)


def add(x, y):
    out = torch.empty_like(x)
    grid = (triton.cdiv(x.numel(), 1024),)
    add_kernel[grid](x, y, out, x.numel(), BLOCK=1024)
    return out
