"""A second call between the kernels of a call: what two calls share then shows in their bytes, on any device.

Several kernels that hand values on through memory are right as long as one call runs at a time, also where that memory is kept
for the next call. Here the next call comes before the first has ended: ahead of every launch but its first, the function is
called with other arguments. No threads are needed, and no luck: who waits for whom is fixed. Standard library at module level.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from learning.judge.describe import value_text
from learning.judge.finding import LearnerFault, fault_rule

MOST_VISITS = 4
"""Calls made between the kernels of one: an answer that launches hundreds is not called hundreds of times more."""


class Visits:
    """While it is open, ``function(*args, **kwargs)`` runs ahead of every launch but the first, ``MOST_VISITS`` times at most;
    ``made`` holds what it returned. Its own launches are not visited, and neither are those of a CUDA graph under capture."""

    def __init__(self, function: Callable, args: tuple, kwargs: dict):
        self.function, self.args, self.kwargs = function, args, kwargs
        self.made: list[Any] = []
        self._launches, self._inside = 0, False
        self._undo: Callable[[], None] = lambda: None

    def __enter__(self) -> Visits:
        self._launches, self._undo = 0, ahead_of_launches(self._ahead)
        return self

    def __exit__(self, *exc: object) -> None:
        self._undo()

    def _ahead(self, *metadata: Any) -> None:
        if self._inside or _capturing():
            return
        self._launches += 1
        if self._launches == 1 or len(self.made) >= MOST_VISITS:
            return
        self._inside = True
        try:
            self.made.append(_on_a_stream_of_its_own(self.function, self.args, self.kwargs))
        finally:
            self._inside = False


def judge(trial: Any, entry: Callable, args: tuple, other: tuple, options: dict) -> None:
    """See ``Trial.interleaved``. Raises ``WrongAnswer`` or ``LearnerFault``."""
    from learning.judge import call

    alone = [trial.returns(entry, *given, **options) for given in (args, other)]
    trial.cases += 1
    called = trial.called(entry, args, options)
    came = call.invoke(entry, args, options, poison=1, between=(other, options))
    if came.fault is not None:
        raise LearnerFault(came.fault, called, fault_rule(came.fault))
    visitor = trial.called(entry, other, options)
    for value, right, whose in [(came.value, alone[0], called), *((value, alone[1], visitor) for value in came.again)]:
        where = _unequal(value, right)
        if where is not None:
            trial.fail(
                "memory", called=f"{called}, and between its kernels {visitor}", where=where,
                got=f"another result of {whose} than where it runs alone",
                expected="equal bits: nothing that one call keeps in memory reaches another",
                advice="which tensors does a kernel write for the next one to read? Each call needs its own",
            )  # fmt: skip


def _unequal(value: Any, right: Any) -> str | None:
    """Where a result differs from the one it should equal bit for bit; None where it does not."""
    from learning.judge.compare import differ, places_text
    from learning.judge.parity import leaves

    ones, others = leaves(value), leaves(right)
    if not others or [(one.dtype, one.shape) for one in ones] != [(other.dtype, other.shape) for other in others]:
        return f"{value_text(value)} instead of {value_text(right)}"
    found = [mask for mask in map(differ, ones, others) if mask is not None]
    return places_text(found[0]) if found else None


def ahead_of_launches(act: Callable) -> Callable[[], None]:
    """Have ``act`` called ahead of every launch; returns what ends that. Nothing where no device is open."""
    door = sys.modules.get("learning.lens.device")
    if door is None:
        return lambda: None
    if door.current().kind == "interpreter":
        from learning.lens.interpreter import execute

        return execute.ahead(act)
    from triton import knobs

    knobs.runtime.launch_enter_hook.add(act)
    return lambda: knobs.runtime.launch_enter_hook.remove(act)


def _capturing() -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and torch.cuda.is_initialized() and torch.cuda.is_current_stream_capturing()


def _on_a_stream_of_its_own(function: Callable, args: tuple, kwargs: dict) -> Any:
    """Call it; on a GPU on a second stream, which waits for the caller's stream, and that one for it afterwards."""
    torch = sys.modules.get("torch")
    if torch is None or not torch.cuda.is_initialized():
        return function(*args, **kwargs)
    here, beside = torch.cuda.current_stream(), torch.cuda.Stream()
    beside.wait_stream(here)
    with torch.cuda.stream(beside):
        made = function(*args, **kwargs)
    here.wait_stream(beside)
    return made
