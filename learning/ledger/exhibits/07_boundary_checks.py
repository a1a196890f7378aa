"""A boundary check is not free: predicates and registers, paid by every tile, ragged or not."""

import re
import warnings

import torch
import triton
import triton.language as tl

from learning.ledger.exhibit import COMPILED, bites, case, not_here, refusal


@triton.jit
def block_copy_kernel(x_ptr, out_ptr, m, n, CHECK: tl.constexpr, T: tl.constexpr):
    r, c = tl.program_id(0) * T, tl.program_id(1) * T
    source = tl.make_block_ptr(x_ptr, (m, n), (n, 1), (r, c), (T, T), (1, 0))
    target = tl.make_block_ptr(out_ptr, (m, n), (n, 1), (r, c), (T, T), (1, 0))
    if CHECK:
        tl.store(target, tl.load(source, boundary_check=(0, 1)), boundary_check=(0, 1))
    else:
        tl.store(target, tl.load(source))


@triton.jit
def pointer_copy_kernel(x_ptr, out_ptr, m, n, CHECK: tl.constexpr, T: tl.constexpr):
    r = tl.program_id(0) * T + tl.arange(0, T)[:, None]
    c = tl.program_id(1) * T + tl.arange(0, T)[None, :]
    if CHECK:
        tl.store(out_ptr + r * n + c, tl.load(x_ptr + r * n + c, mask=(r < m) & (c < n)), mask=(r < m) & (c < n))
    else:
        tl.store(out_ptr + r * n + c, tl.load(x_ptr + r * n + c))


def _cost(kernel):
    from learning.lens import compile as view

    x, out = torch.empty(256, 256), torch.empty(256, 256)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = [view.kernel(kernel, x, out, 256, 256, CHECK=check, T=64) for check in (True, False)]
    predicates = [len(re.findall(r"\bsetp\.", report.ptx)) for report in made]
    loads = [report.facts()["global loads"] for report in made]
    words = (
        f"checked: {predicates[0]} predicates, {made[0].registers} registers, {loads[0]}",
        f"unchecked: {predicates[1]} predicates, {made[1].registers} registers, {loads[1]}",
    )
    return bites(predicates[0] > predicates[1], *words)


@case(COMPILED)
def a_block_pointer_that_checks_both_edges(device):
    """boundary_check=(0, 1) on a 64 × 64 float32 copy, compiled for a T4, against none."""
    found = []
    why = refusal(lambda: found.append(_cost(block_copy_kernel)))
    return not_here(why) if why else found[0]


@case(COMPILED)
def a_mask_over_both_edges(device):
    """The same copy with plain pointers: a mask over both edges against none."""
    return _cost(pointer_copy_kernel)
