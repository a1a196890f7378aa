"""One writer a course: whoever grades holds a lock that the operating system takes back when he ends, however he ends."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

NAME = "lock"


class Busy(RuntimeError):
    """Somebody else grades this course now; the message says who and what to do."""


@contextlib.contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Hold the lock of the store in ``folder``; raises ``Busy`` where another process holds it.

    The lock is ``flock(2)`` on a file that stays: it is gone with its process, killed ones included, and child processes do
    not inherit it. Where the system has no such locks (Windows) nothing is held.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder / NAME, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            who = os.read(handle, 40).decode("ascii", "replace").strip() or "unknown"
            raise Busy(
                f"this course is being graded already, by process {who}, and the gradebook takes one writer at a time; "
                "nothing was changed: run the command again when that one has ended"
            ) from error
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        yield
    finally:
        os.close(handle)
