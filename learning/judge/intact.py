"""Whether Python's, torch's, Triton's and the course's own functions and classes are still those that a worker began with.

A submission that puts another one in a place changes what everybody there computes, or what a watch sees. ``changes`` is a
worker's claim like any other: it may cost points, never earn them.
"""

from __future__ import annotations

import os
import sys
import types
from typing import Any

import torch

from learning.judge.names import is_dunder

_WHOLE = ("learning.judge.", "learning.lens.", "triton.runtime.", "triton.language.")
"""Packages of which every loaded module counts."""
_PARTS = ("builtins", "math", "torch", "torch._tensor", "torch._ops", "torch.overrides", "torch.cuda", "torch.storage",
          "torch.utils._python_dispatch", "triton", "triton.language", "triton.runtime", "triton.testing",
          "learning.contract")  # fmt: skip
_TORCH = os.path.join(os.path.dirname(os.path.abspath(torch.__file__)), "")
_KINDS = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType,
          types.GetSetDescriptorType, types.MemberDescriptorType, staticmethod, classmethod, property)  # fmt: skip


class Intact:
    """What stands in modules and classes when it is made; ``changes()`` names what is another one since, gone, or new in a
    class."""

    def __init__(self) -> None:
        self._kept: list[tuple[str, Any, frozenset[str], list[tuple[str, Any]]]] = []
        for name, module in list(sys.modules.items()):
            if name in _PARTS or name.startswith(_WHOLE):
                self._keep(name, module, name)

    def _keep(self, name: str, owner: Any, module: str) -> None:
        space = vars(owner)
        # Modules gain names where something is imported late; classes of others gain none.
        names = frozenset(space if isinstance(owner, type) else ())
        found = [(key, value) for key, value in list(space.items()) if isinstance(value, _KINDS)]
        self._kept.append((name, space, names, found))
        for key, value in found:
            if isinstance(value, type) and _at_home(value, module) and value is not owner:
                self._keep(f"{name}.{key}", value, module)

    def changes(self) -> list[str]:
        """Dotted names of the functions, classes and properties that were replaced or taken away, and classes with new names."""
        changed = []
        for owner, space, names, found in self._kept:
            changed += [
                f"{owner}.{name}"
                for name, value in found
                if space.get(name) is not value and not (owner == "torch" and _of_torch(space.get(name)))
            ]
            if names and len(space) > len(names):  # copying and pickling leave double underscores
                changed += [f"{owner}.{name}" for name in space if name not in names and not is_dunder(str(name))]
        return changed


def _of_torch(value: Any) -> bool:
    """Whether torch wrote a function itself: its compiler, imported late, wraps ``torch.manual_seed``."""
    return isinstance(value, types.FunctionType) and value.__code__.co_filename.startswith(_TORCH)


def _at_home(kind: type, module: str) -> bool:
    """Whether a class is the module's own; ``torch.FloatTensor`` and its like are twenty copies of ``torch.Tensor``."""
    return type.__getattribute__(kind, "__module__") == module and type(kind).__name__ != "tensortype"


KEPT: Intact | None = None
"""What a server kept before it forked its workers."""


def keep() -> None:
    """Remember what stands there now, for the workers that will be forked."""
    global KEPT
    KEPT = Intact()
