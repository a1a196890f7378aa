"""Packed into a matrix of its own first, and from there into the result: right, and every element moves twice."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "moves_each_element_once"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def copy_kernel(x_ptr, out_ptr, x_row_stride, x_col_stride, n_rows, n_cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    tiles_across = tl.cdiv(n_cols, COLS)
    tile = tl.program_id(0)
    rows = tile // tiles_across * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tile % tiles_across * COLS + tl.arange(0, COLS)[None, :]
    mask = (rows < n_rows) & (cols < n_cols)
    x = tl.load(x_ptr + rows * x_row_stride + cols * x_col_stride, mask=mask, other=0.0)
    tl.store(out_ptr + rows * n_cols + cols, x, mask=mask)


def copied(x):
    n_rows, n_cols = x.shape
    out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(n_rows, 64) * triton.cdiv(n_cols, 64),)
    copy_kernel[grid](x, out, x.stride(0), x.stride(1), n_rows, n_cols, ROWS=64, COLS=64)
    return out


def materialise(x):
    packed = copied(x)
    return copied(packed)
