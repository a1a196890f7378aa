"""A two-dimensional tile: one program owns several rows, and the last one ghosts that are never stored."""

import torch
import triton
import triton.language as tl


@triton.jit
def rows_kernel(x_ptr, out_ptr, n_rows, n_cols, eps, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    mask = (rows < n_rows) & (cols < n_cols)
    x = tl.load(x_ptr + rows * n_cols + cols, mask=mask, other=0.0).to(tl.float32)
    low = tl.min(tl.where(cols < n_cols, x, float("inf")), axis=1, keep_dims=True)
    high = tl.max(tl.where(cols < n_cols, x, -float("inf")), axis=1, keep_dims=True)
    y = (x - low) / (high - low + eps)
    tl.store(out_ptr + rows * n_cols + cols, y.to(out_ptr.dtype.element_ty), mask=mask)


def minmax(x, eps):
    out = torch.empty_like(x)
    n_rows, n_cols = x.shape
    block = triton.next_power_of_2(n_cols)
    rows = max(1, min(16, 4096 // block))
    rows_kernel[(triton.cdiv(n_rows, rows),)](x, out, n_rows, n_cols, eps, ROWS=rows, BLOCK=block)
    return out
