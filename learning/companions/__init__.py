"""The ungraded notebooks beside the lessons: what they show comes from the learner's records, and nothing else keeps state.

Their text is ``<slug>.md`` in this folder; ``python -m learning.build`` makes ``notebooks/<slug>.ipynb`` of it. Standard library
only at module level: they open on a machine with nothing but Python.
"""

from __future__ import annotations

import platform
import sys
from pathlib import Path

from learning import course, host
from learning.sheet import Sheet, cell, table

FOLDER = Path(__file__).parent
ORDER = (
    "start_here", "checklist_and_plan", "gotchas_ledger", "blank_page", "glossary", "worksheet", "capstones",
    "portfolio", "reference_results", "for_instructors",
)  # fmt: skip
"""The companions in the order a learner meets them."""
PYTHON = (3, 11)


class CompanionError(RuntimeError):
    """A companion cannot do what was asked; the message says why and what to do. Shown without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [f"{type(self).__name__}: {self}"]


def begin(slug: str) -> Sheet:
    """What a companion's first cell shows: where progress is kept, and how much of it there is.

    Raises ``CompanionError`` for another name, or a Python the course does not run on.
    """
    if slug not in ORDER:
        raise CompanionError(f"there is no companion {slug!r}; there are {', '.join(ORDER)}")
    if sys.version_info < PYTHON:
        raise CompanionError(f"this is Python {platform.python_version()}; the course needs 3.11 or newer")
    from learning.companions import kept

    found = kept.lessons()
    proved, total = sum(one.state.proved for one in found), sum(one.state.total for one in found)
    rows = [
        ("Python", platform.python_version()),
        ("course", cell(course.described(Path.cwd()))),
        ("lessons here", str(len(found))),
        ("progress is kept in", cell(course.workspace())),
        ("gates proved", f"{proved} of {total}, in all lessons together"),
    ]
    if host.ends_with_runtime():
        rows.append(("on Colab", f"this disk ends with the runtime: `{host.KEPT_ON_DRIVE}`"))
    return Sheet(table(("", ""), rows))
