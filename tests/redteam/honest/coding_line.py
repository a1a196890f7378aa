# -*- coding: utf-8 -*-
"""A coding line on top of the cell, as editors leave it, and names in other scripts below it."""

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
    ergebnis_für_alle = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, ergebnis_für_alle, x.numel(), BLOCK=1024)
    return ergebnis_für_alle
