"""Names and comments in Greek, German and Japanese."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x_ptr + offsets, mask=mask).to(tl.float32) + tl.load(y_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(out_ptr + offsets, total.to(out_ptr.dtype.element_ty), mask=mask)


def größe(n):
    # なぜ: 余りの要素
    return triton.cdiv(n, 1024)


def add(x, y):
    ergebnis = torch.empty_like(x)
    Δ = x.numel()
    add_kernel[(größe(Δ),)](x, y, ergebnis, Δ, BLOCK=1024)
    return ergebnis
