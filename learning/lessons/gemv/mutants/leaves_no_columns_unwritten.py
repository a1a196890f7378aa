"""Where there are no columns nothing is started, and the result is what fresh memory held."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "gives_zeros_for_no_columns_and_nothing_for_no_rows"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def gemv_kernel(x_ptr, weight_ptr, out_ptr, x_stride, n_rows, n_cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    totals = tl.zeros((ROWS, COLS), dtype=tl.float32)
    for start in range(0, n_cols, COLS):
        cols = start + tl.arange(0, COLS)
        here = cols < n_cols
        mask = (rows < n_rows)[:, None] & here[None, :]
        x = tl.load(x_ptr + cols * x_stride, mask=here, other=0.0).to(tl.float32)
        weight = tl.load(weight_ptr + rows[:, None] * n_cols + cols[None, :], mask=mask, other=0.0).to(tl.float32)
        totals += weight * x[None, :]
    out = tl.sum(totals, axis=1)
    tl.store(out_ptr + rows, out.to(out_ptr.dtype.element_ty), mask=rows < n_rows)


def gemv(x, weight):
    n_rows, n_cols = weight.shape
    out = torch.empty(n_rows, dtype=x.dtype, device=x.device)
    if n_cols == 0:
        return out
    grid = (triton.cdiv(n_rows, 16),)
    gemv_kernel[grid](x, weight, out, x.stride(0), n_rows, n_cols, ROWS=16, COLS=256)
    return out
