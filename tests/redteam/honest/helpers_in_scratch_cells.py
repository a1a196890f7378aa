"""Helpers and settings live in added cells, among imports, plots, sleeps and a patched switch."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x_ptr + offsets, mask=mask).to(tl.float32) + tl.load(y_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(out_ptr + offsets, total.to(out_ptr.dtype.element_ty), mask=mask)


def add(x, y):
    out = torch.empty_like(x)
    add_kernel[grid_for(x.numel())](x, y, out, x.numel(), BLOCK=SETTINGS["block"])
    return out
# %%
import os, sys, time
import functools
SETTINGS = {}
SETTINGS["block"] = 512
def tiles(n):
    return triton.cdiv(n, SETTINGS["block"])
def grid_for(n):
    return (tiles(n),)
table = [time.sleep(0.0) for _ in range(3)]
results = torch.softmax(torch.randn(8), 0)
torch.backends.cuda.matmul.allow_tf32 = False
slow = [time.sleep(5.0)]
y = eval("1 + 1")
# %%
try:
    import matplotlib.pyplot as plt
except ImportError:
    plt = None
def plot(ratios):
    return plt.plot(ratios)
