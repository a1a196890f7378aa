"""The masked columns of a softmax must hold −inf: a 0 is an ordinary value and takes part in the maximum and the sum."""

import torch
import triton
import triton.language as tl

from learning.ledger.exhibit import COMPILED, bites, case

COLUMNS, BLOCK = 781, 1024


@triton.jit
def wrong_padding_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols, mask=cols < n, other=0.0)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + cols, e / tl.sum(e, axis=0), mask=cols < n)


@triton.jit
def right_padding_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    cols = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + cols, mask=cols < n, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(out_ptr + cols, e / tl.sum(e, axis=0), mask=cols < n)


def _lost(kernel, x):
    """The share of the row that is missing: what its softmax lacks of 1."""
    out = torch.empty_like(x)
    kernel[(1,)](x, out, COLUMNS, BLOCK=BLOCK)
    return abs(1.0 - out.double().sum().item())


def _row(mean, device):
    return (torch.randn(COLUMNS, generator=torch.Generator().manual_seed(3)) + mean).to(device)


def _shown(mean, device):
    wrong, right = (_lost(kernel, _row(mean, device)) for kernel in (wrong_padding_kernel, right_padding_kernel))
    return bites(wrong > 1e-3, f"{wrong:.0%} of the row is missing", "none of it" if right < 1e-5 else f"{right:.1e}")


@case(COMPILED)
def a_row_around_zero(device):
    """781 normal numbers in 1024 lanes: with 0 in the padding the row's shares no longer add up to 1."""
    return _shown(0.0, device)


@case(COMPILED)
def a_row_below_zero(device):
    """The same row 5 lower: now the padding wins the maximum and nearly all of the sum."""
    return _shown(-5.0, device)
