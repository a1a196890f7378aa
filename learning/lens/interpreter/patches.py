"""Reversible attribute changes: what a correction sets, one ``restore`` takes back."""

from __future__ import annotations

from typing import Any

_MISSING = object()


class Patches:
    """A stack of attribute changes on modules, classes and instances; usable as a context manager.

    ``set`` changes an attribute and remembers what stood in the object's own ``__dict__``; ``restore`` undoes every
    change, last first, so that several corrections may wrap the same attribute.
    """

    def __init__(self) -> None:
        self._changes: list[tuple[Any, str, Any]] = []

    def set(self, owner: Any, name: str, value: Any) -> None:
        """Set ``owner.name = value`` until ``restore``."""
        self._changes.append((owner, name, vars(owner).get(name, _MISSING)))
        setattr(owner, name, value)

    def set_attr(self, owner: Any, name: str, value: Any) -> None:
        """``set`` under the name Triton's own patch scope uses, so that either can stand for the other."""
        self.set(owner, name, value)

    def changed(self) -> list[tuple[Any, str]]:
        """Every (owner, attribute) changed so far, each once, in order of first change."""
        found = {(id(owner), name): (owner, name) for owner, name, _ in reversed(self._changes)}
        return list(reversed(found.values()))

    def restore(self) -> None:
        """Undo every change made through this object."""
        while self._changes:
            owner, name, value = self._changes.pop()
            if value is _MISSING:
                delattr(owner, name)
            else:
                setattr(owner, name, value)

    def __enter__(self) -> Patches:
        return self

    def __exit__(self, *_: object) -> None:
        self.restore()
