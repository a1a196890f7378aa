"""A two-dimensional tile: one program owns several rows, and the last one ghosts that are never stored."""

import torch
import triton
import triton.language as tl


@triton.jit
def rows_kernel(x_ptr, out_ptr, row_stride, col_stride, n_rows, n_cols, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    mask = (rows < n_rows) & (cols < n_cols)
    x = tl.load(x_ptr + rows * row_stride + cols * col_stride, mask=mask, other=-float("inf")).to(tl.float32)
    top = tl.max(x, axis=1, keep_dims=True)
    top = tl.where(rows < n_rows, top, 0.0)
    weights = tl.exp(x - top)
    total = tl.where(rows < n_rows, tl.sum(weights, axis=1, keep_dims=True), 1.0)
    tl.store(out_ptr + rows * n_cols + cols, (weights / total).to(out_ptr.dtype.element_ty), mask=mask)


def check_arguments(x, num_warps):
    """Raise TypeError or ValueError for what the contract excludes."""
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"x is a {type(x).__name__} and must be a tensor")
    if x.dtype not in (torch.float32, torch.float16, torch.bfloat16):
        raise TypeError(f"x has dtype {x.dtype}; float32, float16 and bfloat16 are supported")
    if x.device.type != DEVICE or x.dim() != 2 or not 0 < x.size(1) <= 8192:
        raise ValueError(
            f"x must be a 2-D tensor on {DEVICE} with 1 to 8192 columns, not {tuple(x.shape)} on {x.device}"
        )
    if torch.is_grad_enabled() and x.requires_grad:
        raise ValueError("x must not require grad: run this under torch.no_grad()")
    span = sum((size - 1) * stride for size, stride in zip(x.shape, x.stride()))
    if span > 2147483647 or x.numel() > 2147483647:
        raise ValueError("x reaches further than 2147483647 elements")
    if type(num_warps) is not int or num_warps not in (4, 8):
        raise ValueError(f"num_warps must be the int 4 or 8, not {num_warps!r}")


def softmax(x, *, num_warps=4):
    check_arguments(x, num_warps)
    n_rows, n_cols = x.shape
    out = torch.empty(n_rows, n_cols, dtype=x.dtype, device=x.device)
    block = triton.next_power_of_2(n_cols)
    rows = max(1, min(16, 4096 // block))
    grid = (triton.cdiv(n_rows, rows),)
    if n_rows > 0:
        rows_kernel[grid](x, out, x.stride(0), x.stride(1), n_rows, n_cols, ROWS=rows, BLOCK=block, num_warps=num_warps)
    return out
