"""Nested quotes, widths and debugging signs in f-strings."""

import torch
import triton
import triton.language as tl


@triton.jit
def adder(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x_ptr + offsets, mask=mask).to(tl.float32) + tl.load(y_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(out_ptr + offsets, total.to(out_ptr.dtype.element_ty), mask=mask)


def told(x, width=12):
    d = {"a": x.shape, 'b': x.dtype}
    line = "'" + '"' + f"""{d["a"]!r:>{width}} 'x' "y" {', '.join(str(s) for s in d['a'])}\n\t{{}}"""
    line += f'{x.numel()=} {"nested " + f"{width:>{3}}"}' rf"\d{width}" f"{x.dtype!s:^{width}}"
    return line + f"{width:{'>'}{10}}" + f'''{d['b']} " '''


def add(x, y):
    out = torch.empty_like(x)
    text = told(x)
    if not text:
        raise ValueError(text)
    adder[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
    return out
