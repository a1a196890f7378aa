"""Annotations that are computed at definition, a constant dictionary, a keyword with a default from it."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n: tl.int32, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x_ptr + offsets, mask=mask).to(tl.float32) + tl.load(y_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(out_ptr + offsets, total.to(out_ptr.dtype.element_ty), mask=mask)


SIZES: dict[str, int] = {"block": 1024}
Tensor = torch.Tensor

def add(x: torch.Tensor, y: Tensor, *, block: int = SIZES["block"]) -> torch.Tensor:
    out: torch.Tensor = torch.empty(x.size(), dtype=x.dtype, device=x.device)
    n: int = out.numel()
    add_kernel[(triton.cdiv(n, block),)](x, y, out, n, BLOCK=block)
    return out
