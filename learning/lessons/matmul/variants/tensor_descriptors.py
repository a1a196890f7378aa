"""Tiles named by tensor descriptors where rows are whole 16 bytes; by pointers where they are not."""

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
def descriptors_kernel(
    a_ptr, b_ptr, out_ptr, n_rows, n_cols, n_inner, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr
):
    a_tiles = tl.make_tensor_descriptor(
        a_ptr, shape=[n_rows, n_inner], strides=[n_inner, 1], block_shape=[BLOCK_M, BLOCK_K]
    )
    b_tiles = tl.make_tensor_descriptor(
        b_ptr, shape=[n_inner, n_cols], strides=[n_cols, 1], block_shape=[BLOCK_K, BLOCK_N]
    )
    out_tiles = tl.make_tensor_descriptor(
        out_ptr, shape=[n_rows, n_cols], strides=[n_cols, 1], block_shape=[BLOCK_M, BLOCK_N]
    )
    across = tl.cdiv(n_cols, BLOCK_N)
    row, col = tl.program_id(0) // across * BLOCK_M, tl.program_id(0) % across * BLOCK_N
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, n_inner, BLOCK_K):
        acc = tl.dot(a_tiles.load([row, start]), b_tiles.load([start, col]), acc, input_precision="ieee")
    out_tiles.store([row, col], acc.to(out_ptr.dtype.element_ty))


def room(size, alignment, stream):
    return torch.zeros(size, dtype=torch.int8, device="cuda")


def matmul(a, b):
    (n_rows, n_inner), n_cols = a.shape, b.shape[1]
    out = torch.empty((n_rows, n_cols), dtype=a.dtype, device=a.device)
    whole = 16 // a.element_size()
    aligned = n_inner % whole == 0 and n_cols % whole == 0 and a.data_ptr() % 16 == 0 and b.data_ptr() % 16 == 0
    kernel = descriptors_kernel if aligned and n_rows * n_cols * n_inner > 0 else pointers_kernel
    triton.set_allocator(room)
    grid = (triton.cdiv(n_rows, 64) * triton.cdiv(n_cols, 64),)
    kernel[grid](a, b, out, n_rows, n_cols, n_inner, BLOCK_M=64, BLOCK_N=64, BLOCK_K=16, num_warps=8)
    return out
