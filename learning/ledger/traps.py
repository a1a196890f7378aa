"""The twenty traps: number, title, and the fact in one sentence.

A title reads on from "trap 3, …", so it starts in lower case. Where a fact holds for one machine or for some versions
only, ``where`` says so. The exhibits show each fact, and ``table.json`` holds what they showed under Triton 3.6, 3.8 and 3.9, in
the interpreter and in compiler output for sm_75, sm_80 and sm_90. Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass


class UnknownTrap(LookupError):
    """No trap has this number; the message says which numbers exist."""


@dataclass(frozen=True)
class Trap:
    """``number`` 1–20, ``title`` a short phrase, ``fact`` one sentence, ``where`` it bites ("" is everywhere)."""

    number: int
    title: str
    fact: str
    where: str = ""


TRAPS: tuple[Trap, ...] = (
    Trap(
        1,
        "arange takes compile-time powers of two",
        "Both bounds of tl.arange must be constexpr and their difference a power of two of at most 2^20, so a ragged "
        "length is covered by rounding up and masking.",
    ),
    Trap(
        2,
        "a run-time loop bound stops an old CPU interpreter",
        "range(n) with n known only at run time fails in the interpreter of Triton 3.6 and older with numpy 2.4 and "
        "newer; a constexpr bound avoids it, but unrolls the loop and compiles once per value.",
        "interpreter, Triton ≤ 3.6 with numpy ≥ 2.4",
    ),
    Trap(
        3,
        "masked columns of a softmax must load −inf",
        "A masked lane that loads 0 joins the row's maximum and its sum without an error; with 781 of 1024 columns "
        "16 % of a row went missing, and of a row 5 lower 96 %.",
    ),
    Trap(
        4,
        "padded keys must score −inf",
        "Attention scores of keys past the end need tl.where(cols < N, s, -inf) before the maximum is taken, because a "
        "score of 0 is an ordinary score and takes its share of the weights.",
    ),
    Trap(
        5,
        "strides are read from the layout, never guessed",
        "An (H, I) view of an (I, H) matrix has strides (1, H), and a wrong stride that stays in bounds raises nothing "
        "anywhere: only the values show it.",
    ),
    Trap(
        6,
        "block pointers pad with zero or NaN only",
        "Neither a block pointer nor a tensor descriptor can pad with −inf, so a softmax over one still needs its own "
        "mask.",
        "block pointers warn in Triton 3.7 and 3.8 and are gone in 3.9",
    ),
    Trap(
        7,
        "a boundary check is not free",
        "Checking both edges of a 64 × 64 copy cost 6 predicates and 2 registers: little, but paid by every tile, so "
        "ask for it only where the shape is ragged.",
    ),
    Trap(
        8,
        "sums in 16 bits lose their tail",
        "Accumulate in fp32 and cast once on the way out to the output's element type: a running sum of 4096 ones in "
        "fp16 stops at 2048.",
    ),
    Trap(
        9,
        "order lists the fastest axis first, and changes nothing here",
        "A block pointer's order names the fastest axis first; for a row-major 64 × 64 copy both orders gave the same "
        "PTX, and (1, 1) is an error.",
        "Triton 3.6 and 3.8; block pointers are gone in 3.9",
    ),
    Trap(
        10,
        "the first autotuned call is a benchmark",
        "The first call for each key times every config, so keep four to eight of them (five knobs with three values "
        "are 243) and make the grid a function of the config; on a CPU the autotuner needs a driver or its own timer.",
    ),
    Trap(
        11,
        "a wall clock around a launch times something else",
        "A launch returns before the kernel ends and a second run finds its data in cache; do_bench warms up, clears "
        "L2 and repeats, but returns the mean unless the median is asked for.",
    ),
    Trap(
        12,
        "a launch costs microseconds of its own",
        "Starting a kernel is commonly quoted at 5 to 10 µs, which is a third to a half of a small decode kernel's "
        "life, so one launch fewer beats a faster kernel.",
        "a GPU",
    ),
    Trap(
        13,
        "ghost rows turn into NaN",
        "A row that holds nothing has the maximum −inf, and −inf − (−inf) is NaN: pin it with "
        "tl.where(offs_m < M, m, 0.0), and never store such a row.",
    ),
    Trap(
        14,
        "rsqrt saves an instruction, the sigmoid form of silu does not",
        "tl.rsqrt compiles to one instruction where 1 / sqrt takes two; x·sigmoid(x) is one multiplication longer than "
        "x / (1 + exp(−x)), so write silu for its clarity.",
    ),
    Trap(
        15,
        "a surprising number is a wrong assumption",
        "When a time does not fit the prediction, read the PTX and count the loads; that works on a machine with no "
        "GPU.",
    ),
    Trap(
        16,
        "tl.dot gets no tensor cores on a T4",
        "Since Triton 3.4 tl.dot compiles to scalar fused multiply-adds on sm_75 for every dtype; an fp16 64×64×32 "
        "tile with 4 warps spills there, 64×64×16 with 8 warps or 32×32×32 with 4 does not, and bf16 is emulated.",
        "T4 (sm_75), Triton ≥ 3.4, read from compiler output",
    ),
    Trap(
        17,
        "num_stages does nothing on a T4",
        "The compiler emits the same code for 1 to 4 stages on sm_75, so tuning it times one binary four times; a "
        "block has 64 KiB of shared memory there.",
        "T4 (sm_75), read from compiler output",
    ),
    Trap(
        18,
        "the plain interpreter is wrong without saying so",
        "bf16 arithmetic, `and`, `or` and `not` on masks, `if block:` and (up to 3.8) `a <= i < b` give wrong values "
        "silently; a near out-of-bounds access passes, a race looks right, a masked load without `other` reads zeros, "
        "and a misspelt launch keyword is ignored.",
        "interpreter",
    ),
    Trap(
        19,
        "what the interpreter accepts the compiler may reject",
        "break, a loop variable that changes type, plain globals, lists and an fp16 tl.dot with K < 16 run in the "
        "interpreter and do not compile; closures, libdevice and bf16 atomics are the other way round.",
        "interpreter against compiler",
    ),
    Trap(
        20,
        "cell magics and stderr do not belong around a kernel",
        "A cell that begins with %%time cannot hold a kernel, because Triton finds no source file for it; and text on "
        "stderr in a graded cell used to cost its points, which this course's grader does not allow to happen.",
    ),
)


def find(number: int) -> Trap:
    """The trap with this number; raises ``UnknownTrap``."""
    for trap in TRAPS:
        if trap.number == number:
            return trap
    raise UnknownTrap(f"there is no trap {number}: the ledger has traps 1 to {len(TRAPS)}")


def reference(number: int) -> str:
    """How a message points to a trap, such as ``trap 3, masked columns of a softmax must load −inf (learning/ledger)``.

    A number the ledger does not have gives ``trap N (learning/ledger)``: a report never fails over its footnote.
    """
    try:
        return f"trap {number}, {find(number).title} (learning/ledger)"
    except UnknownTrap:
        return f"trap {number} (learning/ledger)"
