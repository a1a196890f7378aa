"""A notebook's own entry in a process beside it, where kernels are interpreted: on a GPU, what only a tracer sees.

Standard library only.
"""

from __future__ import annotations

import atexit
from typing import Any

from learning.judge import cells as roles
from learning.judge import engine, fleet, reach
from learning.judge.entry import Entry
from learning.judge.line import Line

_kept: list[Any] = []
"""The servers of this process and the line to the last worker, both ended with it."""


def entry(name: str, setups: list[tuple[str, str]], cells: list[tuple[str, str]], entries: tuple[str, ...]) -> Entry:
    """The newest definition of ``name`` in ``cells``, with what the ``entries`` need and the course's ``setups``, both
    ``(name, source)`` pairs, oldest first. The first call starts a server, which takes seconds."""
    if not _kept:
        servers = fleet.Servers()
        _kept.append(servers)
        atexit.register(_end)
    while len(_kept) > 1:
        _kept.pop().close()
    needed = reach.run_at_load(cells, [False] * len(cells), entries)
    loads: list[tuple] = [(f"setup-{cell}", source, roles.SETUP) for cell, source in setups]
    loads += [(cell, source, roles.EXTRA, keep) for (cell, source), keep in zip(cells, needed, strict=True)]
    line = Line(_kept[0], engine.INTERPRETED, loads, engine.Limits.on(engine.INTERPRETED), checks=1)
    line.begin()
    _kept.append(line)
    return Entry(name, line)


def _end() -> None:
    while _kept:
        _kept.pop().close()
