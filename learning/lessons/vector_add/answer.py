"""The supplied answer of L1: one program a tile of 1024 neighbours, a mask where the last tile hangs over the end."""

import torch
import triton
import triton.language as tl

from learning.contract import require


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n_elements, BLOCK: tl.constexpr):
    """One program: out[i] = x[i] + y[i] for the BLOCK neighbours that are its own.

    x_ptr, y_ptr, out_ptr: where the first elements lie
    n_elements: how many elements exist
    BLOCK: how many one program owns; a power of two, known when the kernel is compiled
    """
    # 1. Which program am I? (tl.program_id)
    # 2. Which elements are mine? BLOCK offsets, one per lane. (tl.arange)
    # 3. Which of them exist? One true or false per lane.
    # 4. Load x and y at those offsets, widened to float32. (tl.load with mask=, .to)
    # 5. Add; round to the output's element type; store. (out_ptr.dtype.element_ty, tl.store)
    ### BEGIN SOLUTION
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    y = tl.load(y_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + offsets, (x + y).to(out_ptr.dtype.element_ty), mask=mask)
    ### END SOLUTION


def add(x, y):
    """Return x + y for contiguous 1-D tensors of one length, dtype and device."""
    require(x=x, y=y, rank=1, same_shape=True, contiguous=True)
    # 1. Make room for the result: like x, its contents not yet decided. (torch.empty_like)
    # 2. How many programs own all the elements between them? (triton.cdiv)
    # 3. Launch that many: add_kernel[grid](…, BLOCK=1024)
    # 4. Return the result.
    ### BEGIN SOLUTION
    out = torch.empty_like(x)
    n_elements = x.numel()
    block = 1024
    grid = (triton.cdiv(n_elements, block),)
    add_kernel[grid](x, y, out, n_elements, BLOCK=block)
    return out
    ### END SOLUTION
