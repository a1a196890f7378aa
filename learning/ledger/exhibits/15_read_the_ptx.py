"""A surprising number is a wrong assumption: the PTX says how many loads there are and how wide, with no GPU at hand."""

import torch
import triton
import triton.language as tl

from learning.ledger.exhibit import COMPILED, bites, case


@triton.jit
def scale_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2.0, mask=i < n)


def _loads(n, start=0):
    """The loads of one thread, in words, for ``n`` elements that begin ``start`` elements into their storage."""
    from learning.lens import compile as view

    x = torch.empty(n + start)[start:]
    return view.kernel(scale_kernel, x, torch.empty(n), n, BLOCK=1024).facts()["global loads"]


@case(COMPILED)
def a_length_that_is_no_multiple_of_16(device):
    """The same kernel loads 2500 elements one by one, and 4096 in fours."""
    wrong, right = _loads(2500), _loads(4096)
    return bites(wrong != right, f"2500 elements: {wrong}", f"4096 elements: {right}")


@case(COMPILED)
def an_address_four_bytes_late(device):
    """The same 4096 elements, begun one element late, are loaded one by one too."""
    wrong, right = _loads(4096, 1), _loads(4096)
    return bites(wrong != right, f"one element late: {wrong}", f"from the start: {right}")
