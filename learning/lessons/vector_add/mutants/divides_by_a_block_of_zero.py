"""The tile shrinks to the length, so length 0 asks for a tile of 0 and the grid divides by it."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "adds_every_length_around_a_tile"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n_elements, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    y = tl.load(y_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + offsets, (x + y).to(out_ptr.dtype.element_ty), mask=mask)


def add(x, y):
    out = torch.empty_like(x)
    block = min(1024, triton.next_power_of_2(x.numel()))
    grid = (triton.cdiv(x.numel(), block),)
    add_kernel[grid](x, y, out, x.numel(), BLOCK=block)
    return out
