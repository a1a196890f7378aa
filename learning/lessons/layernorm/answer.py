"""The supplied answer of L3d: one program a row, held in registers; the mean first, then the squares of what is left."""

import torch
import triton
import triton.language as tl

from learning.contract import require


@triton.jit
def layernorm_kernel(
    x_ptr,  # x[0, 0]
    weight_ptr,  # weight[0]; one factor a column
    bias_ptr,  # bias[0]; one summand a column
    out_ptr,  # out[0, 0]
    n_cols,  # H, the columns of x and out, 1 to 8192
    eps,  # added to the variance, inside the root
    BLOCK: tl.constexpr,  # lanes of one program: a power of two, at least n_cols
):
    """One program, one row: read once, its mean taken off, scaled to variance 1, times weight, plus bias."""
    # 1. Which row is mine, which columns do my lanes stand for, and which lanes stand for none?
    # 2. Load the row, widened to float32; its mean is a sum over the columns that exist.
    # 3. Take the mean off. What do the lanes that own nothing hold now? (tl.where)
    # 4. The variance: the mean of the squared deviations; the scale: its reciprocal root, with eps inside.
    # 5. Scale, times weight, plus bias; store as the output's element type.
    ### BEGIN SOLUTION
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(x, axis=0) / n_cols
    deviation = tl.where(mask, x - mean, 0.0)
    variance = tl.sum(deviation * deviation, axis=0) / n_cols
    weight = tl.load(weight_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    bias = tl.load(bias_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    y = deviation * tl.rsqrt(variance + eps) * weight + bias
    tl.store(out_ptr + row * n_cols + cols, y.to(out_ptr.dtype.element_ty), mask=mask)
    ### END SOLUTION


def layernorm(x, weight, bias, eps):
    """Return the layer norm of each row of a contiguous x [M, H], with weight and bias [H] and eps above 0."""
    require(
        x=x, weight=weight, bias=bias, rank=2, columns=(1, 8192), contiguous=True,
        vectors=("weight", "bias"), positive={"eps": eps},
    )  # fmt: skip
    # 1. Make room for the result: like x, its contents not yet decided.
    # 2. How many lanes hold a whole row? (triton.next_power_of_2)
    # 3. Launch one program a row: layernorm_kernel[grid](…, BLOCK=…, num_warps=…)
    # 4. Return the result.
    ### BEGIN SOLUTION
    out = torch.empty_like(x)
    n_rows, n_cols = x.shape
    block = triton.next_power_of_2(n_cols)
    warps = 8 if block > 2048 else 4
    layernorm_kernel[(n_rows,)](x, weight, bias, out, n_cols, eps, BLOCK=block, num_warps=warps)
    return out
    ### END SOLUTION
