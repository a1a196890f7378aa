"""The circumstances a check runs under: lesson, device, seeds, the learner's cells, who listens.

A notebook's set-up cell opens one setting, the engine another; checks read the current one and never know which.
Standard library only.
"""

from __future__ import annotations

import contextlib
import contextvars
import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any


def public_seed(slug: str, check: str, case: str) -> int:
    """The published 63-bit seed of a public case: SHA-256 of ``slug|check|case``, the same everywhere."""
    digest = hashlib.sha256(f"{slug}|{check}|{case}".encode()).digest()
    return int.from_bytes(digest[:8], "little") >> 1


@dataclass
class Setting:
    """``lesson`` is the slug; ``device`` where answers run ("cuda", "interpreter" or "cpu"; "" asks
    ``learning.lens.device`` at the first check); ``seed(slug, check, case)`` gives a case's seed; ``cells()`` returns
    the learner's cells as ``(name, source)`` pairs, oldest first; ``listeners`` receive every ``CheckResult``;
    ``resources`` holds what an engine lends to checks (the anchor of a benchmark, say); ``setups`` are the lesson's own
    set-up cells; ``answers()`` returns the names of the cells that run whole, whatever an entry reaches; ``torch_calls`` gathers, where it is a set, what the submission called in all its checks.
    """

    lesson: str = ""
    device: str = ""
    seed: Callable[[str, str, str], int] = public_seed
    cells: Callable[[], list[tuple[str, str]]] = list
    listeners: list[Callable[[Any], None]] = field(default_factory=list)
    raise_failures: bool = False
    resources: dict[str, Any] = field(default_factory=dict)
    setups: list[tuple[str, str]] = field(default_factory=list)
    answers: Callable[[], list[str]] = list
    torch_calls: set[str] | None = None


_current: contextvars.ContextVar[Setting | None] = contextvars.ContextVar("learning_setting", default=None)
_default = Setting()


def current() -> Setting:
    """The setting in force: the innermost ``use``, else the one given to ``install``, else an empty one."""
    return _current.get() or _default


def install(setting: Setting) -> None:
    """Make ``setting`` the process's default, as a notebook's bootstrap cell does."""
    global _default
    _default = setting


@contextlib.contextmanager
def use(setting: Setting) -> Iterator[Setting]:
    """Put ``setting`` in force inside the ``with`` block."""
    token = _current.set(setting)
    try:
        yield setting
    finally:
        _current.reset(token)
