"""L1 from memory: a number beside the pointers."""

import torch
import triton
import triton.language as tl


def reference(x, y, alpha):
    return (x.float() + alpha * y.float()).to(x.dtype)


@triton.jit
def scaled_kernel(x_ptr, y_ptr, out_ptr, n_elements, alpha, BLOCK: tl.constexpr):
    """One program: out[i] = x[i] + alpha y[i] for the BLOCK neighbours that are its own.

    x_ptr, y_ptr, out_ptr: where the first elements lie
    n_elements: how many elements exist
    BLOCK: how many one program owns; a power of two, known when the kernel is compiled
    """
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    y = tl.load(y_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + offsets, (x + alpha * y).to(out_ptr.dtype.element_ty), mask=mask)


def add_scaled(x, y, alpha):
    """Return x + alpha y for contiguous 1-D tensors of one length, dtype and device."""
    out = torch.empty_like(x)
    n_elements = x.numel()
    block = 1024
    grid = (triton.cdiv(n_elements, block),)
    scaled_kernel[grid](x, y, out, n_elements, alpha, BLOCK=block)
    return out
