"""Where the rows lie side by side in memory, a program owns 16 of them and walks along the columns."""

import torch
import triton
import triton.language as tl


@triton.jit
def row_kernel(x_ptr, out_ptr, row_stride, col_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * row_stride + cols * col_stride, mask=mask, other=-float("inf")).to(tl.float32)
    weights = tl.exp(x - tl.max(x, axis=0))
    y = weights / tl.sum(weights, axis=0)
    tl.store(out_ptr + row * n_cols + cols, y.to(out_ptr.dtype.element_ty), mask=mask)


@triton.jit
def column_kernel(x_ptr, out_ptr, row_stride, col_stride, n_rows, n_cols, ROWS: tl.constexpr, COLS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    live = rows < n_rows
    top = tl.full((ROWS,), -float("inf"), tl.float32)
    total = tl.zeros((ROWS,), tl.float32)
    for start in range(0, n_cols, COLS):
        cols = start + tl.arange(0, COLS)
        mask = live[:, None] & (cols < n_cols)[None, :]
        at = rows[:, None] * row_stride + cols[None, :] * col_stride
        x = tl.load(x_ptr + at, mask=mask, other=-float("inf")).to(tl.float32)
        higher = tl.maximum(top, tl.max(x, axis=1))
        pinned = tl.where(live, higher, 0.0)  # a ghost row has no maximum, and inf - inf is NaN
        total = total * tl.exp(top - pinned) + tl.sum(tl.exp(x - pinned[:, None]), axis=1)
        top = higher
    pinned = tl.where(live, top, 0.0)
    total = tl.where(live, total, 1.0)
    for start in range(0, n_cols, COLS):
        cols = start + tl.arange(0, COLS)
        mask = live[:, None] & (cols < n_cols)[None, :]
        at = rows[:, None] * row_stride + cols[None, :] * col_stride
        x = tl.load(x_ptr + at, mask=mask, other=-float("inf")).to(tl.float32)
        y = tl.exp(x - pinned[:, None]) / total[:, None]
        to = rows[:, None] * n_cols + cols[None, :]
        tl.store(out_ptr + to, y.to(out_ptr.dtype.element_ty), mask=mask)


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
    if n_rows == 0:
        return out
    row_stride, col_stride = x.stride()
    if row_stride == 1 and col_stride > 1:
        grid = (triton.cdiv(n_rows, 16),)
        column_kernel[grid](x, out, 1, col_stride, n_rows, n_cols, ROWS=16, COLS=256, num_warps=num_warps)
    else:
        block = triton.next_power_of_2(n_cols)
        row_kernel[(n_rows,)](x, out, row_stride, col_stride, n_cols, BLOCK=block, num_warps=num_warps)
    return out
