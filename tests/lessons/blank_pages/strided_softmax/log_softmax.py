"""I1 from memory: a subtraction in place of the division."""

import torch
import triton
import triton.language as tl


def reference(x):
    return torch.log_softmax(x, dim=1).contiguous()


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
    shifted = x - tl.max(x, axis=0)
    y = shifted - tl.log(tl.sum(tl.exp(shifted), axis=0))
    tl.store(out_ptr + row * n_cols + cols, y.to(out_ptr.dtype.element_ty), mask=mask)


def log_softmax(x, *, num_warps=4):
    n_rows, n_cols = x.shape
    out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if out.numel() == 0:
        return out
    block = triton.next_power_of_2(n_cols)
    softmax_kernel[(n_rows,)](x, out, x.stride(0), x.stride(1), n_cols, BLOCK=block, num_warps=num_warps)
    return out
