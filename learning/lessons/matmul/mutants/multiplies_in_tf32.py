"""float32 operands are cut to the ten bits of TF32, which tensor cores take from sm_80 on."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "asks_for_each_element_once_a_tile"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def matmul_kernel(
    a_ptr, b_ptr, out_ptr, n_rows, n_cols, n_inner, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr
):
    tiles_across = tl.cdiv(n_cols, BLOCK_N)
    tile = tl.program_id(0)
    rows = tile // tiles_across * BLOCK_M + tl.arange(0, BLOCK_M)[:, None]
    cols = tile % tiles_across * BLOCK_N + tl.arange(0, BLOCK_N)[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for start in range(0, n_inner, BLOCK_K):
        inner = start + tl.arange(0, BLOCK_K)
        along, down = inner[None, :], inner[:, None]
        a = tl.load(a_ptr + rows * n_inner + along, mask=(rows < n_rows) & (along < n_inner), other=0.0)
        b = tl.load(b_ptr + down * n_cols + cols, mask=(down < n_inner) & (cols < n_cols), other=0.0)
        acc = tl.dot(a, b, acc, input_precision="tf32")
    owned = (rows < n_rows) & (cols < n_cols)
    tl.store(out_ptr + rows * n_cols + cols, acc.to(out_ptr.dtype.element_ty), mask=owned)


def matmul(a, b):
    (n_rows, n_inner), n_cols = a.shape, b.shape[1]
    out = torch.empty((n_rows, n_cols), dtype=a.dtype, device=a.device)
    grid = (triton.cdiv(n_rows, 64) * triton.cdiv(n_cols, 64),)
    matmul_kernel[grid](a, b, out, n_rows, n_cols, n_inner, BLOCK_M=64, BLOCK_N=64, BLOCK_K=16, num_warps=8)
    return out
