"""The rounded sum goes to a float32 matrix, and a second kernel loads it from there: right, with a fifth matrix to move twice."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "moves_no_matrix_more_than_twice"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def adding_kernel(x_ptr, residual_ptr, summed_ptr, wide_ptr, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    at = tl.program_id(0) * n_cols + cols
    x = tl.load(x_ptr + at, mask=mask, other=0.0).to(tl.float32)
    residual = tl.load(residual_ptr + at, mask=mask, other=0.0).to(tl.float32)
    summed = (x + residual).to(summed_ptr.dtype.element_ty)
    tl.store(summed_ptr + at, summed, mask=mask)
    tl.store(wide_ptr + at, summed.to(tl.float32), mask=mask)


@triton.jit
def scaling_kernel(wide_ptr, weight_ptr, normed_ptr, n_cols, eps, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    at = tl.program_id(0) * n_cols + cols
    wide = tl.load(wide_ptr + at, mask=mask, other=0.0)
    weight = tl.load(weight_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    normed = wide * tl.rsqrt(tl.sum(wide * wide, axis=0) / n_cols + eps) * weight
    tl.store(normed_ptr + at, normed.to(normed_ptr.dtype.element_ty), mask=mask)


def rmsnorm_residual(x, residual, weight, eps):
    normed, summed = torch.empty_like(x), torch.empty_like(x)
    wide = torch.empty_like(x, dtype=torch.float32)
    n_rows, n_cols = x.shape
    block = triton.next_power_of_2(n_cols)
    adding_kernel[(n_rows,)](x, residual, summed, wide, n_cols, BLOCK=block)
    scaling_kernel[(n_rows,)](wide, weight, normed, n_cols, eps, BLOCK=block)
    return normed, summed
