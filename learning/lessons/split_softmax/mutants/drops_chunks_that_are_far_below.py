"""Trap: chunks whose maximum lies more than ten below the row's are left out of the sum, to save exponentials."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "splits_every_way_to_one_result"
DIES_ON = ("interpreter", "cuda")

MAX_COLUMNS = 131072
MAX_OFFSET = 2**31 - 1
CHUNK_SIZES = (256, 1024, 4096)
DTYPES = (torch.float32, torch.float16, torch.bfloat16)


@triton.jit
def part_kernel(
    x_ptr,  # x[0, 0]; packed
    maxima_ptr,  # maxima[0, 0] of [rows, chunks], float32: the largest value of each chunk
    totals_ptr,  # totals[0, 0] of [rows, chunks], float32: its sum of exp(x - maximum)
    n_cols,  # columns of x: elements from x[i, j] to x[i + 1, j]
    n_chunks,  # chunks of a row
    CHUNK: tl.constexpr,  # columns of a chunk, lanes of a program: 256, 1024 or 4096
):
    """One program, one chunk of one row: its state."""
    place = tl.program_id(0)
    row, chunk = place // n_chunks, place % n_chunks
    cols = chunk * CHUNK + tl.arange(0, CHUNK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=-float("inf")).to(tl.float32)
    maximum = tl.max(x, axis=0)
    total = tl.sum(tl.exp(x - maximum), axis=0)
    tl.store(maxima_ptr + place, maximum)
    tl.store(totals_ptr + place, total)


@triton.jit
def merge_kernel(
    maxima_ptr,  # [rows, chunks], float32, as part_kernel left them
    totals_ptr,  # [rows, chunks], float32
    row_maxima_ptr,  # [rows], float32: the largest value of each row
    row_totals_ptr,  # [rows], float32: its sum of exp(x - row maximum)
    n_chunks,  # chunks of a row
    CHUNKS: tl.constexpr,  # lanes of a program: a power of two, at least n_chunks
):
    """One program, one row: the states of its chunks become one."""
    row = tl.program_id(0)
    chunks = tl.arange(0, CHUNKS)
    mask = chunks < n_chunks
    maxima = tl.load(maxima_ptr + row * n_chunks + chunks, mask=mask, other=-float("inf"))
    totals = tl.load(totals_ptr + row * n_chunks + chunks, mask=mask, other=0.0)
    maximum = tl.max(maxima, axis=0)
    total = tl.sum(tl.where(maxima > maximum - 10.0, totals * tl.exp(maxima - maximum), 0.0), axis=0)
    tl.store(row_maxima_ptr + row, maximum)
    tl.store(row_totals_ptr + row, total)


@triton.jit
def normalise_kernel(
    x_ptr,  # x[0, 0]; packed
    row_maxima_ptr,  # [rows], float32, as merge_kernel left them
    row_totals_ptr,  # [rows], float32
    out_ptr,  # out[0, 0]; packed
    n_cols,  # columns of x and out
    n_chunks,  # chunks of a row
    CHUNK: tl.constexpr,  # columns of a chunk, lanes of a program
):
    """One program, one chunk of one row: its quotients."""
    # 10. Divide, cast to the element type of out, store under the mask.
    place = tl.program_id(0)
    row, chunk = place // n_chunks, place % n_chunks
    cols = chunk * CHUNK + tl.arange(0, CHUNK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=-float("inf")).to(tl.float32)
    y = tl.exp(x - tl.load(row_maxima_ptr + row)) / tl.load(row_totals_ptr + row)
    tl.store(out_ptr + row * n_cols + cols, y.to(out_ptr.dtype.element_ty), mask=mask)


def refuse(x, chunk_size):
    """Raise TypeError or ValueError for what the contract excludes, naming the argument and the limit."""
    # 11. A tensor? On the device in use, of a dtype we know, 2-D, no gradient wanted, 1 to 131072 columns, contiguous, within
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
    if type(chunk_size) is not int or chunk_size not in CHUNK_SIZES:
        raise ValueError(f"chunk_size must be 256, 1024 or 4096, not {chunk_size!r}")


def softmax(x, *, chunk_size=1024):
    """Softmax of each row of contiguous ``x`` [rows, columns], chunk by chunk: fresh, same dtype and device."""
    # 12. Refuse; make room for the result; no rows: return it as it is.
    # 13. How many chunks has a row? Scratch of this call: two float32 numbers a chunk, two a row. (torch.empty)
    # 14. Three launches, in this order. The first and the third have a program for each chunk of each row.
    # 15. Return the result.
    refuse(x, chunk_size)
    n_rows, n_cols = x.shape
    out = torch.empty((n_rows, n_cols), dtype=x.dtype, device=x.device)
    if n_rows == 0:
        return out
    n_chunks = triton.cdiv(n_cols, chunk_size)
    maxima, totals = (torch.empty((n_rows, n_chunks), dtype=torch.float32, device=x.device) for _ in range(2))
    row_maxima, row_totals = (torch.empty(n_rows, dtype=torch.float32, device=x.device) for _ in range(2))
    each, warps = (n_rows * n_chunks,), 8 if chunk_size == 4096 else 4
    part_kernel[each](x, maxima, totals, n_cols, n_chunks, CHUNK=chunk_size, num_warps=warps)
    CHUNKS = triton.next_power_of_2(n_chunks)
    merge_kernel[(n_rows,)](maxima, totals, row_maxima, row_totals, n_chunks, CHUNKS=CHUNKS)
    normalise_kernel[each](x, row_maxima, row_totals, out, n_cols, n_chunks, CHUNK=chunk_size, num_warps=warps)
    return out
