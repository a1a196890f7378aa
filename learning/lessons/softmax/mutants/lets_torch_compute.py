"""The kernel stands by; PyTorch's softmax does the work."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "keeps_the_house_rules"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def softmax_kernel(x_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + row * n_cols + cols, mask=mask, other=-float("inf")).to(tl.float32)
    weights = tl.exp(x - tl.max(x, axis=0))
    shares = weights / tl.sum(weights, axis=0)
    tl.store(out_ptr + row * n_cols + cols, shares.to(out_ptr.dtype.element_ty), mask=mask)


def softmax(x):
    return torch.softmax(x, dim=1)
