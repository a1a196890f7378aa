"""PyTorch multiplies, and the kernel copies what it made."""

import torch
import triton
import triton.language as tl

CAUGHT_BY = "keeps_the_house_rules"
DIES_ON = ("interpreter", "cuda")


@triton.jit
def copy_kernel(made_ptr, out_ptr, n_rows, ROWS: tl.constexpr):
    rows = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    tl.store(out_ptr + rows, tl.load(made_ptr + rows, mask=rows < n_rows), mask=rows < n_rows)


def gemv(x, weight):
    made = (weight.float() @ x.float()).to(x.dtype)
    out = torch.empty_like(made)
    copy_kernel[(triton.cdiv(len(made), 1024),)](made, out, len(made), ROWS=1024)
    return out
