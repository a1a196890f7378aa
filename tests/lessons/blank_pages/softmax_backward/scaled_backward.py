"""I2 from memory: one factor more, in float32."""

import torch
import triton
import triton.language as tl


def reference(y, g, scale):
    y32, g32 = y.float(), g.float()
    return (scale * y32 * (g32 - (y32 * g32).sum(dim=1, keepdim=True))).to(y.dtype)


@triton.jit
def scaled_kernel(y_ptr, g_ptr, dx_ptr, ys, yt, gs, gt, scale, n_cols, BLOCK: tl.constexpr):
    row, cols = tl.program_id(0), tl.arange(0, BLOCK)
    mask = cols < n_cols
    y = tl.load(y_ptr + row * ys + cols * yt, mask=mask, other=0.0).to(tl.float32)
    g = tl.load(g_ptr + row * gs + cols * gt, mask=mask, other=0.0).to(tl.float32)
    dx = scale * y * (g - tl.sum(y * g, axis=0))
    tl.store(dx_ptr + row * n_cols + cols, dx.to(dx_ptr.dtype.element_ty), mask=mask)


def scaled_backward(y, g, scale, *, num_warps=4):
    n_rows, n_cols = y.shape
    dx = torch.empty((n_rows, n_cols), dtype=y.dtype, device=y.device)
    if n_rows:
        block = triton.next_power_of_2(n_cols)
        scaled_kernel[(n_rows,)](y, g, dx, *y.stride(), *g.stride(), scale, n_cols, BLOCK=block, num_warps=num_warps)
    return dx
