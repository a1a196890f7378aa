"""The judge's end of arguments that are held beside a function, in a worker or in this process. Standard library only."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from learning.judge.call import Called


class Handle:
    """What ``hold`` returns. Calling it with n makes n calls on the held arguments, or n replays once ``capture`` captured
    some; ``Called.seconds`` is the clock of this side around the whole exchange, ``Called.claimed`` what the other side says
    its work took. Nothing raises for what the function did: see ``Called.fault``."""

    def __init__(self, put: Callable[[dict], Called]):
        self._put = put

    def __call__(self, repeats: int) -> Called:
        return self._put({"op": "run", "repeats": repeats})

    def capture(self, calls: int, before: int = 0) -> Called:
        """Capture so many calls into a CUDA graph (0: plain calls again), after ``before`` extra ones; the value is "", or why
        that cannot be done."""
        return self._put({"op": "capture", "calls": calls, "before": before})

    def stir(self, copy: int, shift: int, share: float = 1.0) -> Called:
        """Move the values of one set of arguments about in place, as ``Held.stir`` does."""
        return self._put({"op": "stir", "copy": copy, "shift": shift, "share": share})

    def mark(self, copies: list[int], at: float) -> Called:
        """Let these sets hold other values in a window at ``at`` during all calls of a run but their last."""
        return self._put({"op": "mark", "copies": copies, "at": at})

    def show(self, copy: int, places: list[int], at: float = 0.0) -> Called:
        """Values of what the last call on that set made, as ``Held.show`` lists them."""
        return self._put({"op": "show", "copy": copy, "places": places, "at": at})


def here(function: Callable, args: tuple, kwargs: dict, copies: int = 1) -> Handle:
    """Hold the arguments beside a function of this process."""
    import time

    from learning.judge.held import Held

    held = Held(args, kwargs, copies)

    def put(request: dict[str, Any]) -> Called:
        started = time.perf_counter()
        called = held.serve(function, request)
        called.seconds = time.perf_counter() - started
        return called

    return Handle(put)
