"""The supplied answer of L2: one program a tile of 64 by 64, read through x's strides and written through the result's."""

import torch
import triton
import triton.language as tl

from learning.contract import require


@triton.jit
def copy_kernel(x_ptr, out_ptr, x_row_stride, x_col_stride, n_rows, n_cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    """One program: out[i, j] = x[i, j] for the ROWS × COLS elements of its own tile.

    x_ptr, out_ptr: where x[0, 0] and out[0, 0] lie; out is contiguous
    x_row_stride: elements from x[i, j] to x[i + 1, j]; may be 0
    x_col_stride: elements from x[i, j] to x[i, j + 1]; may be 0
    n_rows, n_cols: how many rows and columns exist
    ROWS, COLS: the tile's extents; powers of two, known when the kernel is compiled
    """
    # 1. How many tiles lie side by side? Tiles are numbered row by row. (tl.cdiv)
    # 2. Which tile is mine: how far down, how far across? (tl.program_id, //, %)
    # 3. Which rows and which columns are mine? One range upright, one flat. (tl.arange, [:, None], [None, :])
    # 4. Which lanes own an element? Both numbers must exist. (&)
    # 5. Load through x's two strides; store through the result's. Are they the same? (tl.load, tl.store, mask=)
    ### BEGIN SOLUTION
    tiles_across = tl.cdiv(n_cols, COLS)
    tile = tl.program_id(0)
    rows = tile // tiles_across * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tile % tiles_across * COLS + tl.arange(0, COLS)[None, :]
    mask = (rows < n_rows) & (cols < n_cols)
    x = tl.load(x_ptr + rows * x_row_stride + cols * x_col_stride, mask=mask, other=0.0)
    tl.store(out_ptr + rows * n_cols + cols, x, mask=mask)
    ### END SOLUTION


def materialise(x):
    """Return a fresh contiguous copy of ``x`` [rows, columns], which may have any strides from 0 up."""
    require(x=x, rank=2)
    # 1. Make room for the result: x's shape and dtype, and strides of its own. (torch.empty)
    # 2. How many tiles cover the matrix, down and across? (triton.cdiv)
    # 3. Launch that many: copy_kernel[grid](…, ROWS=64, COLS=64, num_warps=8), with the strides x itself tells. (x.stride())
    # 4. Return the result.
    ### BEGIN SOLUTION
    n_rows, n_cols = x.shape
    out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(n_rows, 64) * triton.cdiv(n_cols, 64),)
    copy_kernel[grid](x, out, x.stride(0), x.stride(1), n_rows, n_cols, ROWS=64, COLS=64, num_warps=8)
    return out
    ### END SOLUTION
