"""Correction: lanes a mask switches off, loaded without ``other``.

The compiler leaves such lanes undefined; the interpreter returns zeros, which hides a missing ``other``. Here they hold
NaN, or a large odd integer, so that a lane that leaks into a result is seen.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter as triton_interpreter

from learning.lens.interpreter.patches import Patches

NAME = "masked lanes"
SENTENCE = "lanes masked off in a load without `other` hold NaN (integers: 32749), not zeros"
# Odd and conspicuous, yet small enough that a masked-off index times a row stride stays inside int32.
INTEGER = 32749
BFLOAT16_NAN = 0x7FC0


def filler(element: Any) -> Any:
    """The scalar, in numpy's storage type of the Triton type ``element``, that stands in an undefined lane."""
    storage = triton_interpreter._get_np_dtype(element)
    if element == tl.bfloat16:
        return storage.type(BFLOAT16_NAN)
    if storage.kind == "f":
        return storage.type(np.nan)
    if storage.kind == "b":
        return storage.type(True)
    return storage.type(min(INTEGER, np.iinfo(storage).max))


def right() -> bool:
    """Whether a masked-off lane loaded without ``other`` is visible in the interpreter in force."""
    memory = np.ones(2, dtype=np.float32)
    pointers = triton_interpreter.TensorHandle(
        np.array([memory.ctypes.data, memory.ctypes.data], dtype=np.uint64), tl.pointer_type(tl.float32)
    )
    mask = triton_interpreter.TensorHandle(np.array([True, False]), tl.int1)
    builder = triton_interpreter.InterpreterBuilder()
    rest = (None, None, False)[-_policies(builder) :]
    return bool(np.isnan(builder.create_masked_load(pointers, mask, None, *rest).data[1]))


def apply(patches: Patches) -> None:
    """Fill undefined lanes with ``filler``."""
    upstream = triton_interpreter.InterpreterBuilder.create_masked_load

    def create_masked_load(self: Any, ptrs: Any, mask: Any, other: Any, *rest: Any, **named: Any) -> Any:
        if other is None and not lanes_of(mask).all():
            element = ptrs.get_element_ty()
            lanes = np.full_like(ptrs.data, filler(element), dtype=triton_interpreter._get_np_dtype(element))
            other = triton_interpreter.TensorHandle(lanes, element)
        return upstream(self, ptrs, mask, other, *rest, **named)

    patches.set(triton_interpreter.InterpreterBuilder, "create_masked_load", create_masked_load)


def lanes_of(mask: Any) -> np.ndarray:
    """The boolean array of a mask, which block pointers and descriptors hand on bare up to Triton 3.8, and which the interpreter
    keeps as integers where one side of ``&`` was a single truth."""
    lanes = mask if isinstance(mask, np.ndarray) else mask.data
    return lanes if lanes.dtype == bool else lanes.astype(bool)


def _policies(builder: Any) -> int:
    """How many cache arguments follow ``other``: three up to Triton 3.8, two from 3.9."""
    return 2 if hasattr(builder, "get_cache_policy") else 3
