"""A small pool of grading slots: one process each, replaced when it dies. Standard library only."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import select
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Future
from pathlib import Path

from learning.grading.outcome import Outcome

ROOT = str(Path(__file__).parents[2])
PATIENCE = 180.0
"""Seconds a slot may take for one submission before it counts as lost; the engine's own limits lie far below."""


class SlotLost(RuntimeError):
    """A slot's process died or fell silent in the middle of a submission."""


class Pool:
    """``slots`` processes that grade submissions in the order they were handed in.

    A context manager: leaving it ends the processes it started and cancels what has not begun.
    """

    def __init__(self, slots: int, *, patience: float = PATIENCE, command: list[str] | None = None):
        self._command = command or [sys.executable, "-m", "learning.grading.slot"]
        self._patience = patience
        self._jobs: queue.SimpleQueue[tuple[dict, Future] | None] = queue.SimpleQueue()
        self._closing = threading.Event()
        self._slots = [_Slot(self._command, patience) for _ in range(max(1, slots))]
        self._threads = [threading.Thread(target=self._serve, args=(slot,), daemon=True) for slot in self._slots]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def size(self) -> int:
        """How many slots there are."""
        return len(self._slots)

    @property
    def closed(self) -> bool:
        """Whether ``close`` was called."""
        return self._closing.is_set()

    def submit(self, job: dict) -> Future:
        """Queue ``job`` and return a future of its ``Outcome``; a slot that is lost twice gives a failed one."""
        future: Future = Future()
        self._jobs.put((job, future))
        return future

    def finish(self) -> None:
        """No more jobs will come: each slot ends when the queue is empty."""
        for _ in self._threads:
            self._jobs.put(None)

    def close(self) -> None:
        """End the slots' processes; queued jobs are cancelled."""
        self._closing.set()
        self.finish()
        for slot in self._slots:
            slot.stop()
        for thread in self._threads:
            thread.join(timeout=10)

    def _serve(self, slot: _Slot) -> None:
        while (item := self._jobs.get()) is not None:
            job, future = item
            if self._closing.is_set() or not future.set_running_or_notify_cancel():
                future.cancel()
                continue
            future.set_result(self._once_more(slot, job))
        slot.stop()

    def _once_more(self, slot: _Slot, job: dict) -> Outcome:
        reason = ""
        for _ in range(2):
            if self._closing.is_set():
                return Outcome.failed("grading was stopped before this submission's turn")
            try:
                return Outcome.from_dict(slot.ask(job))
            except (SlotLost, OSError, ValueError, TypeError) as lost:
                reason = str(lost)
                slot.stop()
        return Outcome.failed(f"the judge's process was lost twice ({reason}); grade this submission again")


class _Slot:
    """One process and its two pipes, started when first asked."""

    def __init__(self, command: list[str], patience: float):
        self._command, self._patience = command, patience
        self._process: subprocess.Popen | None = None
        self._lock = threading.Lock()

    def ask(self, job: dict) -> dict:
        """Send ``job`` and wait for its answer; raises ``SlotLost``."""
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                self._process = subprocess.Popen(
                    self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
                    env={**os.environ, "PYTHONPATH": os.pathsep.join([ROOT, os.environ.get("PYTHONPATH", "")])},
                )  # fmt: skip
            process = self._process
        process.stdin.write(json.dumps(job).encode() + b"\n")
        process.stdin.flush()
        return json.loads(self._line(process))

    def _line(self, process: subprocess.Popen) -> bytes:
        handle, parts, end = process.stdout.fileno(), [], time.monotonic() + self._patience
        while True:
            left = end - time.monotonic()
            if left <= 0:
                raise SlotLost(f"no answer within {self._patience:g} s")
            if not select.select([handle], [], [], min(left, 1.0))[0]:
                continue
            part = os.read(handle, 1 << 20)
            if not part:
                raise SlotLost(f"it ended with status {process.wait()}")
            parts.append(part)
            if part.endswith(b"\n"):
                return b"".join(parts)

    def stop(self) -> None:
        """End the process and what it started; safe to call at any time."""
        with self._lock:
            process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(OSError):
            process.stdin.close()
        try:
            process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        with contextlib.suppress(OSError):
            process.stdout.close()


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


def cores() -> int:
    """Processor cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
