"""tl.dot takes float32 operands in TF32 from sm_80 on, ten bits of mantissa, unless it is told not to."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "asks_for_each_weight_once_and_adds_in_float32"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def gemv_kernel(x_ptr, weight_ptr, out_ptr, x_stride, n_rows, n_cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    first = tl.arange(0, 16) == 0
    totals = tl.zeros((ROWS, 16), dtype=tl.float32)
    for start in range(0, n_cols, COLS):
        cols = start + tl.arange(0, COLS)
        here = cols < n_cols
        mask = (rows < n_rows)[:, None] & here[None, :]
        x = tl.load(x_ptr + cols[:, None] * x_stride, mask=here[:, None] & first[None, :], other=0.0)
        weight = tl.load(weight_ptr + rows[:, None] * n_cols + cols[None, :], mask=mask, other=0.0)
        totals = tl.dot(weight, x, totals)
    out = tl.sum(totals, axis=1)
    tl.store(out_ptr + rows, out.to(out_ptr.dtype.element_ty), mask=rows < n_rows)


def gemv(x, weight):
    n_rows, n_cols = weight.shape
    out = torch.empty(n_rows, dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(n_rows, 32),)
    gemv_kernel[grid](x, weight, out, x.stride(0), n_rows, n_cols, ROWS=32, COLS=32)
    return out
