"""L4 from memory: both tiles from one tensor."""

import torch
import triton
import triton.language as tl


def reference(a):
    return a.t() @ a


@triton.jit
def gram_kernel(a_ptr, out_ptr, n_inner, n_cols, SIDE: tl.constexpr, STEP: tl.constexpr):
    """One program: a tile of aᵀ · a."""
    across = tl.cdiv(n_cols, SIDE)
    rows = tl.program_id(0) // across * SIDE + tl.arange(0, SIDE)
    cols = tl.program_id(0) % across * SIDE + tl.arange(0, SIDE)
    acc = tl.zeros((SIDE, SIDE), dtype=tl.float32)
    for start in range(0, n_inner, STEP):
        inner = start + tl.arange(0, STEP)
        here = inner < n_inner
        left = tl.load(
            a_ptr + inner[None, :] * n_cols + rows[:, None], mask=here[None, :] & (rows < n_cols)[:, None], other=0.0
        )
        right = tl.load(
            a_ptr + inner[:, None] * n_cols + cols[None, :], mask=here[:, None] & (cols < n_cols)[None, :], other=0.0
        )
        acc = tl.dot(left, right, acc, input_precision="ieee")
    owned = (rows < n_cols)[:, None] & (cols < n_cols)[None, :]
    tl.store(out_ptr + rows[:, None] * n_cols + cols[None, :], acc.to(out_ptr.dtype.element_ty), mask=owned)


def gram(a):
    n_inner, n_cols = a.shape
    out = torch.empty((n_cols, n_cols), dtype=a.dtype, device=a.device)
    gram_kernel[(triton.cdiv(n_cols, 32) ** 2,)](a, out, n_inner, n_cols, SIDE=32, STEP=16)
    return out
