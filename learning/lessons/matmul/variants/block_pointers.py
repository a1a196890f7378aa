"""Block pointers, the older form, up to Triton 3.8; the same tiles by pointers where Triton has them no more."""

import torch
import triton
import triton.language as tl


@triton.jit
def pointers_kernel(
    a_ptr, b_ptr, out_ptr, n_rows, n_cols, n_inner, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr
):
    across = tl.cdiv(n_cols, BLOCK_N)
    rows = tl.program_id(0) // across * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    cols = tl.program_id(0) % across * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, n_inner, BLOCK_K):
        along, down = start + tl.arange(0, BLOCK_K)[None, :], start + tl.arange(0, BLOCK_K)[:, None]
        a = tl.load(a_ptr + rows * n_inner + along, mask=(rows < n_rows) & (along < n_inner), other=0.0)
        b = tl.load(b_ptr + down * n_cols + cols, mask=(down < n_inner) & (cols < n_cols), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="ieee")
    out = acc.to(out_ptr.dtype.element_ty)
    tl.store(out_ptr + rows * n_cols + cols, out, mask=(rows < n_rows) & (cols < n_cols))


@triton.jit
def blocks_kernel(
    a_ptr, b_ptr, out_ptr, n_rows, n_cols, n_inner, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr
):
    across = tl.cdiv(n_cols, BLOCK_N)
    row, col = tl.program_id(0) // across * BLOCK_M, tl.program_id(0) % across * BLOCK_N
    a_block = tl.make_block_ptr(a_ptr, (n_rows, n_inner), (n_inner, 1), (row, 0), (BLOCK_M, BLOCK_K), (1, 0))
    b_block = tl.make_block_ptr(b_ptr, (n_inner, n_cols), (n_cols, 1), (0, col), (BLOCK_K, BLOCK_N), (1, 0))
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for _ in range(0, n_inner, BLOCK_K):
        a = tl.load(a_block, boundary_check=(0, 1), padding_option="zero")
        b = tl.load(b_block, boundary_check=(0, 1), padding_option="zero")
        acc = tl.dot(a, b, acc, input_precision="ieee")
        a_block, b_block = tl.advance(a_block, (0, BLOCK_K)), tl.advance(b_block, (BLOCK_K, 0))
    out_block = tl.make_block_ptr(out_ptr, (n_rows, n_cols), (n_cols, 1), (row, col), (BLOCK_M, BLOCK_N), (1, 0))
    tl.store(out_block, acc.to(out_ptr.dtype.element_ty), boundary_check=(0, 1))


HAS_BLOCK_POINTERS = [int(part) for part in triton.__version__.split(".")[:2]] < [3, 9]


def matmul(a, b):
    (n_rows, n_inner), n_cols = a.shape, b.shape[1]
    out = torch.empty((n_rows, n_cols), dtype=a.dtype, device=a.device)
    kernel = blocks_kernel if HAS_BLOCK_POINTERS else pointers_kernel
    grid = (triton.cdiv(n_rows, 64) * triton.cdiv(n_cols, 64),)
    kernel[grid](a, b, out, n_rows, n_cols, n_inner, BLOCK_M=64, BLOCK_N=64, BLOCK_K=32, num_warps=8)
    return out
