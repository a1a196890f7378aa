"""Every row is centred and scaled by the mean and variance of row 0."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "depends_on_each_row_alone_wherever_it_lies"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def layernorm_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, n_cols, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0).to(tl.float32)
    first = tl.load(x_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(first, axis=0) / n_cols
    centred = tl.where(mask, x - mean, 0.0)
    spread = tl.where(mask, first - mean, 0.0)
    variance = tl.sum(spread * spread, axis=0) / n_cols
    weight = tl.load(weight_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    bias = tl.load(bias_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    y = centred * tl.rsqrt(variance + eps) * weight + bias
    tl.store(out_ptr + row * n_cols + cols, y.to(out_ptr.dtype.element_ty), mask=mask)


def layernorm(x, weight, bias, eps):
    out = torch.empty_like(x)
    n_rows, n_cols = x.shape
    block = triton.next_power_of_2(n_cols)
    layernorm_kernel[(n_rows,)](x, weight, bias, out, n_cols, eps, BLOCK=block)
    return out
