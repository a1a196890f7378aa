"""x is stored in the result, loaded back and added to: right, and five arrays cross memory instead of three."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "asks_memory_for_each_number_once"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n_elements, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n_elements
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask, other=0.0), mask=mask)
    total = tl.load(out_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    total += tl.load(y_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + offsets, total.to(out_ptr.dtype.element_ty), mask=mask)


def add(x, y):
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
    return out
