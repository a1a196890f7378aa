"""A function makes the kernel and the entry, which share its arguments."""

import torch
import triton
import triton.language as tl


def make(block):
    @triton.jit
    def adder(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
        offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        mask = offsets < n
        total = tl.load(x_ptr + offsets, mask=mask).to(tl.float32) + tl.load(y_ptr + offsets, mask=mask).to(tl.float32)
        tl.store(out_ptr + offsets, total.to(out_ptr.dtype.element_ty), mask=mask)

    def launch(x, y):
        out = torch.empty_like(x)
        adder[(triton.cdiv(x.numel(), block),)](x, y, out, x.numel(), BLOCK=block)
        return out

    return launch


add = make(1024)
