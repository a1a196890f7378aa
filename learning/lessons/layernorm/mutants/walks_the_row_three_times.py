"""One walk for the mean, one for the variance, one for the result: right, and x crosses memory three times."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "reads_each_row_twice_at_most_and_writes_it_once"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def piece(pointer, cols, n_cols):
    return tl.load(pointer + cols, mask=cols < n_cols, other=0.0).to(tl.float32)


@triton.jit
def walking_kernel(x_ptr, weight_ptr, bias_ptr, out_ptr, n_cols, eps, PIECE: tl.constexpr):
    x_ptr += tl.program_id(0) * n_cols
    out_ptr += tl.program_id(0) * n_cols
    lanes = tl.arange(0, PIECE)
    total = tl.zeros([PIECE], dtype=tl.float32)
    for first in range(0, n_cols, PIECE):
        total += piece(x_ptr, first + lanes, n_cols)
    mean = tl.sum(total, axis=0) / n_cols
    squares = tl.zeros([PIECE], dtype=tl.float32)
    for first in range(0, n_cols, PIECE):
        centred = tl.where(first + lanes < n_cols, piece(x_ptr, first + lanes, n_cols) - mean, 0.0)
        squares += centred * centred
    scale = tl.rsqrt(tl.sum(squares, axis=0) / n_cols + eps)
    for first in range(0, n_cols, PIECE):
        cols = first + lanes
        y = (piece(x_ptr, cols, n_cols) - mean) * scale * piece(weight_ptr, cols, n_cols) + piece(
            bias_ptr, cols, n_cols
        )
        tl.store(out_ptr + cols, y.to(out_ptr.dtype.element_ty), mask=cols < n_cols)


def layernorm(x, weight, bias, eps):
    out = torch.empty_like(x)
    walking_kernel[(x.shape[0],)](x, weight, bias, out, x.shape[1], eps, PIECE=512)
    return out
