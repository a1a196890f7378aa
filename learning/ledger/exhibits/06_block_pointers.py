"""Block pointers and descriptors pad with zero or NaN only, and block pointers are on their way out."""

import warnings

import torch
import triton
import triton.language as tl

from learning.ledger.exhibit import COMPILED, INTERPRETER, bites, case, not_here, on_gpu, refusal


@triton.jit
def block_pointer_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr, PADDING: tl.constexpr):
    block = tl.make_block_ptr(x_ptr, (n,), (1,), (0,), (BLOCK,), (0,))
    x = tl.load(block, boundary_check=(0,), padding_option=PADDING)
    tl.store(out_ptr + tl.arange(0, BLOCK), x)


@triton.jit
def descriptor_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr, PADDING: tl.constexpr):
    described = tl.make_tensor_descriptor(x_ptr, [n], [1], [BLOCK], padding_option=PADDING)
    tl.store(out_ptr + tl.arange(0, BLOCK), described.load([0]))


@triton.jit
def right_mask_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n, other=-float("inf")))


def _run(kernel, padding, device):
    """What stands in the last of 32 lanes of which 20 exist, and the reason where the launch is refused."""
    x, out = torch.ones(32, device=device), torch.full((32,), 7.0, device=device)
    if on_gpu():
        triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        why = refusal(lambda: kernel[(1,)](x, out, 20, BLOCK=32, PADDING=padding))
    return out[31].item(), why


def _padding(kernel, device):
    held, why = _run(kernel, "zero", device)
    if why:
        return not_here(why)
    lane, refused = _run(kernel, "-inf", device)
    out = torch.zeros(32, device=device)
    right_mask_kernel[(1,)](torch.ones(32, device=device), out, 20, BLOCK=32)
    told = refused or f"the lane holds {lane:g}"
    return bites(
        lane != -float("inf"), f"{told} (zero gives {held:g})", f"a mask with other=-inf gives {out[31].item():g}"
    )


@case(COMPILED, INTERPRETER)
def a_block_pointer_padded_with_minus_infinity(device):
    """A block pointer refuses −inf as its padding."""
    return _padding(block_pointer_kernel, device)


@case(COMPILED, INTERPRETER)
def a_descriptor_padded_with_minus_infinity(device):
    """A tensor descriptor refuses −inf as its padding."""
    return _padding(descriptor_kernel, device)


@case(COMPILED)
def block_pointers_themselves(device):
    """Block pointers warn that they will go, or are gone."""
    from triton import knobs

    before, knobs.compilation.always_compile = knobs.compilation.always_compile, True
    try:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            x, out = torch.ones(16, device=device), torch.zeros(16, device=device)
            why = refusal(lambda: block_pointer_kernel[(1,)](x, out, 9, BLOCK=16, PADDING="zero"))
    finally:
        knobs.compilation.always_compile = before
    told = [w for w in heard if "make_block_ptr" in str(w.message) or "block pointer" in str(w.message).lower()]
    if why:
        return bites(True, f"gone: {why}", "a tensor descriptor, or pointers and a mask")
    return bites(bool(told), "warns" if told else "works and says nothing")
