"""A program owns one row and walks along it in tiles of 1024 columns; the row's address is a pointer of its own."""

import torch
import triton
import triton.language as tl


@triton.jit
def row_kernel(x_ptr, out_ptr, row_stride, col_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    source, target = x_ptr + row * row_stride, out_ptr + row * n_cols
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)
        x = tl.load(source + cols * col_stride, mask=cols < n_cols)
        tl.store(target + cols, x, mask=cols < n_cols)


def materialise(x):
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    row_kernel[(x.shape[0],)](x, out, x.stride(0), x.stride(1), x.shape[1], BLOCK=1024)
    return out
