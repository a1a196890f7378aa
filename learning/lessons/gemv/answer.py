"""The supplied answer of L6: a program owns a band of rows and walks along it; the tile's extents are fixed, then
tuned."""

import torch
import triton
import triton.language as tl

from learning.contract import require


@triton.jit
def gemv_kernel(
    x_ptr,  # x[0]
    weight_ptr,  # weight[0, 0]
    out_ptr,  # out[0]
    x_stride,  # elements from x[k] to x[k + 1]
    n_rows,  # N, the rows of weight
    n_cols,  # K, the columns of weight: elements from weight[n, 0] to weight[n + 1, 0]
    ROWS: tl.constexpr,  # rows one program owns: a power of two
    COLS: tl.constexpr,  # columns it takes in one step: a power of two
):
    """One program, ROWS rows of weight: they are read once, COLS columns a step, and give ROWS of the results."""
    # 1. Which rows are mine, and which of them exist?
    # 2. A tile [ROWS, COLS] of float32 zeros for the running sums. (tl.zeros)
    # 3. Walk along the columns, COLS a step. Which columns are these, and which of them exist?
    # 4. Load that piece of x through its stride and that tile of weight. What may lanes hold that own nothing?
    # 5. Widen both; add their products to the running sums.
    # 6. After the walk: one sum for each row (tl.sum), cast to the element type of out, stored where the row exists.
    ### BEGIN SOLUTION
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    row_mask = rows < n_rows
    totals = tl.zeros((ROWS, COLS), dtype=tl.float32)
    for start in range(0, n_cols, COLS):
        cols = start + tl.arange(0, COLS)
        col_mask = cols < n_cols
        x = tl.load(x_ptr + cols * x_stride, mask=col_mask, other=0.0).to(tl.float32)
        tile_mask = row_mask[:, None] & col_mask[None, :]
        weight = tl.load(weight_ptr + rows[:, None] * n_cols + cols[None, :], mask=tile_mask, other=0.0)
        totals += weight.to(tl.float32) * x[None, :]
    out = tl.sum(totals, axis=1)
    tl.store(out_ptr + rows, out.to(out_ptr.dtype.element_ty), mask=row_mask)
    ### END SOLUTION


def gemv(x, weight):
    """Return ``weight`` [N, K] times ``x`` [K] as a fresh vector [N] of their dtype."""
    require(weight=weight, x=x, axes={"weight": "N K", "x": "K"}, contiguous=("weight",), output="N")
    # 1. Make room for N results, their contents not yet decided. (torch.empty)
    # 2. How many programs of ROWS rows cover N? Begin with tiles of 16 rows and 256 columns. (triton.cdiv)
    # 3. Launch them: gemv_kernel[grid](…, ROWS=…, COLS=…)
    # 4. Return the result.
    ### BEGIN SOLUTION
    n_rows, n_cols = weight.shape
    out = torch.empty(n_rows, dtype=x.dtype, device=x.device)
    grid = (triton.cdiv(n_rows, 16),)
    gemv_kernel[grid](x, weight, out, x.stride(0), n_rows, n_cols, ROWS=16, COLS=256)
    return out
    ### END SOLUTION


# 1. Name the kernel once more, tuned: tuned_kernel = triton.autotune(configs=[…], key=[…])(gemv_kernel), with 4 to 8 of
#    triton.Config({"ROWS": …, "COLS": …}, num_warps=…). Which arguments of the kernel decide what is fastest?
### BEGIN SOLUTION
tuned_kernel = triton.autotune(
    configs=[
        triton.Config({"ROWS": 2, "COLS": 1024}, num_warps=4),
        triton.Config({"ROWS": 4, "COLS": 256}, num_warps=1),
        triton.Config({"ROWS": 4, "COLS": 1024}, num_warps=4),
        triton.Config({"ROWS": 8, "COLS": 512}, num_warps=4),
        triton.Config({"ROWS": 16, "COLS": 256}, num_warps=4),
        triton.Config({"ROWS": 16, "COLS": 512}, num_warps=8),
        triton.Config({"ROWS": 32, "COLS": 128}, num_warps=4),
    ],
    key=["n_rows", "n_cols"],
)(gemv_kernel)
### END SOLUTION


def tuned(x, weight):
    """The contract of ``gemv``, with the tile that was fastest for this N, K and dtype when it was first met."""
    require(weight=weight, x=x, axes={"weight": "N K", "x": "K"}, contiguous=("weight",), output="N")
    # 2. Make room for N results, as before.
    # 3. The grid is now a function: it is given the chosen configuration and says how many programs that needs.
    # 4. Launch tuned_kernel[grid](…); ROWS, COLS and num_warps are chosen for you, so do not name them.
    # 5. Return the result.
    ### BEGIN SOLUTION
    n_rows, n_cols = weight.shape
    out = torch.empty(n_rows, dtype=x.dtype, device=x.device)
    tuned_kernel[lambda meta: (triton.cdiv(n_rows, meta["ROWS"]),)](x, weight, out, x.stride(0), n_rows, n_cols)
    return out
    ### END SOLUTION
