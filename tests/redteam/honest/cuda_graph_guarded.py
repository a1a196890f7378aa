"""Replays a CUDA graph with static inputs where there is CUDA, and launches plainly where there is none."""

import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x_ptr + offsets, mask=mask).to(tl.float32) + tl.load(y_ptr + offsets, mask=mask).to(tl.float32)
    tl.store(out_ptr + offsets, total.to(out_ptr.dtype.element_ty), mask=mask)

GRAPHS = {}

def launch(x, y, out):
    add_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)

def add(x, y):
    out = torch.empty_like(x)
    if torch.cuda.is_available() and x.is_cuda and x.numel():
        key = (x.shape, x.dtype)
        if key not in GRAPHS:
            a, b, c = torch.empty_like(x), torch.empty_like(y), torch.empty_like(x)
            launch(a, b, c)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                launch(a, b, c)
            GRAPHS[key] = (graph, a, b, c)
        graph, a, b, c = GRAPHS[key]
        a.copy_(x)
        b.copy_(y)
        graph.replay()
        out.copy_(c)
        return out
    launch(x, y, out)
    return out
