"""Trap: a row is taken to be as long as the way to the next one, so padding joins its maximum and its sum."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "never_uses_what_lies_between_the_rows"
DIES_ON = ("interpreter", "cuda")

MAX_COLUMNS = 8192
MAX_OFFSET = 2**31 - 1
DTYPES = (torch.float32, torch.float16, torch.bfloat16)


@triton.jit
def softmax_kernel(
    x_ptr,  # x[0, 0]
    out_ptr,  # out[0, 0]; out is contiguous
    x_row_stride,  # elements from x[i, j] to x[i + 1, j]; may be 0
    x_col_stride,  # elements from x[i, j] to x[i, j + 1]; may be 0
    n_cols,  # columns of x and out, 1 to 8192
    BLOCK: tl.constexpr,  # lanes of one program: a power of two, at least n_cols
):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * x_row_stride + cols * x_col_stride, mask=cols < x_row_stride, other=-float("inf")).to(
        tl.float32
    )
    weights = tl.exp(x - tl.max(x, axis=0))
    y = weights / tl.sum(weights, axis=0)
    tl.store(out_ptr + row * n_cols + cols, y.to(out_ptr.dtype.element_ty), mask=mask)


def softmax(x, *, num_warps=4):
    """Softmax of each row of ``x`` [rows, columns]: fresh and contiguous, same dtype and device."""
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"x must be a torch.Tensor, not {type(x).__name__}")
    if x.device.type != DEVICE:
        raise ValueError(f"x must be on the device in use, {DEVICE}, not on {x.device}")
    if x.dtype not in DTYPES:
        raise TypeError(f"x must have dtype float32, float16 or bfloat16, not {x.dtype}")
    if x.ndim != 2:
        raise ValueError(f"x must be 2-D, not {x.ndim}-D")
    if x.requires_grad and torch.is_grad_enabled():
        raise ValueError("x must not require grad while autograd is on: this softmax has no backward pass")
    n_rows, n_cols = x.shape
    if not 1 <= n_cols <= MAX_COLUMNS:
        raise ValueError(f"x must have 1 to {MAX_COLUMNS} columns, not {n_cols}")
    offset = (n_rows - 1) * x.stride(0) + (n_cols - 1) * x.stride(1)
    if max(offset, n_rows * n_cols) > MAX_OFFSET:
        raise ValueError(
            f"x must have element offsets and an element count of at most {MAX_OFFSET} (2**31 - 1): "
            f"its largest offset is {offset}, its count {n_rows * n_cols}"
        )
    if isinstance(num_warps, bool) or num_warps not in (4, 8):
        raise ValueError(f"num_warps must be 4 or 8, not {num_warps!r}")

    out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if n_rows == 0:
        return out
    BLOCK = triton.next_power_of_2(n_cols)
    softmax_kernel[(n_rows,)](x, out, x.stride(0), x.stride(1), n_cols, BLOCK=BLOCK, num_warps=num_warps)
    return out
