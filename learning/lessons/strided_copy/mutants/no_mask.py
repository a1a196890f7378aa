"""No mask at all: the ragged tiles read and write what is not theirs."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "copies_a_ragged_matrix_and_touches_nothing_beyond_it"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def copy_kernel(x_ptr, out_ptr, x_row_stride, x_col_stride, n_rows, n_cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    tiles_across = tl.cdiv(n_cols, COLS)
    tile = tl.program_id(0)
    rows = tile // tiles_across * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tile % tiles_across * COLS + tl.arange(0, COLS)[None, :]
    x = tl.load(x_ptr + rows * x_row_stride + cols * x_col_stride)
    tl.store(out_ptr + rows * n_cols + cols, x)


def materialise(x):
    n_rows, n_cols = x.shape
    out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(n_rows, 64) * triton.cdiv(n_cols, 64),)
    copy_kernel[grid](x, out, x.stride(0), x.stride(1), n_rows, n_cols, ROWS=64, COLS=64)
    return out
