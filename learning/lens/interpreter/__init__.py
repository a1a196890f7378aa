"""Triton's interpreter, corrected: each correction in a file of its own, behind a probe.

A correction is a module with ``NAME``, ``SENTENCE``, ``right() -> bool`` (the probe: is the interpreter as it stands
already right?) and ``apply(patches)``. ``correct`` applies those whose probe says no, so that each switches itself off on
the Triton release that fixes its fault. Importing this package imports Triton.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from learning.lens.interpreter import bfloat16, bounds, lanes, launch, overflow, truth
from learning.lens.interpreter.patches import Patches

# In force while a kernel runs; ``launch`` decides how it is started, and stays in force while a process interprets.
INSIDE = (bounds, bfloat16, truth, lanes, overflow)
CORRECTIONS = (*INSIDE, launch)


@dataclass(frozen=True)
class Correction:
    """``name`` and ``sentence`` say what was corrected; ``state`` is "upstream is right", "corrected" or "wrong"."""

    name: str
    sentence: str
    state: str


@functools.cache
def needed() -> tuple:
    """The corrections this Triton and numpy need, found by probing the interpreter before anything is patched."""
    return tuple(correction for correction in CORRECTIONS if not correction.right())


def correct(patches: Patches) -> None:
    """Apply every needed correction of what a kernel does while it runs, through ``patches``."""
    for correction in needed():
        if correction in INSIDE:
            correction.apply(patches)


def install() -> None:
    """Make kernels that were jitted for the interpreter run corrected, for the life of the process."""
    report()
    launch.apply(Patches())


@functools.cache
def report() -> tuple[Correction, ...]:
    """The state of every correction, established by probing before and after; leaves nothing patched."""
    wanted = needed()
    with Patches() as patches:
        for correction in wanted:
            correction.apply(patches)
        return tuple(
            Correction(
                c.NAME,
                c.SENTENCE,
                "upstream is right" if c not in wanted else "corrected" if c.right() else "wrong",
            )
            for c in CORRECTIONS
        )
