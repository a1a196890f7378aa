"""Pointers that walk along K, and rows and columns past the end that wrap around instead of being masked."""

import torch
import triton
import triton.language as tl


@triton.jit
def walking_kernel(
    a_ptr, b_ptr, out_ptr, n_rows, n_cols, n_inner, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr
):
    across = tl.cdiv(n_cols, BLOCK_N)
    rows = tl.program_id(0) // across * BLOCK_M + tl.arange(0, BLOCK_M)
    cols = tl.program_id(0) % across * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    a_at = a_ptr + (rows % n_rows)[:, None] * n_inner + k[None, :]
    b_at = b_ptr + k[:, None] * n_cols + (cols % n_cols)[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    left = n_inner
    while left > 0:
        a = tl.load(a_at, mask=k[None, :] < left, other=0.0)
        b = tl.load(b_at, mask=k[:, None] < left, other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
        a_at += BLOCK_K
        b_at += BLOCK_K * n_cols
        left -= BLOCK_K
    owned = (rows[:, None] < n_rows) & (cols[None, :] < n_cols)
    tl.store(out_ptr + rows[:, None] * n_cols + cols[None, :], acc.to(out_ptr.dtype.element_ty), mask=owned)


def matmul(a, b):
    (n_rows, n_inner), n_cols = a.shape, b.shape[1]
    out = torch.empty((n_rows, n_cols), dtype=a.dtype, device=a.device)
    grid = (triton.cdiv(n_rows, 64) * triton.cdiv(n_cols, 64),)
    walking_kernel[grid](a, b, out, n_rows, n_cols, n_inner, BLOCK_M=64, BLOCK_N=64, BLOCK_K=16, num_warps=8)
    return out
