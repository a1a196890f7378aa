"""Trap: tl.where puts minus infinity after a load without a mask, which has read past the row, and past the end of x."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "asks_memory_for_x_once_where_it_lies"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def where_kernel(x_ptr, out_ptr, row_stride, col_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK).to(tl.int64)
    mask = cols < n_cols
    x_ptr += row * row_stride
    out_ptr += row * n_cols
    x = tl.load(x_ptr + cols * col_stride).to(tl.float32)
    top = tl.max(tl.where(mask, x, -float("inf")), axis=0)
    weights = tl.where(mask, tl.exp(tl.minimum(x - top, 0.0)), 0.0)
    tl.store(out_ptr + cols, (weights / tl.sum(weights, axis=0)).to(out_ptr.dtype.element_ty), mask=mask)


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
    out = torch.zeros(x.shape, dtype=x.dtype, device=x.device)
    if len(x):
        block = max(16, triton.next_power_of_2(x.shape[1]))
        where_kernel[(len(x),)](x, out, x.stride(0), x.stride(1), x.shape[1], BLOCK=block, num_warps=num_warps)
    return out
