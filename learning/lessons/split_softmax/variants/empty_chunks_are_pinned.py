"""The number of chunks is rounded up to a power of two; chunks of padding alone get A1's EMPTY, by a pin."""

import torch
import triton
import triton.language as tl


@triton.jit
def pinned_kernel(x_ptr, tops_ptr, sums_ptr, n_cols, CHUNKS: tl.constexpr, CHUNK: tl.constexpr):
    row, chunk = tl.program_id(1), tl.program_id(0)
    cols = chunk * CHUNK + tl.arange(0, CHUNK)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
    top = tl.max(x, axis=0)
    pinned = tl.where(top == -float("inf"), 0.0, top)
    tl.store(tops_ptr + row * CHUNKS + chunk, top)
    tl.store(sums_ptr + row * CHUNKS + chunk, tl.sum(tl.exp(x - pinned), axis=0))


@triton.jit
def rows_kernel(tops_ptr, sums_ptr, CHUNKS: tl.constexpr):
    """The row's state replaces that of its first chunk."""
    row = tl.program_id(0)
    at = row * CHUNKS + tl.arange(0, CHUNKS)
    tops, sums = tl.load(tops_ptr + at), tl.load(sums_ptr + at)
    top = tl.max(tops, axis=0)
    total = tl.sum(sums * tl.exp(tops - top), axis=0)
    tl.debug_barrier()
    tl.store(tops_ptr + row * CHUNKS, top)
    tl.store(sums_ptr + row * CHUNKS, total)


@triton.jit
def shares_kernel(x_ptr, tops_ptr, sums_ptr, out_ptr, n_cols, CHUNKS: tl.constexpr, CHUNK: tl.constexpr):
    row, chunk = tl.program_id(1), tl.program_id(0)
    cols = chunk * CHUNK + tl.arange(0, CHUNK)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=0.0).to(tl.float32)
    y = tl.exp(x - tl.load(tops_ptr + row * CHUNKS)) / tl.load(sums_ptr + row * CHUNKS)
    tl.store(out_ptr + row * n_cols + cols, y.to(out_ptr.dtype.element_ty), mask=cols < n_cols)


def check_arguments(x, chunk_size):
    """Raise TypeError or ValueError for what the contract excludes."""
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"x is a {type(x).__name__} and must be a tensor")
    if x.dtype not in (torch.float32, torch.float16, torch.bfloat16):
        raise TypeError(f"x has dtype {x.dtype}; float32, float16 and bfloat16 are supported")
    if x.device.type != DEVICE or x.dim() != 2 or not 0 < x.size(1) <= 131072:
        raise ValueError(
            f"x must be a 2-D tensor on {DEVICE} with 1 to 131072 columns, not {tuple(x.shape)} on {x.device}"
        )
    if torch.is_grad_enabled() and x.requires_grad:
        raise ValueError("x must not require grad: run this under torch.no_grad()")
    if not x.is_contiguous():
        raise ValueError(f"x must be contiguous, not of strides {x.stride()}")
    if x.numel() > 2147483647:
        raise ValueError("x has more than 2147483647 elements")
    if type(chunk_size) is not int or chunk_size not in (256, 1024, 4096):
        raise ValueError(f"chunk_size must be the int 256, 1024 or 4096, not {chunk_size!r}")


def softmax(x, *, chunk_size=1024):
    check_arguments(x, chunk_size)
    n_rows, n_cols = x.shape
    out = x.new_empty(x.shape)
    chunks = triton.next_power_of_2(triton.cdiv(n_cols, chunk_size))
    for first in range(0, n_rows, 65535):  # no more programs fit the second axis of a grid
        part, made = x[first : first + 65535], out[first : first + 65535]
        rows = part.shape[0]
        tops = torch.empty(rows, chunks, dtype=torch.float32, device=x.device)
        sums = torch.empty(rows, chunks, dtype=torch.float32, device=x.device)
        grid = (chunks, rows)
        pinned_kernel[grid](part, tops, sums, n_cols, CHUNKS=chunks, CHUNK=chunk_size)
        rows_kernel[(rows,)](tops, sums, CHUNKS=chunks)
        shares_kernel[grid](part, tops, sums, made, n_cols, CHUNKS=chunks, CHUNK=chunk_size)
    return out
