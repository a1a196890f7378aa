"""Exponentials to the base 2, and programs that walk over four chunks with one running state."""

import torch
import triton
import triton.language as tl

LOG2_E: tl.constexpr = tl.constexpr(1.4426950408889634)


@triton.jit
def running_kernel(x_ptr, tops_ptr, sums_ptr, n_cols, n_parts, CHUNK: tl.constexpr, STEPS: tl.constexpr):
    row, part = tl.program_id(0) // n_parts, tl.program_id(0) % n_parts
    top = tl.full((), -float("inf"), tl.float32)
    total = tl.zeros((), tl.float32)
    for step in range(0, STEPS):
        cols = (part * STEPS + step) * CHUNK + tl.arange(0, CHUNK)
        x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        higher = tl.maximum(top, tl.max(x, axis=0))
        total = total * tl.exp2((top - higher) * LOG2_E) + tl.sum(tl.exp2((x - higher) * LOG2_E), axis=0)
        top = higher
    tl.store(tops_ptr + tl.program_id(0), top)
    tl.store(sums_ptr + tl.program_id(0), total)


@triton.jit
def parts_kernel(tops_ptr, sums_ptr, row_tops_ptr, row_sums_ptr, n_parts, PARTS: tl.constexpr):
    row, parts = tl.program_id(0), tl.arange(0, PARTS)
    tops = tl.load(tops_ptr + row * n_parts + parts, mask=parts < n_parts, other=-float("inf"))
    sums = tl.load(sums_ptr + row * n_parts + parts, mask=parts < n_parts, other=0.0)
    top = tl.max(tops, axis=0)
    tl.store(row_tops_ptr + row, top)
    tl.store(row_sums_ptr + row, tl.sum(sums * tl.exp2((tops - top) * LOG2_E), axis=0))


@triton.jit
def last_kernel(x_ptr, row_tops_ptr, row_sums_ptr, out_ptr, n_cols, n_chunks, CHUNK: tl.constexpr):
    row, chunk = tl.program_id(0) // n_chunks, tl.program_id(0) % n_chunks
    cols = chunk * CHUNK + tl.arange(0, CHUNK)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=0.0).to(tl.float32)
    y = tl.exp2((x - tl.load(row_tops_ptr + row)) * LOG2_E) / tl.load(row_sums_ptr + row)
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
    out = torch.empty(n_rows, n_cols, dtype=x.dtype, device=x.device)
    if n_rows == 0:
        return out
    n_chunks, n_parts = triton.cdiv(n_cols, chunk_size), triton.cdiv(n_cols, 4 * chunk_size)
    make = {"dtype": torch.float32, "device": x.device}
    tops, sums = torch.empty(n_rows, n_parts, **make), torch.empty(n_rows, n_parts, **make)
    row_tops, row_sums = torch.empty(n_rows, **make), torch.empty(n_rows, **make)
    running_kernel[(n_rows * n_parts,)](x, tops, sums, n_cols, n_parts, CHUNK=chunk_size, STEPS=4)
    lanes = triton.next_power_of_2(n_parts)
    parts_kernel[(n_rows,)](tops, sums, row_tops, row_sums, n_parts, PARTS=lanes)
    last_kernel[(n_rows * n_chunks,)](x, row_tops, row_sums, out, n_cols, n_chunks, CHUNK=chunk_size)
    return out
