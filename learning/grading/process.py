"""One judge process seen from outside: several questions at a time over two pipes. Standard library only."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import queue
import signal
import subprocess
import threading
from pathlib import Path

ROOT = str(Path(__file__).parents[2])


class Lost(RuntimeError):
    """The process died, fell silent or spoke nonsense in the middle of a submission."""


class Judge:
    """A process that grades ``threads`` submissions at a time, started when first asked and again when it was lost.

    Jobs go in and answers come out as JSON lines that carry the same ``id``. A lost process loses what it was grading.
    """

    def __init__(self, command: list[str], threads: int, patience: float):
        self._command, self._threads, self._patience = command, threads, patience
        self._lock = threading.Lock()
        self._ids = itertools.count()
        self._process: subprocess.Popen | None = None
        self._waiting: dict[int, queue.SimpleQueue] = {}

    def ask(self, job: dict) -> dict:
        """Send ``job`` and wait for its answer, ``patience`` seconds at most; raises ``Lost``."""
        number, answer = next(self._ids), queue.SimpleQueue()
        with self._lock:
            process = self._process
            if process is None or process.poll() is not None:
                process = self._start()
            waiting = self._waiting
            waiting[number] = answer
            try:
                process.stdin.write(json.dumps({**job, "id": number}).encode() + b"\n")
                process.stdin.flush()
            except OSError as error:
                waiting.pop(number, None)
                raise Lost(f"it hung up ({error.strerror})") from error
        try:
            found = answer.get(timeout=self._patience)
        except queue.Empty:
            self.stop(process, at_once=True)
            raise Lost(f"no answer within {self._patience:g} s") from None
        finally:
            waiting.pop(number, None)
        if isinstance(found, str):
            raise Lost(found)
        return found

    def _start(self) -> subprocess.Popen:
        path = os.pathsep.join(filter(None, [ROOT, os.environ.get("PYTHONPATH", "")]))
        self._process = subprocess.Popen(
            [*self._command, str(self._threads)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True,
            env={**os.environ, "PYTHONPATH": path},
        )  # fmt: skip
        self._waiting = {}
        threading.Thread(target=self._read, args=(self._process, self._waiting), daemon=True).start()
        return self._process

    def _read(self, process: subprocess.Popen, waiting: dict[int, queue.SimpleQueue]) -> None:
        """Hand every answer to who waits for it; at the end tell all who still wait."""
        why = ""
        for line in process.stdout:
            try:
                answer = json.loads(line)
                receiver = waiting.get(answer.pop("id"))
            except (ValueError, KeyError, AttributeError):
                why = "it answered nonsense"
                self.stop(process, at_once=True)
                break
            if receiver is not None:
                receiver.put(answer)
        why = why or f"it ended with status {process.wait()}"
        with self._lock:
            left = list(waiting.values())
        for receiver in left:
            receiver.put(why)

    def stop(self, only: subprocess.Popen | None = None, *, at_once: bool = False) -> None:
        """End the process (only the one given, where one is) and what it started; safe to call at any time."""
        with self._lock:
            process = self._process
            if process is None or only not in (None, process):
                return
            self._process = None
        with contextlib.suppress(OSError):
            process.stdin.close()
        try:
            process.wait(timeout=0 if at_once else 2)
        except subprocess.TimeoutExpired:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
