"""A right answer, the same with another wrapper, and which house rules cells break."""

from __future__ import annotations

import textwrap

from learning.judge import rules

KERNEL = """
import torch
import triton
import triton.language as tl


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    total = tl.load(x_ptr + offsets, mask=mask) + tl.load(y_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, total.to(out_ptr.dtype.element_ty), mask=mask)

"""

ANSWER = (
    KERNEL
    + '''
def add(x, y):
    """The sum."""
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
    return out
'''
)


def and_launch(lines):
    """``lines`` and then the plain launch."""
    return textwrap.dedent(lines) + LAUNCH


def with_wrapper(body, before=""):
    """The kernel, ``before`` at top level, and an ``add`` of this body."""
    return (
        KERNEL
        + textwrap.dedent(before)
        + "\n\ndef add(x, y):\n"
        + textwrap.indent(textwrap.dedent(body).strip(), "    ")
    )


def broken(*sources, entry="add", **options):
    """What the cells of these sources break on the way from ``entry``."""
    cells = [(f"cell-{number}", source) for number, source in enumerate(sources)]
    return rules.broken(cells, entry, **options)


LAUNCH = """
out = torch.empty_like(x)
add_kernel[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
return out
"""
