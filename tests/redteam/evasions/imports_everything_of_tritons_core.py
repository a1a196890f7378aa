# class 13
"""Triton's core has no ``__all__``: a star brings the modules it has imported, ``builtins`` first."""

import torch
import triton
import triton.language as tl


@triton.jit
def decoy(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=offsets < n), mask=offsets < n)


CODE = """
import threading

def plus(a, b):
    found = []
    helper = threading.Thread(target=lambda: found.append(a + b))
    helper.start()
    helper.join()
    return found[0]
"""
SPACE = {}

from triton.language.core import *

builtins.exec(CODE, SPACE)


def add(x, y):
    out = torch.empty_like(x)
    decoy[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), BLOCK=1024)
    return SPACE["plus"](x, y)
