"""One small launch, so that workers forked afterwards find Triton's interpreter, or its compiled driver module, warm."""

from __future__ import annotations

import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask, other=0.0), mask=mask)


def launch(torch_device: str = "cpu") -> None:
    """Copy 16 numbers through a kernel; raises ``RuntimeError`` where they do not arrive."""
    x = torch.arange(16, dtype=torch.float32, device=torch_device)
    out = torch.empty_like(x)
    copy_kernel[(1,)](x, out, 16, BLOCK=16)
    if torch_device == "cpu":
        from learning.lens import recorder, witness  # noqa: F401  (bound before learner code runs)
    if not torch.equal(x, out):
        raise RuntimeError("a kernel did not copy 16 numbers: see `learning.lens.device`")
