"""The supplied answer of L3a: one program a row, the whole row in registers, padded with minus infinity."""

import torch
import triton
import triton.language as tl

from learning.contract import require


@triton.jit
def softmax_kernel(x_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):
    """One program: the softmax of one row, read once and written once.

    x_ptr, out_ptr: where x[0, 0] and out[0, 0] lie; both are contiguous
    n_cols: how many columns exist, 1 to 8192
    BLOCK: lanes of one program; a power of two, at least n_cols, known when the kernel is compiled
    """
    # 1. Which row is mine, which columns do my lanes stand for, and which lanes own none? (tl.program_id, tl.arange)
    # 2. Load the row; what must the lanes that own nothing hold? Widen to float32. (tl.load with mask=, other=)
    # 3. Subtract the row's maximum, take the exponential. (tl.max with axis=0, tl.exp)
    # 4. Divide by the sum of all lanes. (tl.sum with axis=0)
    # 5. Round to the output's element type; store under the same mask. (out_ptr.dtype.element_ty, tl.store)
    ### BEGIN SOLUTION
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=-float("inf")).to(tl.float32)
    weights = tl.exp(x - tl.max(x, axis=0))
    shares = weights / tl.sum(weights, axis=0)
    tl.store(out_ptr + row * n_cols + cols, shares.to(out_ptr.dtype.element_ty), mask=mask)
    ### END SOLUTION


def softmax(x):
    """Return the softmax of each row of contiguous ``x`` [rows, columns], 1 to 8192 columns."""
    require(x=x, rank=2, contiguous=True, columns=(1, 8192))
    # 1. Make room for the result: like x, its contents not yet decided. (torch.empty_like)
    # 2. How many lanes does a row need? A power of two. (triton.next_power_of_2)
    # 3. How many warps? One for each 512 lanes, and at least 4.
    # 4. Launch one program a row: softmax_kernel[(rows,)](…, BLOCK=…, num_warps=…). Return the result.
    ### BEGIN SOLUTION
    n_rows, n_cols = x.shape
    out = torch.empty_like(x)
    block = triton.next_power_of_2(n_cols)
    warps = max(4, block // 512)
    softmax_kernel[(n_rows,)](x, out, n_cols, BLOCK=block, num_warps=warps)
    return out
    ### END SOLUTION
