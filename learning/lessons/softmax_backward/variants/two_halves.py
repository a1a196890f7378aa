"""A row in two halves, both held in registers: the two sums are added, y and g are still read once."""

import torch
import triton
import triton.language as tl


@triton.jit
def half(y_ptr, g_ptr, y_stride, g_stride, cols, n_cols):
    y = tl.load(y_ptr + cols * y_stride, mask=cols < n_cols, other=0.0).to(tl.float32)
    g = tl.load(g_ptr + cols * g_stride, mask=cols < n_cols, other=0.0).to(tl.float32)
    return y, g


@triton.jit
def halves_kernel(y_ptr, g_ptr, dx_ptr, ys, yt, gs, gt, n_cols, HALF: tl.constexpr):
    row = tl.program_id(0)
    left = tl.arange(0, HALF)
    right = HALF + left
    y0, g0 = half(y_ptr + row * ys, g_ptr + row * gs, yt, gt, left, n_cols)
    y1, g1 = half(y_ptr + row * ys, g_ptr + row * gs, yt, gt, right, n_cols)
    d = tl.sum(y0 * g0, axis=0) + tl.sum(y1 * g1, axis=0)
    dx_ptr += row * n_cols
    tl.store(dx_ptr + left, (y0 * (g0 - d)).to(dx_ptr.dtype.element_ty), mask=left < n_cols)
    tl.store(dx_ptr + right, (y1 * (g1 - d)).to(dx_ptr.dtype.element_ty), mask=right < n_cols)


def check_arguments(y, g, num_warps):
    """Raise TypeError or ValueError for what the contract excludes."""
    for name, value in {"y": y, "g": g}.items():
        if not isinstance(value, torch.Tensor):
            raise TypeError(f"{name} is a {type(value).__name__} and must be a tensor")
        if value.dtype not in (torch.float32, torch.float16, torch.bfloat16):
            raise TypeError(f"{name} has dtype {value.dtype}; float32, float16 and bfloat16 are supported")
        if value.device.type != DEVICE or value.dim() != 2 or not 0 < value.size(1) <= 8192:
            raise ValueError(
                f"{name} must be a 2-D tensor on {DEVICE} with 1 to 8192 columns, not {tuple(value.shape)} on {value.device}"
            )
        if torch.is_grad_enabled() and value.requires_grad:
            raise ValueError(f"{name} must not require grad: run this under torch.no_grad()")
        span = sum((size - 1) * stride for size, stride in zip(value.shape, value.stride()))
        if span > 2147483647 or value.numel() > 2147483647:
            raise ValueError(f"{name} reaches further than 2147483647 elements")
    if (g.shape, g.dtype, g.device) != (y.shape, y.dtype, y.device):
        raise ValueError(f"g must match y: {g.dtype} {tuple(g.shape)} on {g.device} does not")
    if type(num_warps) is not int or num_warps not in (4, 8):
        raise ValueError(f"num_warps must be the int 4 or 8, not {num_warps!r}")


def backward(y, g, *, num_warps=4):
    check_arguments(y, g, num_warps)
    dx = torch.empty_like(y, memory_format=torch.contiguous_format)
    if y.shape[0]:
        half_row = max(1, triton.next_power_of_2(y.shape[1]) // 2)
        halves_kernel[(y.shape[0],)](y, g, dx, *y.stride(), *g.stride(), y.shape[1], HALF=half_row, num_warps=num_warps)
    return dx
