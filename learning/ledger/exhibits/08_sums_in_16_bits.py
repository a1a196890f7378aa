"""A running sum in 16 bits stops growing: add in float32, cast once, to the output's element type."""

import torch
import triton
import triton.language as tl

from learning.ledger.exhibit import COMPILED, bites, case

N = 4096


@triton.jit
def wrong_sum_kernel(x_ptr, out_ptr, n):
    total = tl.load(x_ptr)
    for i in range(1, n):
        total += tl.load(x_ptr + i)
    tl.store(out_ptr, total)


@triton.jit
def right_sum_kernel(x_ptr, out_ptr, n):
    total = tl.load(x_ptr).to(tl.float32)
    for i in range(1, n):
        total += tl.load(x_ptr + i).to(tl.float32)
    tl.store(out_ptr, total.to(out_ptr.dtype.element_ty))


def _shown(dtype, device):
    x, found = torch.ones(N, dtype=dtype, device=device), []
    for kernel in (wrong_sum_kernel, right_sum_kernel):
        out = torch.zeros(1, dtype=dtype, device=device)
        kernel[(1,)](x, out, N)
        found.append(out.item())
    return bites(found[0] != N, f"{N} ones make {found[0]:g}", f"{found[1]:g}")


@case(COMPILED)
def a_running_sum_in_float16(device):
    """4096 ones, added one by one in float16, stop where the next number is 2 away."""
    return _shown(torch.float16, device)


@case(COMPILED)
def a_running_sum_in_bfloat16(device):
    """The same in bfloat16 stops eight times earlier."""
    return _shown(torch.bfloat16, device)
