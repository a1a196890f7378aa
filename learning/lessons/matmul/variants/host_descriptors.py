"""Descriptors made by the wrapper and handed to the kernel; pointers where rows are no whole 16 bytes."""

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


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
def descriptors_kernel(
    a_tiles, b_tiles, out_tiles, n_cols, n_inner, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr
):
    across = tl.cdiv(n_cols, BLOCK_N)
    row, col = tl.program_id(0) // across * BLOCK_M, tl.program_id(0) % across * BLOCK_N
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, n_inner, BLOCK_K):
        acc = tl.dot(a_tiles.load([row, start]), b_tiles.load([start, col]), acc, input_precision="ieee")
    out_tiles.store([row, col], acc.to(out_tiles.dtype))


def matmul(a, b):
    (n_rows, n_inner), n_cols = a.shape, b.shape[1]
    out = torch.empty((n_rows, n_cols), dtype=a.dtype, device=a.device)
    whole = 16 // a.element_size()
    grid = (triton.cdiv(n_rows, 32) * triton.cdiv(n_cols, 32),)
    tile = {"BLOCK_M": 32, "BLOCK_N": 32, "BLOCK_K": 32}
    if n_inner % whole or n_cols % whole or a.data_ptr() % 16 or b.data_ptr() % 16 or not n_rows * n_cols * n_inner:
        pointers_kernel[grid](a, b, out, n_rows, n_cols, n_inner, **tile)
        return out
    a_tiles, b_tiles = (
        TensorDescriptor(a, [n_rows, n_inner], [n_inner, 1], [32, 32]),
        TensorDescriptor(b, [n_inner, n_cols], [n_cols, 1], [32, 32]),
    )
    out_tiles = TensorDescriptor(out, [n_rows, n_cols], [n_cols, 1], [32, 32])
    descriptors_kernel[grid](a_tiles, b_tiles, out_tiles, n_cols, n_inner, **tile)
    return out
