"""The supplied answer of L3b: one program a row; add, round, store the sum, and normalise it before it leaves the registers."""

import torch
import triton
import triton.language as tl

from learning.contract import require


@triton.jit
def rmsnorm_residual_kernel(
    x_ptr,  # x[0, 0]
    residual_ptr,  # residual[0, 0]
    weight_ptr,  # weight[0]; one factor a column
    normed_ptr,  # normed[0, 0]
    summed_ptr,  # summed[0, 0]
    n_cols,  # H, the columns of every matrix here, 1 to 8192
    eps,  # added to the mean square, inside the root
    BLOCK: tl.constexpr,  # lanes of one program: a power of two, at least n_cols
):
    """One program, one row of x and residual: both rows are read once, and normed and summed are written once."""
    # 1. Which row is mine, which columns do my lanes stand for, and which lanes stand for none?
    # 2. Load my row of x and of residual, widened to float32. What may the other lanes hold?
    # 3. Add; round the sum to the element type of summed; store it.
    # 4. Widen what you rounded. Its mean square: a sum over the lanes, divided by the columns that exist.
    # 5. Scale by the reciprocal root, with eps inside it (tl.rsqrt), and by the weight; store as normed's element type.
    ### BEGIN SOLUTION
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    offsets = row * n_cols + cols
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    residual = tl.load(residual_ptr + offsets, mask=mask, other=0.0).to(tl.float32)
    summed = (x + residual).to(summed_ptr.dtype.element_ty)
    tl.store(summed_ptr + offsets, summed, mask=mask)
    wide = summed.to(tl.float32)
    mean_square = tl.sum(wide * wide, axis=0) / n_cols
    weight = tl.load(weight_ptr + cols, mask=mask, other=0.0).to(tl.float32)
    normed = wide * tl.rsqrt(mean_square + eps) * weight
    tl.store(normed_ptr + offsets, normed.to(normed_ptr.dtype.element_ty), mask=mask)
    ### END SOLUTION


def rmsnorm_residual(x, residual, weight, eps):
    """Return (normed, summed) for contiguous x and residual [M, H], weight [H] and eps above 0, both like x."""
    require(
        x=x, residual=residual, weight=weight, rank=2, same_shape=True, columns=(1, 8192), contiguous=True,
        vectors=("weight",), positive={"eps": eps},
    )  # fmt: skip
    # 1. Make room for the two results: like x, their contents not yet decided. (torch.empty_like)
    # 2. How many lanes hold a whole row? (triton.next_power_of_2)
    # 3. Launch one program a row: rmsnorm_residual_kernel[grid](…, BLOCK=…, num_warps=…)
    # 4. Return both, normed first.
    ### BEGIN SOLUTION
    normed, summed = torch.empty_like(x), torch.empty_like(x)
    n_rows, n_cols = x.shape
    block = triton.next_power_of_2(n_cols)
    warps = 8 if block > 2048 else 4
    rmsnorm_residual_kernel[(n_rows,)](x, residual, weight, normed, summed, n_cols, eps, BLOCK=block, num_warps=warps)
    return normed, summed
    ### END SOLUTION
