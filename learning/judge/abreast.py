"""Several checks at a time, each in its own worker as ever: a learner's public checks on a machine with cores to spare.

Autograde gives every core a submission, so there checks come one after another. Standard library only.
"""

from __future__ import annotations

import contextlib
import contextvars
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from learning.judge.line import Line


class Stopped(BaseException):
    """The run that a check belongs to was ended early; no ``except Exception`` makes a verdict of it."""


class Lines:
    """``Line``s of one submission, of which every thread that judges has its own; in all else it is one ``Line``."""

    def __init__(self, make: Callable[[], Line], count: int):
        self._lines = [make() for _ in range(count)]
        self._unused = self._lines[0].sandbox
        self._own, self._stopped = threading.local(), threading.Event()

    @property
    def count(self) -> int:
        return len(self._lines)

    @property
    def here(self) -> Line:
        """This thread's line; the first where none was taken."""
        return getattr(self._own, "line", self._lines[0])

    def begin(self, left: int) -> None:
        """The next check starts in this thread; ``left`` checks may follow in it."""
        self.here.begin(left)

    def call(self, *args: Any, **how: Any) -> Any:
        return self._asked(self.here.call, *args, **how)

    def hold(self, *args: Any) -> Any:
        return self._asked(self.here.hold, *args)

    def fold(self, *args: Any) -> Any:
        return self._asked(self.here.fold, *args)

    def _asked(self, ask: Callable, *args: Any, **how: Any) -> Any:
        """``ask(*args, **how)``; once the run was ended early neither its answer nor its failure counts any more."""
        try:
            return ask(*args, **how)
        finally:
            if self._stopped.is_set():
                raise Stopped

    def close(self) -> None:
        """End all workers, whatever they are doing."""
        for line in self._lines:
            line.close()

    @property
    def faults(self) -> list:
        """Each fault while loading once, as all lines load the same cells."""
        return _once(fault for line in self._lines for fault in line.faults)

    @property
    def notes(self) -> list[str]:
        return _once(note for line in self._lines for note in line.notes)

    @property
    def sandbox(self) -> str:
        return self._used.sandbox

    @property
    def target(self) -> str:
        return self._used.target

    @property
    def _used(self) -> Line:
        """A line that has had a worker, where there is one."""
        return next((line for line in self._lines if line.sandbox != self._unused), self._lines[0])

    def run(self, jobs: list[Any], do: Callable[[Any], Any], told: Callable[[Any], None]) -> None:
        """``do(job)`` for every job, at most as many at a time as there are lines, started in order. ``told(result)`` gets the results in the jobs' order, each as soon as it is there with all before it.

        What a job raises is raised here. Whatever ends this early ends the workers: the jobs that run come to nothing and
        no other is started.
        """
        if len(self._lines) == 1 or len(jobs) < 2:
            for job in jobs:
                told(do(job))
            return
        free, self._own = list(self._lines), threading.local()

        def one(job: Any) -> Any:
            if self._stopped.is_set():
                raise Stopped
            if not hasattr(self._own, "line"):
                self._own.line = free.pop()
            return do(job)

        pool = ThreadPoolExecutor(len(self._lines), "judge")
        try:
            asked = [pool.submit(contextvars.copy_context().run, one, job) for job in jobs]
            for each in asked:
                told(each.result())
        except BaseException:
            self._stopped.set()
            with contextlib.suppress(Exception):  # its threads may still be at work on what is closed here
                self.close()
            raise
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def cores() -> int:
    """Processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _once(items: Iterator[Any]) -> list[Any]:
    kept: list[Any] = []
    for item in items:
        if item not in kept:
            kept.append(item)
    return kept
