"""The tile is as wide as the matrix allows, 4096 lanes in all; strides are compile-time constants; float32 on the way."""

import torch
import triton
import triton.language as tl


@triton.jit
def shaped_kernel(
    x_ptr, out_ptr, n_rows, n_cols, R: tl.constexpr, C: tl.constexpr, ROWS: tl.constexpr, COLS: tl.constexpr
):
    tiles_across = tl.cdiv(n_cols, COLS)
    rows = (tl.program_id(0) // tiles_across) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = (tl.program_id(0) % tiles_across) * COLS + tl.arange(0, COLS)[None, :]
    mask = (rows < n_rows) & (cols < n_cols)
    x = tl.load(x_ptr + rows * R + cols * C, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + rows * n_cols + cols, x.to(out_ptr.dtype.element_ty), mask=mask)


def materialise(x):
    n_rows, n_cols = x.shape
    out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if n_rows == 0 or n_cols == 0:
        return out
    width = min(64, triton.next_power_of_2(n_cols))
    height = 4096 // width
    grid = (triton.cdiv(n_rows, height) * triton.cdiv(n_cols, width),)
    shaped_kernel[grid](x, out, n_rows, n_cols, R=x.stride(0), C=x.stride(1), ROWS=height, COLS=width)
    return out
