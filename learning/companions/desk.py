"""A lesson's live checklist where the lesson itself is not open. Standard library only at module level."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from learning import host
from learning.companions import kept
from learning.gates import records
from learning.gates.progress import Progress
from learning.lesson import Lesson


class Desk:
    """What a checklist asks of a notebook's session, answered for a lesson in the learner's work: ``lesson``, its ``log`` or
    None, ``why`` nothing is kept where it is None, and ``changed``, functions called after a record was kept."""

    def __init__(self, lesson: Lesson, log: Path | None, why: str = ""):
        self.lesson, self.log, self.why = lesson, log, why
        self.changed: list[Callable[[], None]] = []

    @property
    def progress(self) -> Progress:
        """The lesson's gates by the records that exist now."""
        return kept.progress(self.lesson, self.evidence())

    def kept(self) -> records.Records:
        """What the log holds now, its damage included; nothing where nothing is kept."""
        if self.log is None:
            return records.Records()
        try:
            return records.read(self.log)
        except (OSError, records.RecordError) as error:
            return records.Records(damage=[records.Damage(0, str(error))])

    def evidence(self) -> list[dict]:
        """The sound records that exist now."""
        return self.kept().records

    def note(self, event: str, payload: dict, *, device: str = "") -> bool:
        """Append a record; False where it cannot be kept (``why`` says so)."""
        if self.log is None:
            return False
        try:
            records.append(self.log, event, self.lesson.slug, device=device, payload=payload)
        except (OSError, records.RecordError) as error:
            self.why = str(getattr(error, "strerror", None) or error)
            return False
        for tell in list(self.changed):
            with contextlib.suppress(Exception):
                tell()
        return True


def desk(name: str) -> Desk:
    """The desk of a lesson, by slug or id; under nbgrader it keeps nothing. Raises ``UnknownLesson`` with near names."""
    one = kept.one(name)
    if host.graded():
        return Desk(one.card, None, "nbgrader runs this notebook")
    return Desk(one.card, one.folder / records.FILE)


def checklist(name: str) -> Any:
    """The gates of a lesson as its own notebook shows them: what proves each, how to get the next, a box to tick by hand.

    Raises ``UnknownLesson`` with near names.
    """
    from learning.widgets.checklist import Checklist

    return Checklist(desk(name))
