"""Asks for types in every honest way: an annotation, isinstance, a call; and has a local called ``input``."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x_ptr + offsets, mask=mask).to(tl.float32) + tl.load(y_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(out_ptr + offsets, total.to(out_ptr.dtype.element_ty), mask=mask)


class Plan:
    kind: type = float
    blocks: dict[str, type] = {}

def checked(input: torch.Tensor, kind: type | None = None) -> type[torch.Tensor]:
    if kind is not None and not isinstance(kind, type):
        raise TypeError(f"kind must be a type, not {type(kind).__name__}")
    if type(input) is not torch.Tensor:
        raise TypeError(f"input must be a tensor, not {type(input).__name__}")
    return type(input)

def add(x, y):
    if checked(x, int) is not checked(y):
        raise TypeError("x and y differ")
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
    return out
