"""L6 from memory: a bias at the rows."""

import torch
import triton
import triton.language as tl


def reference(x, weight, bias):
    return (weight.float() @ x.float() + bias.float()).to(x.dtype)


@triton.jit
def affine_kernel(
    x_ptr,  # x[0]
    weight_ptr,  # weight[0, 0]
    bias_ptr,  # bias[0]
    out_ptr,  # out[0]
    x_stride,  # elements from x[k] to x[k + 1]
    n_rows,  # N, the rows of weight
    n_cols,  # K, the columns of weight: elements from weight[n, 0] to weight[n + 1, 0]
    ROWS: tl.constexpr,  # rows one program owns: a power of two
    COLS: tl.constexpr,  # columns it takes in one step: a power of two
):
    """One program, ROWS rows of weight: they are read once, COLS columns a step, and give ROWS of the results."""
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    row_mask = rows < n_rows
    totals = tl.zeros((ROWS, COLS), dtype=tl.float32)
    for start in range(0, n_cols, COLS):
        cols = start + tl.arange(0, COLS)
        col_mask = cols < n_cols
        x = tl.load(x_ptr + cols * x_stride, mask=col_mask, other=0.0).to(tl.float32)
        tile_mask = row_mask[:, None] & col_mask[None, :]
        weight = tl.load(weight_ptr + rows[:, None] * n_cols + cols[None, :], mask=tile_mask, other=0.0)
        totals += weight.to(tl.float32) * x[None, :]
    out = tl.sum(totals, axis=1) + tl.load(bias_ptr + rows, mask=row_mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + rows, out.to(out_ptr.dtype.element_ty), mask=row_mask)


def affine(x, weight, bias):
    """Return ``weight`` [N, K] times ``x`` [K] as a fresh vector [N] of their dtype."""
    n_rows, n_cols = weight.shape
    out = torch.empty(n_rows, dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(n_rows, 16),)
    affine_kernel[grid](x, weight, bias, out, x.stride(0), n_rows, n_cols, ROWS=16, COLS=256)
    return out
