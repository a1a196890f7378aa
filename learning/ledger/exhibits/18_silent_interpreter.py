"""The plain interpreter is wrong without saying so; the course's CPU device mends or reports each of these."""

import os
import subprocess
import sys
from pathlib import Path

import torch
import triton
import triton.language as tl

from learning.ledger.exhibit import COMPILED, INTERPRETER, bites, case, not_here, on_gpu, refusal

BF16 = torch.bfloat16


@triton.jit
def bf16_sum_kernel(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i) + tl.load(y_ptr + i))


@triton.jit
def bf16_rounding_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i).to(out_ptr.dtype.element_ty))


@triton.jit
def wrong_and_kernel(out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, i, mask=i > 2 and i < 6)


@triton.jit
def wrong_or_kernel(out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, i, mask=i <= 2 or i >= 6)


@triton.jit
def wrong_not_kernel(out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, i, mask=not (i < 6))


@triton.jit
def wrong_if_kernel(out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    if i < 6:
        tl.store(out_ptr + i, i)


@triton.jit
def wrong_chain_kernel(out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, i, mask=2 < i < 6)


@triton.jit
def right_mask_kernel(out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, i, mask=(i > 2) & (i < 6))


@triton.jit
def past_the_end_kernel(x_ptr, out_ptr, distance, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + distance + i))


@triton.jit
def racing_kernel(out_ptr):
    tl.store(out_ptr, tl.load(out_ptr) + 1.0)


@triton.jit
def no_other_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr, tl.sum(tl.load(x_ptr + i, mask=i < n), axis=0))


def _stored(kernel, expected, device):
    """Which of eight places a kernel with a mask stores, against those it should: an error, or silence and a wrong result."""
    out = torch.full((8,), -1, dtype=torch.int32, device=device)
    why = refusal(lambda: kernel[(1,)](out, BLOCK=8))
    if why:
        return bites(False, f"refused: {why}")
    found = [place for place, value in enumerate(out.tolist()) if value >= 0]
    return bites(
        found != expected, f"stores places {_places(found)}, not {_places(expected)}" if found != expected else "right"
    )


def _places(numbers):
    return ", ".join(map(str, numbers)) or "none"


@case(INTERPRETER, COMPILED)
def bf16_addition(device):
    """bfloat16 numbers are added as if they were bit patterns."""
    x, y, out = torch.full((8,), 1.5, dtype=BF16), torch.full((8,), 2.0, dtype=BF16), torch.zeros(8, dtype=BF16)
    x, y, out = x.to(device), y.to(device), out.to(device)
    why = refusal(lambda: bf16_sum_kernel[(1,)](x, y, out, BLOCK=8))
    if why:
        return bites(False, f"refused: {why}")
    return bites(out[0].item() != 3.5, f"1.5 + 2 gives {out[0].item():.3g}")


@case(INTERPRETER, COMPILED)
def bf16_rounding(device):
    """A cast from float32 to bfloat16 cuts the last bits off instead of rounding."""
    x = torch.linspace(1, 2, 1024, device=device)
    out = torch.zeros(1024, dtype=BF16, device=device)
    bf16_rounding_kernel[(1,)](x, out, BLOCK=1024)
    off = int((out != x.to(BF16)).sum())
    return bites(off > 0, f"{off} of 1024 numbers differ from PyTorch's cast")


@case(INTERPRETER, COMPILED)
def and_between_masks(device):
    """`and` between two masks keeps one of them."""
    return _stored(wrong_and_kernel, [3, 4, 5], device)


@case(INTERPRETER, COMPILED)
def or_between_masks(device):
    """`or` between two masks keeps one of them."""
    return _stored(wrong_or_kernel, [0, 1, 2, 6, 7], device)


@case(INTERPRETER, COMPILED)
def not_before_a_mask(device):
    """`not` before a mask makes one truth value of it."""
    return _stored(wrong_not_kernel, [6, 7], device)


@case(INTERPRETER, COMPILED)
def if_on_a_block(device):
    """`if` on a block of truth values takes the branch for all lanes."""
    return _stored(wrong_if_kernel, [0, 1, 2, 3, 4, 5], device)


@case(INTERPRETER, COMPILED)
def a_chained_comparison(device):
    """`a < i < b` keeps one of its two comparisons."""
    return _stored(wrong_chain_kernel, [3, 4, 5], device)


@case(INTERPRETER, COMPILED)
def a_mask_with_brackets_and_an_ampersand(device):
    """The way out fails as well: (i > 2) & (i < 6)."""
    return _stored(right_mask_kernel, [3, 4, 5], device)


@case(INTERPRETER, COMPILED)
def a_load_just_past_the_end(device):
    """A load a few elements past the end brings somebody else's memory, and nothing is said."""
    shelf, out = torch.arange(32.0, device=device), torch.zeros(8, device=device)
    x = shelf[:8]
    if on_gpu():
        past_the_end_kernel[(1,)](x, out, 8, BLOCK=8)
        return bites(True, f"reads {out[0].item():g}, its neighbour's")
    from learning.lens import device as door

    if door.opened() is None:  # Triton's interpreter alone: nobody watches
        past_the_end_kernel[(1,)](x, out, 8, BLOCK=8)
        return bites(True, f"reads {out[0].item():g}, its neighbour's, in silence")
    from learning.lens import trace

    with trace.recording() as tape:
        past_the_end_kernel[(1,)](x, out, 8, BLOCK=8)
    return bites(not tape.problems, f"the tracer names {tape.problems[0].kind}" if tape.problems else "in silence")


FAR = """
import importlib, sys, torch
if sys.argv[1] == "course":
    from learning.lens import device, trace
    device.open("interpreter")
exhibit = importlib.import_module("learning.ledger.exhibits.18_silent_interpreter")
x, out = torch.ones(8), torch.zeros(8)
if sys.argv[1] == "course":
    with trace.recording() as tape:
        exhibit.past_the_end_kernel[(1,)](x, out, 1 << 30, BLOCK=8)
    print(tape.problems[0].kind)
else:
    exhibit.past_the_end_kernel[(1,)](x, out, 1 << 30, BLOCK=8)
"""


@case(INTERPRETER, COMPILED)
def a_load_far_past_the_end(device):
    """A load 4 GiB past the end ends the process, and with it a notebook's kernel."""
    if on_gpu():
        return not_here("on a GPU it ends the CUDA context; not tried")
    from learning.lens import device as door

    who = "course" if door.opened() is not None else "plain"
    root = Path(__file__).resolve().parents[3]
    environment = os.environ | {"TRITON_INTERPRET": "1"}
    done = subprocess.run([sys.executable, "-c", FAR, who], capture_output=True, text=True, cwd=root, env=environment)
    if done.returncode < 0:
        return bites(True, f"killed by signal {-done.returncode}")
    told = done.stdout.strip().splitlines()[-1:] if who == "course" else ["nothing"]
    return bites(who == "plain", f"the tracer names {told[0]}" if told else done.stderr.strip().splitlines()[-1])


@case(INTERPRETER, COMPILED)
def a_race(device):
    """Four programs add 1 to one number without an atomic, and the sum looks right."""
    out = torch.zeros(1, device=device)
    if on_gpu():
        racing_kernel[(4,)](out)
        return bites(
            out.item() == 4, "the sum looks right" if out.item() == 4 else "some of the four additions are lost"
        )
    from learning.lens import device as door

    if door.opened() is None:
        racing_kernel[(4,)](out)
        return bites(out.item() == 4, f"4 programs make {out.item():g}")
    from learning.lens import trace

    with trace.recording() as tape:
        racing_kernel[(4,)](out)
    return bites(not tape.problems, f"the tracer names {tape.problems[0].kind}" if tape.problems else "in silence")


@case(INTERPRETER, COMPILED)
def a_masked_load_without_other(device):
    """A masked load without `other` gives zeros, so a sum that forgot it is right by luck."""
    x, out = torch.ones(8, device=device), torch.zeros(1, device=device)
    no_other_kernel[(1,)](x, out, 5, BLOCK=8)
    return bites(out.item() == 5, f"the sum of 5 ones and 3 masked lanes is {out.item():g}")


@case(INTERPRETER, COMPILED)
def a_misspelt_launch_option(device):
    """num_wraps=8 is taken without a word."""
    out = torch.full((8,), -1, dtype=torch.int32, device=device)
    why = refusal(lambda: right_mask_kernel[(1,)](out, BLOCK=8, num_wraps=8))
    return bites(not why, why or "ignored")
