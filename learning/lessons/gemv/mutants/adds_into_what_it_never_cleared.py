"""The steps of a row are shared out to programs that add into a result nobody set to zero."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "gives_zeros_for_no_columns_and_nothing_for_no_rows"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def gemv_kernel(x_ptr, weight_ptr, out_ptr, x_stride, n_rows, n_cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    cols = tl.program_id(1) * COLS + tl.arange(0, COLS)
    here = cols < n_cols
    mask = (rows < n_rows)[:, None] & here[None, :]
    x = tl.load(x_ptr + cols * x_stride, mask=here, other=0.0).to(tl.float32)
    weight = tl.load(weight_ptr + rows[:, None] * n_cols + cols[None, :], mask=mask, other=0.0).to(tl.float32)
    tl.atomic_add(out_ptr + rows, tl.sum(weight * x[None, :], axis=1), mask=rows < n_rows)


@triton.jit
def round_kernel(sums_ptr, out_ptr, n_rows, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    sums = tl.load(sums_ptr + rows, mask=rows < n_rows)
    tl.store(out_ptr + rows, sums.to(out_ptr.dtype.element_ty), mask=rows < n_rows)


def gemv(x, weight):
    n_rows, n_cols = weight.shape
    sums = torch.empty(n_rows, dtype=torch.float32, device=x.device)
    out = torch.empty(n_rows, dtype=x.dtype, device=x.device)
    programs = triton.cdiv(n_rows, 16)
    gemv_kernel[(programs, triton.cdiv(n_cols, 256))](x, weight, sums, x.stride(0), n_rows, n_cols, ROWS=16, COLS=256)
    round_kernel[(programs,)](sums, out, n_rows, ROWS=16)
    return out
