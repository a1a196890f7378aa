"""Lanes of one program stand as far apart as there are programs: every sum is right, and every load fetches 32 bytes for 4."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "runs_within_a_quarter_of_our_time"
DIES_ON = ("cuda",)


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n_elements, n_programs, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) + tl.arange(0, BLOCK) * n_programs
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    y = tl.load(y_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + offsets, (x + y).to(out_ptr.dtype.element_ty), mask=mask)


def add(x, y):
    out = torch.empty_like(x)
    programs = triton.cdiv(x.numel(), 1024)
    add_kernel[(programs,)](x, y, out, x.numel(), programs, BLOCK=1024)
    return out
