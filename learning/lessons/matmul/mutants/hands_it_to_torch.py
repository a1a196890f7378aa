"""PyTorch multiplies; the kernel copies the result."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "keeps_the_house_rules"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def copy_kernel(product_ptr, out_ptr, n_elements, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(product_ptr + at, mask=at < n_elements), mask=at < n_elements)


def matmul(a, b):
    product = torch.matmul(a, b)
    out = torch.empty_like(product)
    copy_kernel[(triton.cdiv(out.numel(), 1024),)](product, out, out.numel(), BLOCK=1024)
    return out
