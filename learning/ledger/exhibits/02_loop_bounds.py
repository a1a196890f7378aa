"""A loop bound that is known only at run time: an old interpreter stops at it, and the compiler likes it better."""

import torch
import triton
import triton.language as tl

from learning.ledger.exhibit import COMPILED, INTERPRETER, bites, case, instructions, refusal


@triton.jit
def run_time_bound_kernel(x_ptr, out_ptr, n):
    total = 0.0
    for i in range(n):
        total += tl.load(x_ptr + i)
    tl.store(out_ptr, total)


@triton.jit
def constexpr_bound_kernel(x_ptr, out_ptr, N: tl.constexpr):
    total = 0.0
    for i in range(N):
        total += tl.load(x_ptr + i)
    tl.store(out_ptr, total)


@case(COMPILED, INTERPRETER)
def a_bound_known_only_at_run_time(device):
    """A loop over range(n), with n known only at run time, raises an error."""
    x, out = torch.ones(8, device=device), torch.zeros(1, device=device)
    why = refusal(lambda: run_time_bound_kernel[(1,)](x, out, 8))
    constexpr_bound_kernel[(1,)](x, right := torch.zeros(1, device=device), N=8)
    return bites(bool(why), why or f"8 ones make {out.item():g}", f"with a constexpr bound {right.item():g}")


@case(COMPILED)
def a_constexpr_bound_unrolls(device):
    """A constexpr bound unrolls the loop: eight steps become eight loads in the PTX."""
    from learning.lens import compile as view

    x, out = torch.ones(8), torch.zeros(1)
    loads = [
        sum(view.kernel(run_time_bound_kernel, x, out, 8).loads.values()),
        sum(view.kernel(constexpr_bound_kernel, x, out, N=8).loads.values()),
    ]
    return bites(loads[1] > loads[0], f"constexpr bound: {loads[1]} loads", f"run-time bound: {loads[0]}, in a loop")


@case(COMPILED)
def a_constexpr_bound_compiles_once_per_value(device):
    """A constexpr bound compiles a kernel for every value it takes."""
    from learning.lens import compile as view

    x, out = torch.ones(8), torch.zeros(1)
    each = len({"\n".join(instructions(view.kernel(constexpr_bound_kernel, x, out, N=n))) for n in (5, 6, 7)})
    once = len({"\n".join(instructions(view.kernel(run_time_bound_kernel, x, out, n))) for n in (5, 6, 7)})
    return bites(each > once, f"three bounds, {each} kernels", f"run-time bound: {once}")
