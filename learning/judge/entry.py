"""A learner's entry as the judge holds it: calling it sends inputs to a worker and brings bytes back.

Standard library only.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from learning.judge import handle
from learning.judge.call import Called, folded, guarded
from learning.judge.finding import LearnerFault
from learning.judge.handle import Handle


class Line(Protocol):
    """What an ``Entry`` calls through: the engine's line to the current check's worker."""

    def call(self, name: str, args: tuple, kwargs: dict, **how: Any) -> Called: ...

    def hold(self, name: str, args: tuple, kwargs: dict, copies: int) -> Handle: ...

    def fold(self, name: str, state: Any, items: tuple | list) -> Called: ...


class Entry:
    """A function of the learner's, by name, in another process.

    Arguments and values are tensors, int, float, bool, str, None, ``torch.dtype``, and tuples or lists of them.
    """

    def __init__(self, name: str, line: Line):
        self.name, self.__name__, self._line = name, name, line

    def __repr__(self) -> str:
        return f"<entry {self.name}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return the call's value as the judge's own copy.

        Raises ``LearnerFault`` where the learner's code raised, died or ran out of time.
        """
        return _value(self.guarded(args, kwargs), lambda: describe(self.name, args, kwargs))

    def beside(self, name: str) -> Entry:
        """Another function that lives where this one does."""
        return Entry(name, self._line)

    def guarded(self, args: tuple, kwargs: dict | None = None, **how: Any) -> Called:
        """Call it under watch, as ``call.guarded`` does with the keywords ``how``, in the worker; ``Called.seconds`` is the
        judge's clock.

        Raises ``fleet.ServerLost`` where the judge's own machinery failed, never for what the learner's code did.
        """
        return self._line.call(self.name, tuple(args), dict(kwargs or {}), **how)

    def hold(self, args: tuple, kwargs: dict | None = None, copies: int = 1) -> Handle:
        """Send the arguments once, to be kept in ``copies`` sets; the ``Handle`` then runs the function on them, unwatched."""
        return self._line.hold(self.name, tuple(args), dict(kwargs or {}), copies)

    def fold(self, state: Any, items: tuple | list) -> Any:
        """The last of ``state = entry(state, item)`` over ``items``, in one request, or none; see ``call.fold``."""
        if not items:
            return state
        more = f", and on with {len(items) - 1} more" if len(items) > 1 else ""
        called = self._line.fold(self.name, state, items)
        return _value(called, lambda: describe(self.name, (state, items[0]), {}) + more)


def _value(called: Called, how: Callable[[], str]) -> Any:
    if called.fault is not None:
        rule = {"timeout": "time", "memory": "memory"}.get(called.fault.kind, "fault")
        raise LearnerFault(called.fault, called=how(), rule=rule)
    return called.value


class Here:
    """The line of an entry whose function lives in this process, as in a learner's own notebook."""

    def __init__(self, function: Callable):
        self.function = function

    def call(self, name: str, args: tuple, kwargs: dict, **how: Any) -> Called:
        """Call the function under the same watch as a worker does."""
        return guarded(self.function, args, kwargs, **how)

    def hold(self, name: str, args: tuple, kwargs: dict, copies: int) -> Handle:
        """Nothing crosses here: the function and its arguments are in one process."""
        return handle.here(self.function, args, kwargs, copies)

    def fold(self, name: str, state: Any, items: tuple | list) -> Called:
        """Fold with the function, here."""
        return folded(self.function, state, items)


def here(function: Callable) -> Entry:
    """``function`` as an ``Entry`` of this process, so that what it raises is a finding about it, not about the check."""
    entry = Entry(getattr(function, "__name__", "answer"), Here(function))
    entry.__wrapped__ = function
    return entry


def describe(name: str, args: tuple, kwargs: dict) -> str:
    """A call as one line: plain values as typed, tensors by dtype and shape (``x: float32[3, 5]``)."""
    parts = [_one(value) for value in args] + [f"{key}={_one(value)}" for key, value in kwargs.items()]
    return f"{name}({', '.join(parts)})"


def _one(value: Any) -> str:
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is not None and dtype is not None:
        return f"{str(dtype).removeprefix('torch.')}{list(shape)}"
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
