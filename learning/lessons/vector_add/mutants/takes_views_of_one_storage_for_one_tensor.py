"""Two views of one storage are told apart by the storage alone, so the second is read as the first."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "pairs_each_index_with_its_own_partner"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n_elements, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    y = tl.load(y_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + offsets, (x + y).to(out_ptr.dtype.element_ty), mask=mask)


def add(x, y):
    if x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr():
        y = x
    out = torch.empty_like(x)
    grid = (triton.cdiv(x.numel(), 1024),)
    add_kernel[grid](x, y, out, x.numel(), BLOCK=1024)
    return out
