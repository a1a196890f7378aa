"""One walk for the maximum, one for the sum, one for the shares: right, and x crosses memory three times."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "reads_each_row_twice_at_most_and_writes_it_once"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def piece(pointer, cols, n_cols):
    return tl.load(pointer + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)


@triton.jit
def walking_kernel(x_ptr, out_ptr, n_cols, PIECE: tl.constexpr):
    x_ptr += tl.program_id(0) * n_cols
    out_ptr += tl.program_id(0) * n_cols
    lanes = tl.arange(0, PIECE)
    top = -float("inf")
    for first in range(0, n_cols, PIECE):
        top = tl.maximum(top, tl.max(piece(x_ptr, first + lanes, n_cols), axis=0))
    total = 0.0
    for first in range(0, n_cols, PIECE):
        total += tl.sum(tl.exp(piece(x_ptr, first + lanes, n_cols) - top), axis=0)
    for first in range(0, n_cols, PIECE):
        shares = tl.exp(piece(x_ptr, first + lanes, n_cols) - top) / total
        tl.store(out_ptr + first + lanes, shares.to(out_ptr.dtype.element_ty), mask=first + lanes < n_cols)


def softmax(x):
    out = torch.empty_like(x)
    walking_kernel[(x.shape[0],)](x, out, x.shape[1], PIECE=1024)
    return out
