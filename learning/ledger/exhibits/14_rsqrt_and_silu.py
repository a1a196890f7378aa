"""tl.rsqrt is one instruction where 1 / sqrt is two; x·sigmoid(x) is no saving over x / (1 + exp(−x))."""

import re

import torch
import triton
import triton.language as tl

from learning.ledger.exhibit import COMPILED, bites, case


@triton.jit
def wrong_root_kernel(x_ptr, out_ptr):
    tl.store(out_ptr, 1.0 / tl.sqrt(tl.load(x_ptr)))


@triton.jit
def right_root_kernel(x_ptr, out_ptr):
    tl.store(out_ptr, tl.rsqrt(tl.load(x_ptr)))


@triton.jit
def sigmoid_form_kernel(x_ptr, out_ptr):
    x = tl.load(x_ptr)
    tl.store(out_ptr, x * tl.sigmoid(x))


@triton.jit
def quotient_form_kernel(x_ptr, out_ptr):
    x = tl.load(x_ptr)
    tl.store(out_ptr, x / (1.0 + tl.exp(-x)))


def _arithmetic(kernel):
    """The floating-point instructions of the PTX for a T4, in order."""
    from learning.lens import compile as view

    ptx = view.kernel(kernel, torch.ones(1), torch.ones(1)).ptx
    found = re.findall(r"^\s*((?:mul|add|sub|fma|div|sqrt|rsqrt|ex2|neg|rcp)\.[\w.]*f32)\b", ptx, re.MULTILINE)
    return [name.removesuffix(".f32").replace(".ftz", "") for name in found]


@case(COMPILED)
def one_over_sqrt(device):
    """1 / tl.sqrt(x) compiles to more instructions than tl.rsqrt(x)."""
    wrong, right = _arithmetic(wrong_root_kernel), _arithmetic(right_root_kernel)
    return bites(len(wrong) > len(right), " + ".join(wrong), " + ".join(right))


@case(COMPILED)
def silu_by_the_sigmoid(device):
    """x·sigmoid(x) compiles to more instructions than x / (1 + exp(−x)), so it saves none."""
    sigmoid, quotient = _arithmetic(sigmoid_form_kernel), _arithmetic(quotient_form_kernel)
    return bites(
        len(sigmoid) > len(quotient),
        f"{len(sigmoid)}: {' + '.join(sigmoid)}",
        f"{len(quotient)}: {' + '.join(quotient)}",
    )
