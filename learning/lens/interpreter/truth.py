"""Correction: the truth value of a block.

Python's ``and``, ``or``, ``not``, ``if`` and chained comparisons ask their operand for one truth value. The interpreter
answers True for every block, so ``a and b`` is silently ``b`` and ``if block:`` always takes the branch. The compiler
handles or rejects all of these; here they are errors that say what to write.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import triton.language as tl

from learning.lens.interpreter import tensors
from learning.lens.interpreter.patches import Patches

NAME = "truth of blocks"
SENTENCE = "`and`, `or`, `not`, `if` and chained comparisons on blocks are errors, as they have no single truth value"
ADVICE = (
    "a block of shape {shape} has one truth value a lane, so Python's `and`, `or`, `not`, `if` and chained "
    "comparisons cannot use it: write `(a) & (b)`, `(a) | (b)`, `~(a)`, `tl.where(...)`, or `(lo <= i) & (i < hi)`"
)
# Triton's own Python asks tensors for truth as "is there one?", which the compiler's tensors answer with True.
_COMPILE_TIME = ("triton/language/semantic.py", "triton/language/core.py")


class TruthOfBlock(TypeError):
    """A block stood where Python needs one truth value."""


def truth(tensor: Any) -> bool:
    """The truth value of a scalar tensor; raises ``TruthOfBlock`` for a block asked from a kernel's own line."""
    if sys._getframe(1).f_code.co_filename.replace("\\", "/").endswith(_COMPILE_TIME):
        return True
    if tensor.type.is_block():
        raise TruthOfBlock(ADVICE.format(shape=tuple(int(size) for size in tensor.type.shape)))
    return bool(tensor.handle.data.item())


def right() -> bool:
    """Whether the interpreter in force refuses the truth value of a block."""
    value = tensors.sample(np.array([True, False]), tl.int1, (2,))
    try:
        bool(value)
    except Exception:
        return True
    return False


def apply(patches: Patches) -> None:
    """Give tensors a strict ``__bool__``."""
    tensors.give(patches, "__bool__", truth)
