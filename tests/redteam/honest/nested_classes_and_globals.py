"""A class inside a function, class attributes that use the function's locals, a counter declared global."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x_ptr + offsets, mask=mask).to(tl.float32) + tl.load(y_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(out_ptr + offsets, total.to(out_ptr.dtype.element_ty), mask=mask)


COUNT = 0

def plan_of(n, block):
    class Plan:
        size = block
        programs = triton.cdiv(n, size) if n else 0

        def __init__(self, warps=4):
            self.warps = warps

        def launch(self, x, y, out):
            global COUNT
            COUNT += 1
            if self.programs:
                add_kernel[(self.programs,)](x, y, out, n, BLOCK=self.size, num_warps=self.warps)
    return Plan()

def add(x, y):
    out = torch.empty_like(x)
    plan_of(x.numel(), 512).launch(x, y, out)
    return out
