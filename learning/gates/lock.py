"""Files that several append to: one opens them, under an exclusive lock, on POSIX and Windows, that gives up instead of waiting
forever. What is there is never changed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None
    import msvcrt

_BUSY = {errno.EACCES, errno.EAGAIN, errno.EDEADLK}
_BYTE = 1 << 30  # Windows locks are mandatory: lock one byte far past the end, so that readers are not shut out


class LockedOut(Exception):
    """Another process held the lock for longer than the wait."""


@contextlib.contextmanager
def appending(path: Path, error: Callable[[str], Exception]) -> Iterator[int]:
    """The file at ``path``, made where missing, open to be read and appended to, and locked. Raises ``error`` with a sentence
    where it is no regular file or stays locked by another, ``OSError`` where it cannot be opened."""
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0), 0o644)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise error(f"{path} is not a regular file, so nothing can be kept in it")
        with locked(handle):
            yield handle
    except LockedOut as out:
        raise error(f"{path} {out}") from None
    finally:
        os.close(handle)


def write(handle: int, data: bytes) -> None:
    """All of ``data``, in one write where the system takes it in one."""
    while data:
        data = data[os.write(handle, data) :]


@contextlib.contextmanager
def locked(handle: int, wait: float = 10.0) -> Iterator[None]:
    """Hold the exclusive lock of the open file ``handle``; waits up to ``wait`` seconds, then raises ``LockedOut``.

    A file system that knows no locks (some network and cloud drives) gives none and the block runs without.
    """
    deadline = time.monotonic() + wait
    held = False
    pause = 0.001
    while True:
        try:
            _acquire(handle)
            held = True
            break
        except OSError as error:
            if error.errno not in _BUSY:
                break
            if time.monotonic() >= deadline:
                raise LockedOut(f"stayed locked by another process for {wait:g} s; close it and try again") from None
        time.sleep(pause)
        pause = min(pause * 2, 0.05)
    try:
        yield
    finally:
        if held:
            _release(handle)


def _acquire(handle: int) -> None:
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    else:
        os.lseek(handle, _BYTE, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)


def _release(handle: int) -> None:
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_UN)
    else:
        os.lseek(handle, _BYTE, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
