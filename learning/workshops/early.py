"""The judge's engine as the commands use it: its worker server starts before anything else is done.

What a learner waits for most is torch, which the judge and the worker server import each in a process of its own. Begun
first, the server comes up beside everything that the command itself has to read. Standard library only at module level.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

MOST_AT_ONCE = 4
"""Public checks judged at a time at most: the longest of them bounds what more would gain."""


class Engine:
    """``learning.judge.engine.grade`` with warm servers, of which one can be ``start``ed ahead; a context manager that ends
    them, those too that are still starting."""

    def __init__(self) -> None:
        self._servers: Any = None
        self._starter: ThreadPoolExecutor | None = None

    def start(self, place: str) -> None:
        """Start the server for ``place`` ("cpu", "cuda", "interpreter", a virtual card) and return at once."""
        from learning.judge import fleet

        if self._servers is None:
            self._servers, self._starter = fleet.Servers(), ThreadPoolExecutor(1, "early")
        self._starter.submit(_warm, self._servers, place)

    def __call__(self, lesson: Any, learner: Any, *, device: str, **settings: Any) -> Any:
        """``engine.grade``; where no GPU is used, on as many checks at a time as there are cores."""
        from learning.judge import engine, quick

        self.start(device)
        with quick.imports(), contextlib.suppress(ImportError):  # the engine says what is missing
            if device != "cpu":
                import torch  # noqa: F401
                import triton.language  # noqa: F401
        settings.setdefault("at_once", at_once(device))
        return engine.grade(lesson, learner, device=device, servers=self._servers, **settings)

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *exc: object) -> None:
        if self._servers is not None:
            self._servers.close()
            self._starter.shutdown(wait=False, cancel_futures=True)


def at_once(device: str) -> int:
    """How many public checks are judged at a time on ``device``."""
    if device == "cuda":
        return 1
    from learning.judge.abreast import cores

    return min(cores(), MOST_AT_ONCE)


def _warm(servers: Any, place: str) -> None:
    with contextlib.suppress(Exception):  # the engine meets the same failure and reports it
        servers.release(servers.get(place))


@contextlib.contextmanager
def begun(arguments: list[str] | None) -> Iterator[Engine]:
    """An ``Engine`` whose server is on its way where ``arguments`` of ``check`` ask for one lesson that can be judged here.
    What is wrong with them is left to the command to say."""
    with Engine() as engine:
        with contextlib.suppress(Exception):
            place = _place(arguments)
            if place:
                engine.start(place)
        yield engine


def _place(arguments: list[str] | None) -> str:
    """Where ``check`` with these arguments judges one lesson; "" where it does not, or cannot."""
    from learning import lesson as lessons
    from learning.workshops import machine, options

    chosen = options.parse([word for word in _words(arguments) if word not in ("-h", "--help")])
    if chosen.list or chosen.hint is not None or chosen.blank is not None or chosen.name == "all":
        return ""
    lesson = lessons.find(chosen.name)
    return machine.place(lesson, interpret=chosen.interpret, target=chosen.target or "")


def _words(arguments: list[str] | None) -> list[str]:
    import sys

    return sys.argv[1:] if arguments is None else arguments
