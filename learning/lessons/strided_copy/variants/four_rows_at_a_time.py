"""A program owns four rows and walks along them in tiles of 512 columns; each row's address is a pointer of its own."""

import torch
import triton
import triton.language as tl


@triton.jit
def rows_kernel(x_ptr, out_ptr, row_stride, col_stride, n_rows, n_cols, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * 4 + tl.arange(0, 4)[:, None]
    source, target = x_ptr + rows * row_stride, out_ptr + rows * n_cols
    for start in range(0, n_cols, BLOCK):
        cols = start + tl.arange(0, BLOCK)[None, :]
        mask = (rows < n_rows) & (cols < n_cols)
        tl.store(target + cols, tl.load(source + cols * col_stride, mask=mask), mask=mask)


def materialise(x):
    out = torch.empty(x.shape, dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(x.shape[0], 4),)
    rows_kernel[grid](x, out, x.stride(0), x.stride(1), x.shape[0], x.shape[1], BLOCK=512)
    return out
