"""Strides are read from the layout: an (H, I) view of an (I, H) matrix has strides (1, H), and a guess can stay in bounds."""

import torch
import triton
import triton.language as tl

from learning.ledger.exhibit import COMPILED, bites, case, on_gpu

HIDDEN, INNER = 32, 48


@triton.jit
def wrong_guess_kernel(w_ptr, out_ptr, HIDDEN: tl.constexpr, inner, BLOCK: tl.constexpr):
    h, i = tl.arange(0, HIDDEN)[:, None], tl.arange(0, BLOCK)[None, :]
    tl.store(out_ptr + h * inner + i, tl.load(w_ptr + h * inner + i, mask=i < inner, other=0.0), mask=i < inner)


@triton.jit
def right_strides_kernel(w_ptr, out_ptr, stride_h, stride_i, HIDDEN: tl.constexpr, inner, BLOCK: tl.constexpr):
    h, i = tl.arange(0, HIDDEN)[:, None], tl.arange(0, BLOCK)[None, :]
    tl.store(
        out_ptr + h * inner + i, tl.load(w_ptr + h * stride_h + i * stride_i, mask=i < inner, other=0.0), mask=i < inner
    )


@case(COMPILED)
def a_view_read_as_if_it_were_packed(device):
    """The guess stays inside the tensor, nothing is reported, and nearly every element is in the wrong place."""
    view = torch.arange(float(INNER * HIDDEN), device=device).reshape(INNER, HIDDEN).T
    wrong, right = torch.empty(HIDDEN, INNER, device=device), torch.empty(HIDDEN, INNER, device=device)
    outside = "no tracer on a GPU"
    if on_gpu():
        wrong_guess_kernel[(1,)](view, wrong, HIDDEN=HIDDEN, inner=INNER, BLOCK=64)
    else:
        from learning.lens import trace

        with trace.recording() as tape:
            wrong_guess_kernel[(1,)](view, wrong, HIDDEN=HIDDEN, inner=INNER, BLOCK=64)
        outside = f"{len(tape.problems)} addresses outside"
    right_strides_kernel[(1,)](view, right, *view.stride(), HIDDEN=HIDDEN, inner=INNER, BLOCK=64)
    off, still = int((wrong != view).sum()), int((right != view).sum())
    return bites(
        off > 0, f"{off} of {HIDDEN * INNER} elements in the wrong place, {outside}", f"{still} in the wrong place"
    )
