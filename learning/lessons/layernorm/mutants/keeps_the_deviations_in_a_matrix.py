"""The deviations go to a float32 matrix and come back from it: right, with one more matrix to store and to load."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "reads_each_row_twice_at_most_and_writes_it_once"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def layernorm_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, wide_ptr, n_cols, eps, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    at = tl.program_id(0) * n_cols + cols
    x = tl.load(x_ptr + at, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / n_cols
    tl.store(wide_ptr + at, x - mean, mask=mask)
    centred = tl.load(wide_ptr + at, mask=mask, other=0.0)
    scale = tl.rsqrt(tl.sum(centred * centred, axis=0) / n_cols + eps)
    weight = tl.load(weight_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    bias = tl.load(bias_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + at, (centred * scale * weight + bias).to(out_ptr.dtype.element_ty), mask=mask)


def layernorm(x, weight, bias, eps):
    out = torch.empty_like(x)
    wide = torch.empty_like(x, dtype=torch.float32)
    n_rows, n_cols = x.shape
    block = triton.next_power_of_2(n_cols)
    layernorm_kernel[(n_rows,)](x, weight, bias, out, wide, n_cols, eps, BLOCK=block)
    return out
