"""Correction: assertions and integer overflow.

``tl.device_assert`` is dropped unless the builder is in debug mode, and a signed integer that overflows wraps silently,
which turns an offset past 2**31 into one before the tensor. Triton can check for overflow itself, at the price of
about eight more operations an addition; the check here is two numpy operations.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter as triton_interpreter

from learning.lens.interpreter.patches import Patches

NAME = "assertions and overflow"
SENTENCE = "`tl.device_assert` is checked, and a signed integer that overflows is an error"


class IntegerOverflow(ArithmeticError):
    """A signed integer operation left the range of its type."""


def _added(a: np.ndarray, b: np.ndarray, result: np.ndarray) -> np.ndarray:
    return ((a ^ result) & (b ^ result)) < 0


def _subtracted(a: np.ndarray, b: np.ndarray, result: np.ndarray) -> np.ndarray:
    return ((a ^ b) & (a ^ result)) < 0


def _multiplied(a: np.ndarray, b: np.ndarray, result: np.ndarray) -> np.ndarray:
    if result.dtype.itemsize == 8:  # no wider type to compare with; 64-bit offsets are the remedy, not the trap
        return np.zeros_like(result, dtype=bool)
    return np.multiply(a, b, dtype=np.int64) != result


CHECKS: dict[str, tuple[str, Callable]] = {
    "create_add": ("+", _added),
    "create_sub": ("-", _subtracted),
    "create_mul": ("*", _multiplied),
}


def right() -> bool:
    """Whether the interpreter in force checks assertions and refuses an overflowing signed addition."""
    if not triton_interpreter.interpreter_builder.options.debug:
        return False
    most = triton_interpreter.TensorHandle(np.array([2**31 - 1], dtype=np.int32), tl.int32)
    try:
        with np.errstate(all="ignore"):
            triton_interpreter.InterpreterBuilder().create_add(most, most)
    except Exception:
        return True
    return False


def apply(patches: Patches) -> None:
    """Switch the builder to debug mode and guard signed ``+``, ``-`` and ``*``."""
    builder = triton_interpreter.interpreter_builder
    options = dataclasses.replace(builder.options, debug=True, sanitize_overflow=False)
    patches.set(builder, "options", options)
    for name, (sign, overflowed) in CHECKS.items():
        patches.set(
            triton_interpreter.InterpreterBuilder,
            name,
            _guarded(getattr(triton_interpreter.InterpreterBuilder, name), sign, overflowed),
        )


def _guarded(upstream: Callable, sign: str, overflowed: Callable) -> Callable:
    def operation(self: Any, lhs: Any, rhs: Any) -> Any:
        result = upstream(self, lhs, rhs)
        if lhs.data.dtype.kind == "i" and rhs.data.dtype.kind == "i":
            wrong = overflowed(lhs.data, rhs.data, result.data)
            if wrong.any():
                a, b = (np.broadcast_to(h.data, wrong.shape)[wrong].ravel()[0] for h in (lhs, rhs))
                bits = result.data.dtype.itemsize * 8
                raise IntegerOverflow(
                    f"int{bits} overflow: {int(a)} {sign} {int(b)} does not fit {bits} bits"
                    + (", which on a GPU wraps to a wrong offset; compute it in tl.int64" if bits == 32 else "")
                )
        return result

    return operation
