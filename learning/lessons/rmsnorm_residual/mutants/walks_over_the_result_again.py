"""normed is stored unscaled first, loaded back and scaled by the weight: right, and one result crosses memory three times."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "moves_no_matrix_more_than_twice"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def rmsnorm_kernel(x_ptr, residual_ptr, weight_ptr, normed_ptr, summed_ptr, n_cols, eps, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    at = tl.program_id(0) * n_cols + cols
    x = tl.load(x_ptr + at, mask=mask, other=0.0).to(tl.float32)
    residual = tl.load(residual_ptr + at, mask=mask, other=0.0).to(tl.float32)
    summed = (x + residual).to(summed_ptr.dtype.element_ty)
    tl.store(summed_ptr + at, summed, mask=mask)
    tl.store(normed_ptr + at, summed, mask=mask)
    wide = tl.load(normed_ptr + at, mask=mask, other=0.0).to(tl.float32)
    weight = tl.load(weight_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    normed = wide * tl.rsqrt(tl.sum(wide * wide, axis=0) / n_cols + eps) * weight
    tl.store(normed_ptr + at, normed.to(normed_ptr.dtype.element_ty), mask=mask)


def rmsnorm_residual(x, residual, weight, eps):
    normed, summed = torch.empty_like(x), torch.empty_like(x)
    n_rows, n_cols = x.shape
    rmsnorm_kernel[(n_rows,)](x, residual, weight, normed, summed, n_cols, eps, BLOCK=triton.next_power_of_2(n_cols))
    return normed, summed
