"""Views, a full output, and ``kernel.run`` instead of brackets."""

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
    flat, other = x.view(-1), y.detach().reshape(-1)
    out = torch.full_like(flat, 0)
    rows = out[: out.shape[0]].unsqueeze(0).squeeze(0)
    finfo = torch.finfo(x.dtype)
    if len(x) and finfo.bits in (16, 32):
        add_kernel.run(flat, other, rows, x.numel(), BLOCK=1024, grid=(triton.cdiv(x.numel(), 1024),), warmup=False)
    return out.view(x.shape)
