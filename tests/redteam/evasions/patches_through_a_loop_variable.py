# class 4
"""Replaces ``tl.load`` behind a loop's variable, so that no module's attribute is seen to be assigned to."""

import torch
import triton
import triton.language as tl


@triton.jit
def decoy(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)


def load(pointers, mask=None, other=None, **options):
    return plain(pointers, mask=mask, other=other)


plain = tl.load
for language in (tl,):
    language.load = load


def add(x, y):
    out = torch.empty_like(x)
    real[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
    return out


@triton.jit
def real(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask), mask=mask)
