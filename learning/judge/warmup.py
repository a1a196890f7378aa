"""One small launch in Triton's interpreter, so that workers forked afterwards find it warm."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask, other=0.0), mask=mask)


def launch() -> None:
    """Copy 16 numbers through a kernel; raises ``RuntimeError`` where the interpreter does not copy them."""
    x = torch.arange(16, dtype=torch.float32)
    out = torch.empty_like(x)
    copy_kernel[(1,)](x, out, 16, BLOCK=16)
    if not torch.equal(x, out):
        raise RuntimeError("Triton's interpreter did not copy 16 numbers: see `learning.lens.device`")
