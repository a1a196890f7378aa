"""One program a row: y and g are read through strides of their own, and one sum a row stands for the whole Jacobian."""

import torch
import triton
import triton.language as tl

MAX_COLUMNS = 8192
MAX_OFFSET = 2**31 - 1
DTYPES = (torch.float32, torch.float16, torch.bfloat16)


@triton.jit
def backward_kernel(
    y_ptr,  # y[0, 0]
    g_ptr,  # g[0, 0]
    dx_ptr,  # dx[0, 0]; dx is contiguous
    y_row_stride,  # elements from y[i, j] to y[i + 1, j]; may be 0
    y_col_stride,  # elements from y[i, j] to y[i, j + 1]; may be 0
    g_row_stride,  # the same for g
    g_col_stride,
    n_cols,  # columns of y, g and dx, 1 to 8192
    BLOCK: tl.constexpr,  # lanes of one program: a power of two, at least n_cols
):
    # 1. Which row is mine, which columns do my lanes stand for, and which lanes stand for none?
    # 2. Load my row of y and my row of g, each through its own two strides; which padding adds nothing? Widen to fp32.
    # 3. d: the row's sum of y · g. Then y · (g − d).
    # 4. Store as the output's element type. Whose row stride is it now?
    ### BEGIN SOLUTION
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    y = tl.load(y_ptr + row * y_row_stride + cols * y_col_stride, mask=mask, other=0.0).to(tl.float32)
    g = tl.load(g_ptr + row * g_row_stride + cols * g_col_stride, mask=mask, other=0.0).to(tl.float32)
    d = tl.sum(y * g, axis=0)
    dx = y * (g - d)
    tl.store(dx_ptr + row * n_cols + cols, dx.to(dx_ptr.dtype.element_ty), mask=mask)
    ### END SOLUTION


def backward(y, g, *, num_warps=4):
    """y · (g − Σ y·g) by row for ``y`` and ``g`` [rows, columns]: fresh and contiguous, their dtype and device."""
    # 1. Refuse what the contract excludes: TypeError or ValueError, naming the argument and the limit. Most questions are
    #    asked of y and of g alike; three are about the pair.
    # 2. Allocate the result: this shape, this dtype, this device, contiguous whatever the strides of y and g are.
    # 3. No rows: return it as it is.
    # 4. Launch one program a row: four strides, the column count, BLOCK as a compile-time constant, num_warps.
    ### BEGIN SOLUTION
    for name, value in (("y", y), ("g", g)):
        if not isinstance(value, torch.Tensor):
            raise TypeError(f"{name} must be a torch.Tensor, not {type(value).__name__}")
        if value.device.type != DEVICE:
            raise ValueError(f"{name} must be on the device in use, {DEVICE}, not on {value.device}")
        if value.dtype not in DTYPES:
            raise TypeError(f"{name} must have dtype float32, float16 or bfloat16, not {value.dtype}")
        if value.ndim != 2:
            raise ValueError(f"{name} must be 2-D, not {value.ndim}-D")
        if value.requires_grad and torch.is_grad_enabled():
            raise ValueError(f"{name} must not require grad while autograd is on: nothing is registered for it")
        n_rows, n_cols = value.shape
        if not 1 <= n_cols <= MAX_COLUMNS:
            raise ValueError(f"{name} must have 1 to {MAX_COLUMNS} columns, not {n_cols}")
        offset = (n_rows - 1) * value.stride(0) + (n_cols - 1) * value.stride(1)
        if max(offset, n_rows * n_cols) > MAX_OFFSET:
            raise ValueError(
                f"{name} must have element offsets and an element count of at most {MAX_OFFSET} (2**31 - 1): "
                f"its largest offset is {offset}, its count {n_rows * n_cols}"
            )
    if g.shape != y.shape:
        raise ValueError(f"g must have the shape of y, {tuple(y.shape)}, not {tuple(g.shape)}")
    if g.dtype != y.dtype:
        raise TypeError(f"g must have the dtype of y, {y.dtype}, not {g.dtype}")
    if g.device != y.device:
        raise ValueError(f"g must be on the device of y, {y.device}, not on {g.device}")
    if type(num_warps) is not int or num_warps not in (4, 8):
        raise ValueError(f"num_warps must be 4 or 8, not {num_warps!r}")

    dx = torch.empty((n_rows, n_cols), dtype=y.dtype, device=y.device)
    if n_rows == 0:
        return dx
    BLOCK = triton.next_power_of_2(n_cols)
    strides = (*y.stride(), *g.stride())
    backward_kernel[(n_rows,)](y, g, dx, *strides, n_cols, BLOCK=BLOCK, num_warps=num_warps)
    return dx
    ### END SOLUTION
