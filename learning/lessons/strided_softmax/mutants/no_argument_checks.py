"""Trap: nothing is refused, so a float64 or a 1-D x fails somewhere inside, or not at all."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "refuses_what_the_contract_excludes"
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
    x = tl.load(x_ptr + row * x_row_stride + cols * x_col_stride, mask=mask, other=-float("inf")).to(tl.float32)
    weights = tl.exp(x - tl.max(x, axis=0))
    y = weights / tl.sum(weights, axis=0)
    tl.store(out_ptr + row * n_cols + cols, y.to(out_ptr.dtype.element_ty), mask=mask)


def softmax(x, *, num_warps=4):
    """Softmax of each row of ``x`` [rows, columns]: fresh and contiguous, same dtype and device."""
    n_rows, n_cols = x.shape
    out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if n_rows == 0:
        return out
    BLOCK = triton.next_power_of_2(n_cols)
    softmax_kernel[(n_rows,)](x, out, x.stride(0), x.stride(1), n_cols, BLOCK=BLOCK, num_warps=num_warps)
    return out
