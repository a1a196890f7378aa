"""Our entry for C3: a program walks over the front of its row twice, the second time backwards, and keeps the end in registers."""

import torch
import triton
import triton.language as tl

### BEGIN SOLUTION
MAX_COLUMNS = 131072
MAX_OFFSET = 2**31 - 1
MOST_HELD = 32768
WARP_COLUMNS = 1024  # of them in a warp: 32 in each of its threads
LOG2E = tl.constexpr(1.4426950408889634)  # log2(e)
DTYPES = (torch.float32, torch.float16, torch.bfloat16)


@triton.jit
def power(exponent, BINARY: tl.constexpr):
    """2 to the power ``exponent`` if ``BINARY``, else e to that power."""
    return tl.exp2(exponent) if BINARY else tl.exp(exponent)


@triton.jit
def weight(x, shift, BINARY: tl.constexpr):
    """exp(x − shift); if ``BINARY`` the shift has been multiplied by log2(e) already: 2 ** (x · log2(e) − shift), one product and
    difference in a single instruction."""
    return power(x * LOG2E - shift if BINARY else x - shift, BINARY)


@triton.jit
def row_kernel(
    x_ptr,  # x[0, 0]; packed
    out_ptr,  # out[0, 0]; packed
    n_cols,  # columns of x and out
    HELD: tl.constexpr,  # columns that stay in registers: a power of two
    CHUNK: tl.constexpr,  # columns of one step over the others
    SIDE: tl.constexpr,  # neighbours that one thread loads at once: they share a state
    FULL: tl.constexpr,  # whether the row has HELD columns: then what stays needs no mask
    WHOLE: tl.constexpr,  # whether those in front of them are whole steps: then none of these does
    BINARY: tl.constexpr,  # whether maxima count in powers of two
):
    """One program, one row: the last HELD columns are loaded once, those in front of them twice."""
    x_ptr += tl.program_id(0) * n_cols
    out_ptr += tl.program_id(0) * n_cols
    front = tl.maximum(n_cols - HELD, 0)
    nothing = None if WHOLE else -float("inf")
    # A state for each thread, so that nothing is combined before the walk is over; it begins at the lowest float32.
    maxima = tl.full((CHUNK // SIDE,), -3.4028234663852886e38, dtype=tl.float32)
    totals = tl.zeros((CHUNK // SIDE,), dtype=tl.float32)
    for start in range(0, front, CHUNK):
        cols = start + tl.arange(0, CHUNK)
        mask = None if WHOLE else cols < front
        x = tl.load(x_ptr + cols, mask=mask, other=nothing, eviction_policy="evict_last").to(tl.float32)
        x = tl.reshape(x, (CHUNK // SIDE, SIDE))
        highest = tl.max(x, axis=1)
        higher = tl.maximum(maxima, highest * LOG2E if BINARY else highest)
        totals = totals * power(maxima - higher, BINARY) + tl.sum(weight(x, higher[:, None], BINARY), axis=1)
        maxima = higher
    # What stays is read last: the walk had the registers to itself, and the rest of the row is still near.
    end = front + tl.arange(0, HELD)
    there = None if FULL else end < n_cols
    held = tl.load(x_ptr + end, mask=there, other=None if FULL else -float("inf"), eviction_policy="evict_first")
    before = tl.max(maxima, axis=0)
    total = tl.sum(totals * power(maxima - before, BINARY), axis=0)
    highest = tl.max(held, axis=0).to(tl.float32)
    shift = tl.maximum(before, highest * LOG2E if BINARY else highest)
    total = total * power(before - shift, BINARY) + tl.sum(weight(held.to(tl.float32), shift, BINARY), axis=0)
    share = 1.0 / total
    quotients = weight(held.to(tl.float32), shift, BINARY) * share
    tl.store(out_ptr + end, quotients.to(out_ptr.dtype.element_ty), mask=there, eviction_policy="evict_first")
    last = tl.cdiv(front, CHUNK) * CHUNK - CHUNK
    for done in range(0, front, CHUNK):  # what was read last is nearest
        cols = last - done + tl.arange(0, CHUNK)
        mask = None if WHOLE else cols < front
        again = tl.load(x_ptr + cols, mask=mask, other=nothing, eviction_policy="evict_first")
        y = weight(again.to(tl.float32), shift, BINARY) * share
        tl.store(out_ptr + cols, y.to(out_ptr.dtype.element_ty), mask=mask, eviction_policy="evict_first")


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


### END SOLUTION


def softmax_reference(x):
    """Softmax of each row of ``x`` [rows, columns] in eager torch, in the dtype of ``x``."""
    ### BEGIN SOLUTION
    return torch.softmax(x, dim=1)
    ### END SOLUTION


def softmax(x):
    """Softmax of each row of contiguous ``x`` [rows, columns]: fresh, same dtype and device."""
    ### BEGIN SOLUTION
    refuse(x)
    n_rows, n_cols = x.shape
    out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if n_rows:
        held = min(MOST_HELD, triton.next_power_of_2(n_cols))
        warps, side = max(4, held // WARP_COLUMNS), 16 // x.element_size()
        chunk = warps * 32 * side
        row_kernel[(n_rows,)](
            x, out, n_cols, HELD=held, CHUNK=chunk, SIDE=side, BINARY=x.dtype == torch.float16,
            FULL=n_cols >= held, WHOLE=max(n_cols - held, 0) % chunk == 0, num_warps=warps,
        )  # fmt: skip
    return out
    ### END SOLUTION
