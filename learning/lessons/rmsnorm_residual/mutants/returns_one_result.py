"""Only the normed rows come back."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "normalises_the_sum_of_ragged_rows"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def rmsnorm_kernel(x_ptr, residual_ptr, weight_ptr, normed_ptr, summed_ptr, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    at = row * n_cols + cols
    x = tl.load(x_ptr + at, mask=mask, other=0.0).to(tl.float32)
    residual = tl.load(residual_ptr + at, mask=mask, other=0.0).to(tl.float32)
    summed = (x + residual).to(summed_ptr.dtype.element_ty)
    tl.store(summed_ptr + at, summed, mask=mask)
    wide = summed.to(tl.float32)
    mean_square = tl.sum(wide * wide, axis=0) / n_cols
    weight = tl.load(weight_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    normed = wide * tl.rsqrt(mean_square + eps) * weight
    tl.store(normed_ptr + at, normed.to(normed_ptr.dtype.element_ty), mask=mask)


def rmsnorm_residual(x, residual, weight, eps):
    normed, summed = torch.empty_like(x), torch.empty_like(x)
    n_rows, n_cols = x.shape
    block = triton.next_power_of_2(n_cols)
    rmsnorm_kernel[(n_rows,)](x, residual, weight, normed, summed, n_cols, eps, BLOCK=block)
    return normed
