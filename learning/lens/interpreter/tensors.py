"""What corrections of the interpreter's tensors share: a method they are given, and a tensor to try one on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime import interpreter as triton_interpreter

from learning.lens.interpreter.patches import Patches


def give(patches: Patches, name: str, method: Callable) -> None:
    """Give the interpreter's tensors ``method`` under ``name``, in place of the one it would give them."""
    upstream = triton_interpreter._patch_lang_tensor

    def patch_lang_tensor(tensor: type, scope: Any) -> None:
        upstream(tensor, scope)
        scope.set_attr(tensor, name, method)

    patches.set(triton_interpreter, "_patch_lang_tensor", patch_lang_tensor)


def sample(data: np.ndarray, dtype: Any, shape: tuple[int, ...] = ()) -> Any:
    """A tensor as the interpreter in force makes them, of a type of its own, so that nothing else is changed by it."""
    kind = tl.block_type(dtype, list(shape)) if shape else dtype
    made = type("Sample", (), {"shape": shape, "type": kind, "dtype": dtype})
    triton_interpreter._patch_lang_tensor(made, Patches())
    value = made()
    value.handle = triton_interpreter.TensorHandle(data, dtype)
    return value
