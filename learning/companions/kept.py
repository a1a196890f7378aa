"""All lessons with what the learner's records say of each. Standard library only."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from learning import course
from learning import lesson as cards
from learning.gates import records
from learning.gates.progress import Progress, progress
from learning.lesson import Lesson
from learning.sheet import cell


@dataclass(frozen=True)
class Kept:
    """One lesson: its ``card``, its ``folder`` in the learner's work, the ``log`` read from there, and the gates' ``state``."""

    card: Lesson
    folder: Path
    log: records.Records
    state: Progress

    @property
    def records(self) -> list[dict]:
        """The lesson's own sound records, oldest first."""
        return self.log.of(self.card.slug)

    @property
    def done(self) -> bool:
        return self.state.proved == self.state.total

    def proved(self, gate: str) -> bool:
        """Whether the gate of this id is proved; a gate that does not apply is not."""
        return any(one.id == gate and one.proved for one in self.state.gates)

    @property
    def link(self) -> str:
        """The lesson's name in Markdown, linked to the learner's notebook, else to the release, seen from ``notebooks/``."""
        name = cell(f"{self.card.id} {self.card.title}")
        notebooks = course.ROOT / "notebooks"
        for book in (self.folder / f"{self.card.slug}.ipynb", course.release(self.card.slug)):
            if book.is_file() and course.ROOT in book.absolute().parents:
                return f"[{name}]({Path(os.path.relpath(book.absolute(), notebooks)).as_posix()})"
        return name


def lessons(work: Path | None = None) -> list[Kept]:
    """Every lesson in course order with its records in ``work`` (by default where learners' folders are).

    A log that cannot be read counts as empty; its damage says why.
    """
    work = course.workspace() if work is None else work
    return [_read(card, work / card.slug) for card in cards.discover()]


def one(slug: str, work: Path | None = None) -> Kept:
    """The same for one lesson, by slug or id; raises ``UnknownLesson`` with near names."""
    card = cards.find(slug)
    return _read(card, (course.workspace() if work is None else work) / card.slug)


def _read(card: Lesson, folder: Path) -> Kept:
    try:
        log = records.read(folder / records.FILE)
    except (OSError, records.RecordError) as error:
        log = records.Records(damage=[records.Damage(0, str(error))])
    return Kept(card, folder, log, progress(card, log.records))
