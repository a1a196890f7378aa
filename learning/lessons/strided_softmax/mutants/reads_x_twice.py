"""Trap: a running maximum and sum, then a second pass for the quotients: right, and x crosses memory twice."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "asks_memory_for_x_once_where_it_lies"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def two_pass_kernel(x_ptr, out_ptr, row_stride, col_stride, n_cols, CHUNK: tl.constexpr):
    row = tl.program_id(0)
    lanes = tl.arange(0, CHUNK)
    top = -float("inf")
    total = 0.0
    for start in range(0, n_cols, CHUNK):
        cols = start + lanes
        x = tl.load(x_ptr + row * row_stride + cols * col_stride, mask=cols < n_cols, other=-float("inf")).to(
            tl.float32
        )
        higher = tl.maximum(top, tl.max(x, axis=0))
        total = total * tl.exp(top - higher) + tl.sum(tl.exp(x - higher), axis=0)
        top = higher
    for start in range(0, n_cols, CHUNK):
        cols = start + lanes
        x = tl.load(x_ptr + row * row_stride + cols * col_stride, mask=cols < n_cols, other=-float("inf")).to(
            tl.float32
        )
        y = tl.exp(x - top) / total
        tl.store(out_ptr + row * n_cols + cols, y.to(out_ptr.dtype.element_ty), mask=cols < n_cols)


def check_arguments(x, num_warps):
    """Raise TypeError or ValueError for what the contract excludes."""
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"x is a {type(x).__name__} and must be a tensor")
    if x.dtype not in (torch.float32, torch.float16, torch.bfloat16):
        raise TypeError(f"x has dtype {x.dtype}; float32, float16 and bfloat16 are supported")
    if x.device.type != DEVICE or x.dim() != 2 or not 0 < x.size(1) <= 8192:
        raise ValueError(
            f"x must be a 2-D tensor on {DEVICE} with 1 to 8192 columns, not {tuple(x.shape)} on {x.device}"
        )
    if torch.is_grad_enabled() and x.requires_grad:
        raise ValueError("x must not require grad: run this under torch.no_grad()")
    span = sum((size - 1) * stride for size, stride in zip(x.shape, x.stride(), strict=True))
    if span > 2147483647 or x.numel() > 2147483647:
        raise ValueError("x reaches further than 2147483647 elements")
    if type(num_warps) is not int or num_warps not in (4, 8):
        raise ValueError(f"num_warps must be the int 4 or 8, not {num_warps!r}")


def softmax(x, *, num_warps=4):
    check_arguments(x, num_warps)
    out = x.new_empty(x.shape)
    if x.shape[0]:
        chunk = min(1024, triton.next_power_of_2(x.shape[1]))
        two_pass_kernel[(x.shape[0],)](x, out, *x.stride(), x.shape[1], CHUNK=chunk, num_warps=num_warps)
    return out
