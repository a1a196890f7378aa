"""Files are written whole or not at all: under a name beside the target first, then renamed. Standard library only.

What holds of every file that is written here:

- **Mode.** A file that is there keeps its permission bits; a new one gets what the umask leaves of 0666, or ``mode``.
- **Disk.** The bytes are on the disk (``fsync``) before they get the name, so that a machine that loses its power shows the old
  file or the new one, never an empty one. The folder is not synced: the change of name itself may be lost.
- **A process that dies** on the way leaves the target as it was, and beside it at most ``.<name>.<8 digits>.part``, which nobody
  reads and anybody may delete.
- **Links.** ``replace`` writes the file that a symbolic link names, and the link stays; ``create`` takes a link, even one that
  names nothing, for a file that is there.
- **Several at once** write each under a name of their own: one of them is last (``replace``) or first (``create``).
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

_NO_SYNC = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP)
"""What a file system answers that cannot sync: the bytes are written all the same."""


class WriteError(OSError):
    """A file cannot be written: ``filename`` the one that was meant, not the temporary one, and ``strerror`` why."""

    def __str__(self) -> str:
        return (
            f"{self.filename} cannot be written ({self.strerror}): it wants a folder that can be written and has room"
        )


class Changed(Exception):
    """A file no longer holds what it held when it was read: somebody saved, moved or deleted it; it is left as it is."""


def replace(path: str | os.PathLike, data: str | bytes, *, mode: int | None = None, held: bytes | None = None) -> bool:
    """Give ``path`` the content ``data``, text as UTF-8 with its line breaks as they are; whether anything changed.

    A file that already holds these bytes is left alone, its time and mode too; missing parent folders are made. ``mode`` are
    permission bits in place of those of the file that is there. ``held`` is what the file was read as: where it holds anything
    else just before the rename, ``Changed`` is raised. Raises ``WriteError``, and ``UnicodeEncodeError`` for half a surrogate
    pair, before anything is touched.
    """
    data, path = _bytes(data), Path(path)
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    with _named(path):
        with contextlib.suppress(OSError):
            if target.is_file() and target.read_bytes() == data and held in (None, data):
                return False
        if mode is None and target.is_file():
            mode = target.stat().st_mode & 0o777
        target.parent.mkdir(parents=True, exist_ok=True)
        with _part(target, data, mode) as part:
            if held is not None and not (target.is_file() and target.read_bytes() == held):
                raise Changed(str(path))
            os.replace(part, target)
    return True


def create(path: str | os.PathLike, data: str | bytes, *, mode: int | None = None) -> bool:
    """Make ``path`` with the content ``data`` (as ``replace`` does) in a folder that is there; False, and nothing is changed,
    where something has that name already, whoever was first. Raises ``WriteError``."""
    data, path = _bytes(data), Path(path)
    if os.path.lexists(path):
        return False
    with _named(path), _part(path, data, mode) as part:
        try:
            os.link(part, path)
        except FileExistsError:
            return False
        except OSError:  # a file system without hard links
            return _create_without_links(part, path, data, mode)
        return True


def _create_without_links(part: Path, path: Path, data: bytes, mode: int | None) -> bool:
    """By a rename where that never replaces (Windows), else in place: a reader may then see the beginning alone."""
    try:
        if os.name == "nt":
            os.rename(part, path)
        else:
            _write(path, data, mode)
    except FileExistsError:
        return False
    return True


@contextlib.contextmanager
def _part(target: Path, data: bytes, mode: int | None) -> Iterator[Path]:
    """A new file beside ``target`` with ``data`` on the disk; gone at the end unless it was renamed."""
    while True:
        part = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
        try:
            _write(part, data, mode)
            break
        except FileExistsError:
            continue
    try:
        yield part
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def _write(path: Path, data: bytes, mode: int | None) -> None:
    """Make ``path``, which must be new, with ``data`` on the disk; on a failure there is no such file."""
    # Asking the umask would set it for a moment, for every thread; opening with 0666 lets the system apply it.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags, 0o666 if mode is None else mode)
    try:
        with os.fdopen(handle, "wb") as file:
            if mode is not None:
                os.chmod(path, mode)
            file.write(data)
            file.flush()
            _sync(file.fileno())
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(path)
        raise


def _sync(handle: int) -> None:
    try:
        os.fsync(handle)
    except OSError as problem:
        if problem.errno not in _NO_SYNC:
            raise


@contextlib.contextmanager
def _named(path: Path) -> Iterator[None]:
    """Tell of ``path`` where the system tells of a file beside it, or of two."""
    try:
        yield
    except OSError as problem:
        raise WriteError(problem.errno, problem.strerror or str(problem), str(path)) from problem


def _bytes(data: str | bytes) -> bytes:
    return data.encode("utf-8") if isinstance(data, str) else data
