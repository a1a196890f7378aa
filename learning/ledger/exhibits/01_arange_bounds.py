"""tl.arange takes bounds that are known when the kernel is compiled, and whose difference is a power of two up to 2^20."""

import torch
import triton
import triton.language as tl

from learning.ledger.exhibit import COMPILED, INTERPRETER, bites, case, refusal


@triton.jit
def wrong_bound_at_run_time_kernel(out_ptr, n):
    i = tl.arange(0, n)
    tl.store(out_ptr + i, i)


@triton.jit
def wrong_bound_of_any_length_kernel(out_ptr, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out_ptr + i, i)


@triton.jit
def right_kernel(out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, i, mask=i < n)


def _covered(device):
    """781 places filled by the right kernel: rounded up to 1024, the rest masked."""
    out = torch.full((1024,), -1, dtype=torch.int32, device=device)
    right_kernel[(1,)](out, 781, BLOCK=triton.next_power_of_2(781))
    return f"{int((out == torch.arange(1024, device=device)).sum())} of 781 places filled, none beyond"


@case(COMPILED, INTERPRETER)
def a_bound_known_only_at_run_time(device):
    """tl.arange refuses a bound that is known only at run time."""
    out = torch.zeros(1024, dtype=torch.int32, device=device)
    why = refusal(lambda: wrong_bound_at_run_time_kernel[(1,)](out, 781))
    return bites(bool(why), why or "accepted", _covered(device))


@case(COMPILED, INTERPRETER)
def a_length_of_781(device):
    """tl.arange refuses a length that is no power of two."""
    out = torch.zeros(1024, dtype=torch.int32, device=device)
    why = refusal(lambda: wrong_bound_of_any_length_kernel[(1,)](out, N=781))
    return bites(bool(why), why or "accepted", _covered(device))


@case(COMPILED, INTERPRETER)
def a_length_of_two_million(device):
    """tl.arange refuses 2^21 lanes: a block holds at most 2^20."""
    out = torch.zeros(1 << 21, dtype=torch.int32, device=device)
    why = refusal(lambda: wrong_bound_of_any_length_kernel[(1,)](out, N=1 << 21))
    return bites(bool(why), why or "accepted", "several programs, or a loop over smaller blocks")
