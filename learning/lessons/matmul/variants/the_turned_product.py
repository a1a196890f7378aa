"""The transpose of the product from the transposes of the factors, turned back before the store."""

import torch
import triton
import triton.language as tl


@triton.jit
def turned_kernel(
    a_ptr, b_ptr, out_ptr, n_rows, n_cols, n_inner, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr
):
    across = tl.cdiv(n_cols, BLOCK_N)
    rows = tl.program_id(0) // across * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    cols = tl.program_id(0) % across * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    acc = tl.zeros((BLOCK_N, BLOCK_M), dtype=tl.float32)
    for start in range(0, n_inner, BLOCK_K):
        along, down = start + tl.arange(0, BLOCK_K)[None, :], start + tl.arange(0, BLOCK_K)[:, None]
        a = tl.load(a_ptr + rows * n_inner + along, mask=(rows < n_rows) & (along < n_inner), other=0.0)
        b = tl.load(b_ptr + down * n_cols + cols, mask=(down < n_inner) & (cols < n_cols), other=0.0)
        acc = tl.dot(tl.trans(b), tl.trans(a), acc, input_precision="ieee")
    out = tl.trans(acc).to(out_ptr.dtype.element_ty)
    tl.store(out_ptr + rows * n_cols + cols, out, mask=(rows < n_rows) & (cols < n_cols))


def matmul(a, b):
    (n_rows, n_inner), n_cols = a.shape, b.shape[1]
    out = torch.empty((n_rows, n_cols), dtype=a.dtype, device=a.device)
    grid = (triton.cdiv(n_rows, 64) * triton.cdiv(n_cols, 64),)
    turned_kernel[grid](a, b, out, n_rows, n_cols, n_inner, BLOCK_M=64, BLOCK_N=64, BLOCK_K=16, num_warps=8)
    return out
