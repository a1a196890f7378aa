"""Copies with one planted fault each, of which a GPU would report none. Open the device before importing."""

import torch
import triton
import triton.language as tl


@triton.jit
def copy_kernel(x_ptr, out_ptr, n, SHIFT: tl.constexpr, LOADS: tl.constexpr, STORES: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at + SHIFT, mask=(at < n) | LOADS, other=0.0)
    tl.store(out_ptr + at, x, mask=(at < n) | STORES)


def copied(x, *, shift=0, loads=False, stores=False, programs=None):
    out = torch.empty_like(x)
    n = x.numel()
    grid = (triton.cdiv(n, 128) if programs is None else programs,)
    copy_kernel[grid](x, out, n, SHIFT=shift, LOADS=loads, STORES=stores, BLOCK=128)
    return out


def loads_past_the_end(x):
    """What it reads there is never stored."""
    return copied(x, loads=True)


def stores_past_the_end(x):
    return copied(x, stores=True)


def loads_far_away(x):
    return copied(x, shift=1 << 28)


def misses_a_tile(x):
    return copied(x, programs=triton.cdiv(x.numel(), 128) - 1)


@triton.jit
def running_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    held = tl.load(out_ptr + at, mask=at < n, other=0.0)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    tl.store(out_ptr + at, tl.where(at < 0, held, x), mask=at < n)


def reads_what_nobody_wrote(x):
    """And does not use it."""
    out = torch.empty_like(x)
    running_kernel[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), BLOCK=128)
    return out


@triton.jit
def handing_on_kernel(x_ptr, out_ptr, note_ptr, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    at = program * BLOCK + tl.arange(0, BLOCK)
    tl.store(note_ptr + program + 1, program)
    before = tl.load(note_ptr + program)
    tl.store(out_ptr + at, tl.load(x_ptr + at) + tl.where(before < 0, 1.0, 0.0))


def reads_its_neighbours_note(x):
    """Program 1 reads what program 0 writes in the same launch."""
    out = torch.empty_like(x)
    note = torch.zeros(x.numel() // 64 + 1, dtype=torch.int32, device=x.device)
    handing_on_kernel[(x.numel() // 64,)](x, out, note, BLOCK=64)
    return out


@triton.jit
def overlapping_kernel(x_ptr, out_ptr, n, AGREE: tl.constexpr, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    at = program * (BLOCK // 2) + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n, other=0.0)
    mine = (tl.arange(0, BLOCK) < BLOCK // 2) | AGREE
    tl.store(out_ptr + at, tl.where(mine, x, 0.0), mask=at < n)


def overlapping(x, agree):
    out = torch.empty_like(x)
    overlapping_kernel[(triton.cdiv(x.numel(), 64),)](x, out, x.numel(), AGREE=agree, BLOCK=128)
    return out


def writes_twice_and_agrees(x):
    return overlapping(x, True)


def writes_twice_and_the_last_one_wins(x):
    """Right as long as programs run in order: the owner comes after the intruder."""
    return overlapping(x, False)
