"""Correction: a loop bound known only at run time.

``range(n)`` asks a scalar tensor for ``__index__``, which up to Triton 3.6 calls ``int`` on an array of one element;
numpy 2.4 made that an error. Triton fixed it in 3.7 (issue 9171).
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import triton.language as tl

from learning.lens.interpreter import tensors
from learning.lens.interpreter.patches import Patches

NAME = "loop bounds"
SENTENCE = "`range(n)` with n known only at run time works"


def index(tensor: Any) -> int:
    """The Python integer a scalar tensor holds; ``TypeError`` for a block."""
    data = tensor.handle.data
    if data.size != 1:
        raise TypeError(f"a block of shape {tuple(data.shape)} is no loop bound: a bound is one integer")
    return int(data.item())


def right() -> bool:
    """Whether the interpreter in force turns a scalar into a loop bound without complaint."""
    value = tensors.sample(np.array([3], dtype=np.int32), tl.int32)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return list(range(value)) == [0, 1, 2]
    except (TypeError, Warning):
        return False


def apply(patches: Patches) -> None:
    """Give tensors an ``__index__`` that works with every numpy."""
    tensors.give(patches, "__index__", index)
