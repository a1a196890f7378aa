"""264 programs at most, each taking every so manieth band of rows."""

import torch
import triton
import triton.language as tl


@triton.jit
def persistent_kernel(x_ptr, weight_ptr, out_ptr, x_stride, n_rows, n_cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    for band in range(tl.program_id(0), tl.cdiv(n_rows, ROWS), tl.num_programs(0)):
        rows = band * ROWS + tl.arange(0, ROWS)
        totals = tl.zeros((ROWS, COLS), dtype=tl.float32)
        for start in range(0, n_cols, COLS):
            cols = start + tl.arange(0, COLS)
            here = cols < n_cols
            mask = (rows < n_rows)[:, None] & here[None, :]
            x = tl.load(x_ptr + cols * x_stride, mask=here, other=0.0).to(tl.float32)
            weight = tl.load(weight_ptr + rows[:, None] * n_cols + cols[None, :], mask=mask, other=0.0)
            totals += weight.to(tl.float32) * x[None, :]
        out = tl.sum(totals, axis=1)
        tl.store(out_ptr + rows, out.to(out_ptr.dtype.element_ty), mask=rows < n_rows)


def gemv(x, weight):
    n_rows, n_cols = weight.shape
    out = torch.empty(n_rows, dtype=x.dtype, device=x.device)
    grid = (min(triton.cdiv(n_rows, 8), 264),)
    persistent_kernel[grid](x, weight, out, x.stride(0), n_rows, n_cols, ROWS=8, COLS=512)
    return out
