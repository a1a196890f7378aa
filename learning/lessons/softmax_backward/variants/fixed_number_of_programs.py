"""A fixed number of programs, each walking the rows in strides of the grid."""

import torch
import triton
import triton.language as tl


@triton.jit
def persistent_kernel(y_ptr, g_ptr, dx_ptr, ys, yt, gs, gt, n_rows, n_cols, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    for row in range(tl.program_id(0), n_rows, tl.num_programs(0)):
        y = tl.load(y_ptr + row * ys + cols * yt, mask=mask, other=0.0).to(tl.float32)
        g = tl.load(g_ptr + row * gs + cols * gt, mask=mask, other=0.0).to(tl.float32)
        dx = y * (g - tl.sum(y * g, axis=0))
        tl.store(dx_ptr + row * n_cols + cols, dx.to(dx_ptr.dtype.element_ty), mask=mask)


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
    n_rows, n_cols = y.shape
    dx = y.new_empty((n_rows, n_cols))
    if n_rows == 0:
        return dx
    block = triton.next_power_of_2(n_cols)
    persistent_kernel[(min(n_rows, 512),)](
        y, g, dx, *y.stride(), *g.stride(), n_rows, n_cols, BLOCK=block, num_warps=num_warps
    )
    return dx
