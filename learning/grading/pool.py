"""A small pool of judges, each replaced when it is lost. Standard library only."""

from __future__ import annotations

import queue
import sys
import threading
from concurrent.futures import Future

from learning.grading.outcome import Outcome
from learning.grading.process import Judge, Lost

PATIENCE = 180.0
"""Seconds a judge may take for one submission before it counts as lost; the engine's own limits lie far below."""
SHARED = 4
"""Submissions that one judge process grades at a time: it mostly waits for workers, and importing torch is dear. Where
nothing is imported each gets a process of its own, since threads of one wait for one another's Python."""


class Pool:
    """``slots`` submissions graded at a time, in the order they were handed in, by a process for every ``shared``.

    A context manager: leaving it ends the processes it started and cancels what has not begun.
    """

    def __init__(
        self, slots: int, *, shared: int = SHARED, patience: float = PATIENCE, command: list[str] | None = None
    ):
        self._command = command or [sys.executable, "-m", "learning.grading.slot"]
        self._patience = patience
        self._jobs: queue.SimpleQueue[tuple[dict, Future] | None] = queue.SimpleQueue()
        self._closing = threading.Event()
        self.size = max(1, slots)
        shares = [min(shared, self.size - first) for first in range(0, self.size, shared)]
        self._lock = threading.Lock()
        self._busy = {Judge(self._command, share, patience): share for share in shares}
        judges = [judge for judge, share in self._busy.items() for _ in range(share)]
        self._threads = [threading.Thread(target=self._serve, args=(judge,), daemon=True) for judge in judges]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def closed(self) -> bool:
        """Whether ``close`` was called."""
        return self._closing.is_set()

    def submit(self, job: dict) -> Future:
        """Queue ``job`` and return a future of its ``Outcome``; one whose judge is lost twice is a failed one."""
        future: Future = Future()
        self._jobs.put((job, future))
        return future

    def finish(self) -> None:
        """No more jobs will come: the judges end when the queue is empty."""
        for _ in self._threads:
            self._jobs.put(None)

    def close(self) -> None:
        """End the judges; queued jobs are cancelled."""
        self._closing.set()
        self.finish()
        for judge, threads in self._busy.items():
            judge.stop(at_once=threads > 0)
        for thread in self._threads:
            thread.join(timeout=10)

    def _serve(self, judge: Judge) -> None:
        while (item := self._jobs.get()) is not None:
            job, future = item
            if self._closing.is_set() or not future.set_running_or_notify_cancel():
                future.cancel()
                continue
            future.set_result(self._twice(judge, job))
        with self._lock:
            self._busy[judge] -= 1
        if not self._busy[judge]:
            judge.stop()

    def _twice(self, judge: Judge, job: dict) -> Outcome:
        """Ask the shared judge; where that is lost, once more a judge of one's own, which no neighbour can take along."""
        reason, alone = "", Judge(self._command, 1, self._patience)
        for asked in (judge, alone):
            if self._closing.is_set():
                return Outcome.failed("grading was stopped before this submission's turn")
            try:
                return Outcome.from_dict(asked.ask(job))
            except (Lost, OSError, ValueError, TypeError) as lost:
                reason = str(lost)
            finally:
                alone.stop()
        return Outcome.failed(f"the judge's process was lost twice ({reason}); grade this submission again")


class Warm:
    """A pool kept between runs of one long-lived process, so that a click in formgrader need not start judges.

    It is thrown away when the code it runs has changed (``key``), when another size is asked for, and after ``idle``
    seconds without work. Where nobody ends it, its slots end with this process.
    """

    def __init__(self, idle: float = 600.0):
        self._idle, self._lock = idle, threading.Lock()
        self._pool: Pool | None = None
        self._key, self._timer = "", None

    def borrow(self, slots: int, key: str) -> Pool:
        """The kept pool where it fits, else a new one."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            pool, self._pool = self._pool, None
            if pool is not None and self._key == key and pool.size >= slots:
                return pool
        if pool is not None:
            pool.close()
        return Pool(slots)

    def give_back(self, pool: Pool, key: str) -> None:
        """Keep ``pool`` for the next run, in the place of one that is kept already."""
        with self._lock:
            old, self._pool, self._key = self._pool, pool, key
            self._timer = threading.Timer(self._idle, self.drop)
            self._timer.daemon = True
            self._timer.start()
        if old is not None:
            old.close()

    def drop(self) -> None:
        """End the kept pool, if there is one."""
        with self._lock:
            pool, self._pool = self._pool, None
        if pool is not None:
            pool.close()


WARM = Warm()
