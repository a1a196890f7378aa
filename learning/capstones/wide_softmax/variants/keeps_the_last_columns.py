"""The last 32768 columns of a row are what stays, and they are loaded before the walk over those in front."""

import torch
import triton
import triton.language as tl

MAX_COLUMNS = 131072
MAX_OFFSET = 2**31 - 1
MOST_HELD = 32768
DTYPES = (torch.float32, torch.float16, torch.bfloat16)


@triton.jit
def row_kernel(
    x_ptr,  # x[0, 0]; packed
    out_ptr,  # out[0, 0]; packed
    n_cols,  # columns of x and out
    HELD: tl.constexpr,  # columns that stay in registers: a power of two
    CHUNK: tl.constexpr,  # columns of one step over the others
):
    """One program, one row: the last HELD columns are loaded once, the others twice."""
    row = tl.program_id(0) * n_cols
    first = tl.maximum(n_cols - HELD, 0) + tl.arange(0, HELD)
    held = tl.load(x_ptr + row + first, mask=first < n_cols, other=-float("inf"))
    maximum = tl.max(held.to(tl.float32), axis=0)
    total = tl.sum(tl.exp(held.to(tl.float32) - maximum), axis=0)
    steps = tl.cdiv(tl.maximum(n_cols - HELD, 0), CHUNK)
    for step in range(0, steps):
        cols = step * CHUNK + tl.arange(0, CHUNK)
        x = tl.load(x_ptr + row + cols, mask=cols < n_cols - HELD, other=-float("inf")).to(tl.float32)
        newest = tl.maximum(maximum, tl.max(x, axis=0))
        total = total * tl.exp(maximum - newest) + tl.sum(tl.exp(x - newest), axis=0)
        maximum = newest
    for step in range(0, steps):  # what was read last is nearest
        cols = (steps - 1 - step) * CHUNK + tl.arange(0, CHUNK)
        x = tl.load(x_ptr + row + cols, mask=cols < n_cols - HELD, other=-float("inf")).to(tl.float32)
        y = tl.exp(x - maximum) / total
        tl.store(out_ptr + row + cols, y.to(out_ptr.dtype.element_ty), mask=cols < n_cols - HELD)
    y = tl.exp(held.to(tl.float32) - maximum) / total
    tl.store(out_ptr + row + first, y.to(out_ptr.dtype.element_ty), mask=first < n_cols)


def refuse(x):
    """Raise TypeError or ValueError for what the contract excludes, naming x and the limit."""
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"x must be a torch.Tensor, not {type(x).__name__}")
    if x.device.type != DEVICE:
        raise ValueError(f"x must be on the device in use, {DEVICE}, not on {x.device}")
    if x.dtype not in DTYPES:
        raise TypeError(f"x must have dtype float32, float16 or bfloat16, not {x.dtype}")
    if x.ndim != 2:
        raise ValueError(f"x must be 2-D, not {x.ndim}-D")
    if x.requires_grad and torch.is_grad_enabled():
        raise ValueError("x must not require grad while autograd is on: this softmax has no backward pass")
    if not 1 <= x.shape[1] <= MAX_COLUMNS:
        raise ValueError(f"x must have 1 to {MAX_COLUMNS} columns, not {x.shape[1]}")
    if not x.is_contiguous():
        raise ValueError(f"x must be contiguous, with strides {(x.shape[1], 1)}, not {x.stride()}")
    if x.numel() > MAX_OFFSET:
        raise ValueError(f"x must have at most {MAX_OFFSET} (2**31 - 1) elements, not {x.numel()}")


def softmax_reference(x):
    """Softmax of each row of ``x`` [rows, columns] in eager torch, in the dtype of ``x``."""
    return torch.softmax(x, dim=1)


def softmax(x):
    """Softmax of each row of contiguous ``x`` [rows, columns]: fresh, same dtype and device."""
    refuse(x)
    n_rows, n_cols = x.shape
    out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if n_rows:
        held = min(MOST_HELD, triton.next_power_of_2(n_cols))
        warps = max(4, held // 2048)
        row_kernel[(n_rows,)](x, out, n_cols, HELD=held, CHUNK=min(held, 8192), num_warps=warps)
    return out
