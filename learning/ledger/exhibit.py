"""What an exhibit is made of: cases, each a claim that a run shows to hold here or not.

A case is a function whose docstring is the claim, in one sentence; it is called with torch's name of the device that tensors
live on and returns ``Shown``. Standard library only at module level.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

COMPILED, INTERPRETER = "compiled", "interpreter"
MODES = (COMPILED, INTERPRETER)
BITES, HARMLESS, NEEDS_GPU, NOT_HERE, FAILED = "bites", "does not bite", "needs a GPU", "not here", "failed"
STATES = (BITES, HARMLESS, NEEDS_GPU, NOT_HERE, FAILED)
WHERE = {COMPILED: "compiled for a T4, or on the GPU", INTERPRETER: "Triton's interpreter as it comes"}
_WIDTH = 140


@dataclass(frozen=True)
class Shown:
    """What a case's run showed: ``state`` is one of ``STATES``; ``wrong`` what the wrong way gave, ``right`` what the right
    way gave, both in a few words that are the same on every machine with these versions."""

    state: str
    wrong: str = ""
    right: str = ""

    def sentence(self) -> str:
        """The verdict as a line for people."""
        told = "; ".join(filter(None, [self.wrong, self.right and f"the right way: {self.right}"]))
        return f"{self.state}: {told}" if told else self.state


def bites(when: bool, wrong: str, right: str = "") -> Shown:
    """``Shown`` that bites where ``when`` holds."""
    return Shown(BITES if when else HARMLESS, wrong, right)


def needs_gpu() -> Shown:
    """``Shown`` of a case that only a GPU can decide."""
    return Shown(NEEDS_GPU)


def not_here(why: str) -> Shown:
    """``Shown`` of a case that cannot be asked with these versions or packages; ``why`` says so in a few words."""
    return Shown(NOT_HERE, why)


def case(*modes: str) -> Callable[[Callable], Callable]:
    """Mark a function as a case, run in ``modes``: ``COMPILED`` on the course's device (the GPU, else the virtual T4), and
    ``INTERPRETER`` in Triton's interpreter without the course's corrections."""
    unknown = set(modes) - set(MODES)
    if unknown or not modes:
        raise ValueError(f"a case runs in {' or '.join(MODES)}, not in {', '.join(sorted(unknown)) or 'nothing'}")

    def mark(function: Callable) -> Callable:
        function.modes = modes
        return function

    return mark


def refusal(call: Callable[[], Any]) -> str:
    """Why ``call()`` raised, in one line, "" where it did not: the innermost cause, or the sentence that the course has for an
    error of the compiler."""
    try:
        call()
    except Exception as error:
        from learning.lens import errors

        told = errors.told(error)
        if told is not None:
            return _line(told[1])
        cause = errors.links(error)[-1]
        if type(cause).__name__ == "InterpreterError":
            cause = cause.__cause__ or cause.__context__ or cause
        return _line(f"{type(cause).__name__}: {cause}")
    return ""


def _line(text: str) -> str:
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= _WIDTH else line[: _WIDTH - 1] + "…"


def instructions(report: Any) -> list[str]:
    """A compiled kernel's PTX without what differs between two copies of one kernel: its name, its file, its lines."""
    body = report.ptx.split(".visible .entry", 1)[-1].split("// -- End function")[0]
    rows = (row.split("//")[0].strip().replace(report.kernel, "kernel") for row in body.splitlines())
    return [row for row in rows if row and not row.startswith((".loc", ".file", "$L__tmp", "$L__func"))]


def on_gpu() -> bool:
    """Whether kernels run on a GPU in this process."""
    from learning.lens import device

    opened = device.opened()
    return opened is not None and opened.kind == "cuda"


def version() -> tuple[int, int]:
    """Triton's (major, minor)."""
    import triton

    major, minor = triton.__version__.split(".")[:2]
    return int(major), int(minor)
