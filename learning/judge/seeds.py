"""The secret seed: 32 random bytes that make the hidden cases a class's own, and how a case's seed follows from them.

The file lies outside the checkout, readable by its owner alone, and is made at the first grading. Standard library only.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import stat
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from learning.files import create, replace

SIZE = 32
"""Bytes of the secret."""

MODE = 0o600
"""Its owner reads and writes it, and nobody else."""

DEFAULT = "~/.config/triton-kernel-course/seed"
"""Where the secret lies unless ``grader_config.py`` names another place."""


class SeedError(RuntimeError):
    """The secret seed cannot be used as it lies there; the message names the file and the remedy."""


def secret(path: Path | str | None = None) -> Callable[[str, str, str], int]:
    """``seed(slug, check, case)`` from the secret at ``path``, in the form a ``Setting`` takes; see ``read``."""
    key = read(path)
    return lambda slug, check, case: case_seed(key, slug, check, case)


def read(path: Path | str | None = None) -> bytes:
    """The 32 bytes at ``path``, made there first (mode 0600) where no file is.

    Safe against two processes that race: one of them makes the file, and both read it. Raises ``SeedError`` for a file that
    is not a plain file of 32 bytes, that others may read, or that cannot be made.
    """
    place = Path(path or DEFAULT).expanduser()
    try:
        return _read(place)
    except FileNotFoundError:
        pass
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        create(place, secrets.token_bytes(SIZE), mode=MODE)
    except OSError as problem:
        raise SeedError(
            f"the secret seed cannot be written to {place} ({problem.strerror}); name a writable place outside the "
            "checkout in grader_config.py"
        ) from problem
    return _read(place)


def rotate(path: Path | str | None = None) -> Path | None:
    """Put a new secret at ``path`` and keep the old one beside it; returns the backup (``None``: there was no secret).

    The backup's name holds the time (UTC). The new secret replaces the old one in one step, so a grader that reads
    meanwhile gets the old or the new one, never half of each. Hidden cases change: everything must be graded again.
    """
    place = Path(path or DEFAULT).expanduser()
    try:
        old = _read(place)
    except FileNotFoundError:
        read(place)
        return None
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
    backup = place.with_name(f"{place.name}.{stamp}")
    number = 1
    while not create(backup, old, mode=MODE):
        number += 1
        backup = place.with_name(f"{place.name}.{stamp}-{number}")
    replace(place, secrets.token_bytes(SIZE), mode=MODE)
    return backup


def case_seed(key: bytes, slug: str, check: str, case: str) -> int:
    """The 63-bit seed of a case: HMAC-SHA256(key, slug, check, case), each part preceded by its length.

    The lengths keep ("ab", "c") and ("a", "bc") apart. It is the same for every submission of a class.
    """
    digest = hmac.new(key, digestmod=hashlib.sha256)
    for part in (slug, check, case):
        encoded = part.encode()
        digest.update(len(encoded).to_bytes(8, "little") + encoded)
    return int.from_bytes(digest.digest()[:8], "little") >> 1


def _read(place: Path) -> bytes:
    """The secret's bytes from a plain file of the right size that only its owner can open."""
    try:
        handle = os.open(place, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        raise
    except OSError as problem:
        raise SeedError(
            f"the secret seed {place} cannot be read ({problem.strerror}); the place that grader_config.py names must hold a plain file"
        ) from problem
    try:
        facts = os.fstat(handle)
        if not stat.S_ISREG(facts.st_mode):
            raise SeedError(f"the secret seed {place} is not a plain file; move it away and a new one is made")
        if os.name != "nt" and facts.st_mode & 0o077:
            raise SeedError(
                f"the secret seed {place} has mode {stat.S_IMODE(facts.st_mode):04o} and others could read it; "
                f"run: chmod 600 {place}, and rotate it if somebody may have"
            )
        data = os.read(handle, SIZE + 1)
    finally:
        os.close(handle)
    if len(data) != SIZE:
        held = f"{len(data)} bytes" if len(data) < SIZE else f"more than {SIZE} bytes"
        raise SeedError(
            f"the secret seed {place} holds {held} and must hold {SIZE}; restore it from a backup beside it, or move it "
            "away and regrade with a new one"
        )
    return data
