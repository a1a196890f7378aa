"""What beginners write in a kernel and Triton tells badly is told with its remedy, on a virtual T4 and on every Triton."""

from __future__ import annotations

import pytest

pytest.importorskip("triton")
import torch
import triton
import triton.language as tl

from learning.lens import device
from learning.lens.errors import explain

CHAINS = tuple(int(part) for part in triton.__version__.split(".")[:2]) >= (3, 9)
"""Whether this Triton compiles a chain of comparisons, lane by lane, as Python reads it."""

pytestmark = pytest.mark.skipif(
    device.without_gpu() == "interpreter", reason="nothing is compiled where this Triton has no compiler"
)


@triton.jit
def without_parentheses(out_ptr, n, m, SIDE: tl.constexpr):
    rows, cols = tl.arange(0, SIDE)[:, None], tl.arange(0, SIDE)[None, :]
    mask = rows < n & cols < m
    tl.store(out_ptr + rows * SIDE + cols, 1.0, mask=mask)


@triton.jit
def cdiv_of_the_wrong_module(out_ptr, n, m, SIDE: tl.constexpr):
    steps = triton.cdiv(n, SIDE)
    tl.store(out_ptr + tl.arange(0, SIDE), steps)


def plain(x):
    return x + 1


@triton.jit
def calls_a_plain_function(out_ptr, n, m, SIDE: tl.constexpr):
    tl.store(out_ptr + tl.arange(0, SIDE), plain(n))


@pytest.mark.parametrize(
    ("kernel", "remedy"),
    [
        (without_parentheses, "put each comparison of a mask in parentheses"),
        (cdiv_of_the_wrong_module, "use tl.cdiv in a kernel"),
        (calls_a_plain_function, "functions under @triton.jit and those of tl; plain is neither"),
    ],
)
def test_a_beginners_slip_is_told_with_its_remedy(kernel, remedy):
    opened = device.current()
    if not opened.target and opened.kind != "cuda":
        pytest.skip("this process interprets kernels without compiling them")
    out = torch.zeros(16, 16, device=opened.torch_device)
    if kernel is without_parentheses and CHAINS:
        pytest.skip("Triton 3.9 and newer compile a chain of comparisons: see the test below")
    with pytest.raises(Exception) as caught:
        kernel[(1,)](out, 3, 4, SIDE=16)
    told = explain(caught.value)
    assert told and remedy in told, told


@pytest.mark.skipif(not CHAINS, reason="an older Triton refuses the chain")
def test_where_a_chain_of_comparisons_compiles_it_is_another_mask_than_was_meant():
    opened = device.current()
    if not opened.target and opened.kind != "cuda":
        pytest.skip("this process interprets kernels without compiling them")
    out = torch.zeros(16, 16, device=opened.torch_device)
    without_parentheses[(1,)](out, 3, 4, SIDE=16)
    rows, cols = torch.arange(16)[:, None], torch.arange(16)[None, :]
    assert torch.equal(out.cpu().bool(), (rows < (3 & cols)) & ((3 & cols) < 4))
    assert not torch.equal(out.cpu().bool(), (rows < 3) & (cols < 4))
