"""Four programs share a band's columns and leave partial sums, which a second kernel adds in order."""

import torch
import triton
import triton.language as tl


@triton.jit
def part_kernel(
    x_ptr, weight_ptr, part_ptr, x_stride, n_rows, n_cols, part_cols, ROWS: tl.constexpr, COLS: tl.constexpr
):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    part = tl.program_id(1)
    end = tl.minimum((part + 1) * part_cols, n_cols)
    totals = tl.zeros((ROWS, COLS), dtype=tl.float32)
    for start in range(part * part_cols, end, COLS):
        cols = start + tl.arange(0, COLS)
        here = cols < end
        mask = (rows < n_rows)[:, None] & here[None, :]
        x = tl.load(x_ptr + cols * x_stride, mask=here, other=0.0).to(tl.float32)
        weight = tl.load(weight_ptr + rows[:, None] * n_cols + cols[None, :], mask=mask, other=0.0).to(tl.float32)
        totals += weight * x[None, :]
    tl.store(part_ptr + part * n_rows + rows, tl.sum(totals, axis=1), mask=rows < n_rows)


@triton.jit
def add_parts_kernel(part_ptr, out_ptr, n_rows, PARTS: tl.constexpr, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    parts = tl.arange(0, PARTS)
    mask = (rows < n_rows)[None, :] & (parts >= 0)[:, None]
    sums = tl.load(part_ptr + parts[:, None] * n_rows + rows[None, :], mask=mask, other=0.0)
    tl.store(out_ptr + rows, tl.sum(sums, axis=0).to(out_ptr.dtype.element_ty), mask=rows < n_rows)


def gemv(x, weight):
    n_rows, n_cols = weight.shape
    out = torch.empty(n_rows, dtype=x.dtype, device=x.device)
    parts = torch.empty((4, n_rows), dtype=torch.float32, device=x.device)
    part_cols = 256 * triton.cdiv(n_cols, 1024)
    part_kernel[(triton.cdiv(n_rows, 16), 4)](
        x, weight, parts, x.stride(0), n_rows, n_cols, part_cols, ROWS=16, COLS=256
    )
    add_parts_kernel[(triton.cdiv(n_rows, 256),)](parts, out, n_rows, PARTS=4, ROWS=256)
    return out
