"""A program owns one row; its running sums are as wide as the step."""

import torch
import triton
import triton.language as tl


@triton.jit
def row_kernel(x_ptr, weight_ptr, out_ptr, x_stride, n_cols, COLS: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, COLS)
    totals = tl.zeros((COLS,), dtype=tl.float32)
    for start in range(0, n_cols, COLS):
        here = start + lanes < n_cols
        x = tl.load(x_ptr + (start + lanes) * x_stride, mask=here, other=0.0)
        weight = tl.load(weight_ptr + row * n_cols + start + lanes, mask=here, other=0.0)
        totals += weight.to(tl.float32) * x.to(tl.float32)
    tl.store(out_ptr + row, tl.sum(totals, axis=0).to(out_ptr.dtype.element_ty))


def gemv(x, weight):
    n_rows, n_cols = weight.shape
    out = torch.empty(n_rows, dtype=x.dtype, device=x.device)
    row_kernel[(n_rows,)](x, weight, out, x.stride(0), n_cols, COLS=1024)
    return out
