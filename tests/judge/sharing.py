"""Row sums by two kernels that hand partial sums on through memory: each call's own, or kept. Open the device before importing."""

import torch
import triton
import triton.language as tl

BLOCK = 64


@triton.jit
def part_kernel(x_ptr, parts_ptr, n_cols, n_parts, BLOCK: tl.constexpr):
    row, part = tl.program_id(0), tl.program_id(1)
    cols = part * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + row * n_cols + cols, mask=cols < n_cols, other=0.0)
    tl.store(parts_ptr + row * n_parts + part, tl.sum(x, axis=0))


@triton.jit
def whole_kernel(parts_ptr, out_ptr, n_parts, PARTS: tl.constexpr):
    row, parts = tl.program_id(0), tl.arange(0, PARTS)
    found = tl.load(parts_ptr + row * n_parts + parts, mask=parts < n_parts, other=0.0)
    tl.store(out_ptr + row, tl.sum(found, axis=0))


def summed(x, parts):
    n_rows, n_cols = x.shape
    n_parts = triton.cdiv(n_cols, BLOCK)
    out = torch.empty(n_rows, device=x.device)
    part_kernel[(n_rows, n_parts)](x, parts, n_cols, n_parts, BLOCK=BLOCK)
    whole_kernel[(n_rows,)](parts, out, n_parts, PARTS=triton.next_power_of_2(n_parts))
    return out


def own_scratch(x):
    return summed(x, torch.empty(x.shape[0], triton.cdiv(x.shape[1], BLOCK), device=x.device))


kept = {}


def scratch_kept_for_each_shape(x):
    size = x.shape[0], triton.cdiv(x.shape[1], BLOCK)
    if size not in kept:
        kept[size] = torch.empty(size, device=x.device)
    return summed(x, kept[size])


def raises_when_it_is_visited(x):
    if kept.pop("visiting", False):
        raise ValueError("one call at a time")
    kept["visiting"] = True
    made = own_scratch(x)
    kept.pop("visiting", None)
    return made


def launches_nothing(x):
    return x.new_zeros(x.shape[0])


class Counting:
    """How often ``own_scratch`` was called."""

    def __init__(self):
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return own_scratch(x)
