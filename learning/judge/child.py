"""One worker as the judge holds it: asked by a line, killed by its pidfd, its waiting for a processor counted, its end told.

Standard library only.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import select
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from learning.judge import wire

READY_SECONDS = 60.0
PATIENCE = 5
"""At most how many times its limit a call may take where the worker waits for a processor."""
_SIGNALS = {
    "SIGSEGV": "it crashed, as code does that reads or writes memory outside every tensor (segmentation fault)",
    "SIGBUS": "it crashed with a bus error",
    "SIGABRT": "it aborted",
    "SIGFPE": "it crashed with an arithmetic error",
    "SIGKILL": "it was killed",
    "SIGXCPU": "it used up its processor time",
    "SIGXFSZ": "it wrote more than its private folder holds",
}


class ServerLost(RuntimeError):
    """The judge's own machinery failed: what it was grading is "failed to grade", never wrong."""


class Worker:
    """One worker, for one check: a line to it, its pidfd, and how it ended."""

    def __init__(self, line: socket.socket, status: socket.socket | None, process: subprocess.Popen | None = None):
        self.line, self._status, self._process = line, status, process
        self._pidfd: int | None = None
        self._ready = False
        self.closed = False

    def wait_ready(self) -> None:
        """Wait until it can be asked; raises ``ServerLost`` where it does not come up."""
        if self._ready:
            return
        try:
            told, _ = wire.receive(self.line, READY_SECONDS)
        except (TimeoutError, wire.WireError) as problem:
            raise ServerLost(f"a worker did not start: {problem or 'no answer'} {self.ending()}".strip()) from None
        if "unready" in told:
            raise ServerLost(f"a worker did not start: {told['unready']}")
        self._ready = True

    def ask(self, header: dict, blobs: Iterable[Any], seconds: float, *, most_bytes: int, skip: Any = None) -> tuple:
        """Send a request and read its answer within ``seconds``; answers with another nonce are refused.

        The time that the worker stood ready to run while others had the processors does not count, up to ``PATIENCE``
        times ``seconds``: a crowded machine costs no points. ``skip(answer)`` may take progress frames. Raises
        ``TimeoutError`` and ``wire.WireError``.
        """
        began = time.monotonic()
        nonce = secrets.token_hex(16)
        wire.send(self.line, {**header, "nonce": nonce}, list(blobs), seconds * PATIENCE)
        while True:
            left = self._await(began, seconds)
            answer, data = wire.receive(self.line, left, most_bytes=most_bytes, allocate=wire.tensor_buffer)
            if answer.get("nonce") != nonce:
                raise wire.WireError("an answer to another question arrived")
            if skip is None or not skip(answer):
                return answer, data

    def _await(self, began: float, seconds: float) -> float:
        """Wait for an answer to begin; returns the seconds in which the rest of it must arrive."""
        allowed = seconds
        while True:
            left = began + allowed - time.monotonic()
            if select.select([self.line], [], [], max(0.0, left))[0]:
                return max(left, 1.0) + seconds * (PATIENCE - 1)
            longer = min(seconds + self.starved(), seconds * PATIENCE)
            if longer - allowed < 0.01:
                raise TimeoutError
            allowed = longer

    def starved(self) -> float:
        """Seconds its main thread has been ready to run without a processor, since it was forked (Linux; else 0).

        The second number of ``/proc/PID/schedstat``, nanoseconds on a run queue: Documentation/scheduler/sched-stats
        of the Linux kernel.
        """
        with contextlib.suppress(OSError, ValueError, IndexError):
            if self._process is None:
                self._find_pid(0.2)
                fields = Path(f"/proc/self/fdinfo/{self._pidfd}").read_text().split()
                pid = int(fields[fields.index("Pid:") + 1])
            else:
                pid = self._process.pid
            return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) / 1e9
        return 0.0

    def ending(self, seconds: float = 2.0) -> str:
        """How the worker ended, as a clause; raises ``ServerLost`` where nobody is left to tell."""
        if self._process is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                return _ending(self._process.wait(seconds), False)
            return "it stopped answering"
        try:
            self._find_pid(seconds)
            self._status.settimeout(seconds)
            message = self._status.recv(5, socket.MSG_WAITALL)
        except TimeoutError:
            return "it closed its line to the judge"
        except OSError:
            message = b""
        if len(message) < 5:
            raise ServerLost("the server that held the worker is gone")
        return _ending(*struct.unpack("<ib", message))

    def _find_pid(self, seconds: float) -> None:
        if self._pidfd is None and self._status is not None:
            self._status.settimeout(seconds)
            _, descriptors, _, _ = socket.recv_fds(self._status, 4, 1)
            if descriptors:
                self._pidfd = descriptors[0]

    def kill(self) -> None:
        """End the worker and all it started; safe to call twice."""
        if self.closed:
            return
        self.closed = True
        if self._process is not None:
            self._process.kill()
            self._process.wait()
        else:
            with contextlib.suppress(OSError):
                self._find_pid(0.2 if self._ready else 0.0)
            if self._pidfd is not None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)
                os.close(self._pidfd)
                self._pidfd = None
        self.line.close()
        if self._status is not None:
            self._status.close()


def _ending(code: int, out_of_memory: int) -> str:
    if out_of_memory:
        return "it used more memory than a check may"
    if code >= 0:
        return f"it ended itself with exit status {code}"
    with contextlib.suppress(ValueError):
        name = signal.Signals(-code).name
        return _SIGNALS.get(name, f"it was ended by {name}")
    return f"it was ended by signal {-code}"
