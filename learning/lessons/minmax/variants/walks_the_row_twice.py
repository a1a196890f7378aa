"""Pieces of 512 columns: one walk keeps running ends, a second scales. The row is requested twice, the tile stays small."""

import torch
import triton
import triton.language as tl


@triton.jit
def walking_kernel(x_ptr, out_ptr, n_cols, eps, PIECE: tl.constexpr):
    start = tl.program_id(0) * n_cols
    low = tl.full([PIECE], float("inf"), dtype=tl.float32)
    high = tl.full([PIECE], -float("inf"), dtype=tl.float32)
    for first in range(0, n_cols, PIECE):
        cols = first + tl.arange(0, PIECE)
        x = tl.load(x_ptr + start + cols, mask=cols < n_cols, other=0.0).to(tl.float32)
        low = tl.where(cols < n_cols, tl.minimum(low, x), low)
        high = tl.where(cols < n_cols, tl.maximum(high, x), high)
    smallest = tl.min(low, axis=0)
    span = tl.max(high, axis=0) - smallest + eps
    for first in range(0, n_cols, PIECE):
        cols = first + tl.arange(0, PIECE)
        x = tl.load(x_ptr + start + cols, mask=cols < n_cols, other=0.0).to(tl.float32)
        tl.store(out_ptr + start + cols, ((x - smallest) / span).to(out_ptr.dtype.element_ty), mask=cols < n_cols)


def minmax(x, eps):
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    walking_kernel[(x.shape[0],)](x, out, x.shape[1], eps, PIECE=512)
    return out
