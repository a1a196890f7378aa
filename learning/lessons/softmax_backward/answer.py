"""The supplied answer of I2: one program a row, y and g read through strides of their own, one sum for the whole Jacobian; and
as many threads a row as leave each of them one wide load, in launches without a pause between them."""

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


def refuse(y, g, num_warps):
    """Raise TypeError or ValueError for what the contract excludes, naming the argument and the limit."""
    # 5. Asked of y and of g alike: a tensor? On the device in use, of a dtype we know, 2-D, no gradient wanted, 1 to 8192
    #    columns, its largest offset and its count within 2**31 - 1?
    # 6. Three questions about the pair. And is num_warps one of two numbers?
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
    ### END SOLUTION


def backward(y, g, *, num_warps=4):
    """y · (g − Σ y·g) by row for ``y`` and ``g`` [rows, columns]: fresh and contiguous, their dtype and device."""
    # 7. Refuse first.
    # 8. Allocate the result: this shape, this dtype, this device, contiguous whatever the strides of y and g are.
    # 9. No rows: return it as it is.
    # 10. Launch one program a row: four strides, the column count, BLOCK as a compile-time constant, num_warps.
    ### BEGIN SOLUTION
    refuse(y, g, num_warps)
    n_rows, n_cols = y.shape
    dx = torch.empty((n_rows, n_cols), dtype=y.dtype, device=y.device)
    if n_rows == 0:
        return dx
    BLOCK = triton.next_power_of_2(n_cols)
    strides = (*y.stride(), *g.stride())
    backward_kernel[(n_rows,)](y, g, dx, *strides, n_cols, BLOCK=BLOCK, num_warps=num_warps)
    return dx
    ### END SOLUTION


# A thread's share of a row, where it is packed: 8 elements of 16 bits are 16 bytes, the most that one load moves.
ELEMENTS, MOST_WARPS = 8, 16


@triton.jit
def early_kernel(
    y_ptr,
    g_ptr,
    dx_ptr,
    y_row_stride,
    y_col_stride,
    g_row_stride,
    g_col_stride,
    n_cols,
    BLOCK: tl.constexpr,
):
    """backward_kernel in a launch that may begin before the one ahead of it has ended."""
    # 11. Let the next launch begin. (tl.extra.cuda.gdc_launch_dependents)
    # 12. Wait for the launch before: y and g may be its results. (tl.extra.cuda.gdc_wait)
    # 13. The kernel you have: inside another it is called like a function.
    ### BEGIN SOLUTION
    tl.extra.cuda.gdc_launch_dependents()
    tl.extra.cuda.gdc_wait()
    backward_kernel(y_ptr, g_ptr, dx_ptr, y_row_stride, y_col_stride, g_row_stride, g_col_stride, n_cols, BLOCK)
    ### END SOLUTION


def tuned(y, g, *, num_warps=4):
    """The contract of ``backward``, with ``num_warps`` as the fewest: rows whose elements lie side by side get as many warps as
    leave a thread ``ELEMENTS`` of them, ``MOST_WARPS`` at most. Where the card can, a launch begins while the one before ends."""
    # 14. Refuse as before.
    # 15. Allocate as before, and return where there are no rows.
    # 16. Do the elements of a row lie side by side, in y and in g? Then how many warps of 32 threads leave a thread ELEMENTS of
    #     BLOCK? Not fewer than num_warps, nor more than MOST_WARPS.
    # 17. On a card of capability (9, 0) or more launch early_kernel, with launch_pdl=True; elsewhere the kernel you have.
    #     (y.is_cuda, torch.cuda.get_device_capability)
    ### BEGIN SOLUTION
    refuse(y, g, num_warps)
    n_rows, n_cols = y.shape
    dx = torch.empty((n_rows, n_cols), dtype=y.dtype, device=y.device)
    if n_rows == 0:
        return dx
    BLOCK = triton.next_power_of_2(n_cols)
    if y.stride(1) == 1 and g.stride(1) == 1:
        num_warps = min(MOST_WARPS, max(num_warps, BLOCK // (32 * ELEMENTS)))
    ahead = y.is_cuda and torch.cuda.get_device_capability(y.device) >= (9, 0)
    kernel, early = (early_kernel, {"launch_pdl": True}) if ahead else (backward_kernel, {})
    kernel[(n_rows,)](y, g, dx, *y.stride(), *g.stride(), n_cols, BLOCK=BLOCK, num_warps=num_warps, **early)
    return dx
    ### END SOLUTION
