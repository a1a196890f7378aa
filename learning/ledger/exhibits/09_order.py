"""A block pointer's order names the fastest axis first; a wrong one is said to be slow. What does this version do?"""

import warnings

import torch
import triton
import triton.language as tl

from learning.ledger.exhibit import COMPILED, bites, case, instructions, not_here, refusal


@triton.jit
def row_major_kernel(x_ptr, out_ptr, m, n, T: tl.constexpr):
    source = tl.make_block_ptr(x_ptr, (m, n), (n, 1), (0, 0), (T, T), (1, 0))
    target = tl.make_block_ptr(out_ptr, (m, n), (n, 1), (0, 0), (T, T), (1, 0))
    tl.store(target, tl.load(source))


@triton.jit
def other_order_kernel(x_ptr, out_ptr, m, n, T: tl.constexpr):
    source = tl.make_block_ptr(x_ptr, (m, n), (n, 1), (0, 0), (T, T), (0, 1))
    target = tl.make_block_ptr(out_ptr, (m, n), (n, 1), (0, 0), (T, T), (0, 1))
    tl.store(target, tl.load(source))


@triton.jit
def no_order_kernel(x_ptr, out_ptr, m, n, T: tl.constexpr):
    source = tl.make_block_ptr(x_ptr, (m, n), (n, 1), (0, 0), (T, T), (1, 1))
    target = tl.make_block_ptr(out_ptr, (m, n), (n, 1), (0, 0), (T, T), (1, 1))
    tl.store(target, tl.load(source))


def _made(kernel, target):
    from learning.lens import compile as view

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return instructions(view.kernel(kernel, torch.empty(64, 64), torch.empty(64, 64), 64, 64, T=64, target=target))


@case(COMPILED)
def the_other_order_gives_other_code(device):
    """For a row-major 64 × 64 copy order=(0, 1) gives other PTX than order=(1, 0)."""
    why = refusal(lambda: _made(row_major_kernel, "sm_75"))
    if why:
        return not_here(why)
    differing = [
        target for target in ("sm_75", "sm_80", "sm_90")
        if _made(row_major_kernel, target) != _made(other_order_kernel, target)
    ]  # fmt: skip
    return bites(
        bool(differing), f"other PTX on {', '.join(differing)}" if differing else "the same PTX on sm_75, sm_80, sm_90"
    )


@case(COMPILED)
def an_order_that_is_none(device):
    """order=(1, 1) is refused."""
    if why := refusal(lambda: _made(row_major_kernel, "sm_75")):
        return not_here(why)
    why = refusal(lambda: _made(no_order_kernel, "sm_75"))
    return bites(bool(why), why or "accepted")
