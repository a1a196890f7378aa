"""A blank page laid out, found again and judged: the same for a notebook's call and for the terminal.

Standard library only at module level.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from learning import course
from learning.files import create
from learning.gates import blank_contract, blank_notebook, blank_record, evidence, records
from learning.gates.blank_contract import Page
from learning.gates.fingerprint import fingerprint
from learning.judge import cells, match, statements
from learning.judge.cells import Cell, LearnerCells
from learning.judge.engine import Graded
from learning.judge.finding import PASSED
from learning.lesson import Lesson, LessonError

MOST_PAGES = 999


def newest(kept: list[dict], slug: str) -> Page | None:
    """The page drawn last, None where none was."""
    return found(kept, slug, 0)


def found(kept: list[dict], slug: str, number: int) -> Page | None:
    """Page ``number`` as the records have it (0: the newest), None where no record names it, or its variation is gone."""
    pages = [page for page in blank_record.pages(kept, slug) if number in (0, page.number)]
    for one in reversed(pages):
        try:
            return blank_contract.page(slug, one.variation, one.number)
        except LessonError:
            continue
    return None


def lay_out(card: Lesson, log: Path, *, chance: random.Random | None = None) -> Page:
    """Draw a variation, write its notebook beside ``log`` under the next free number, and record the draw.

    No file is ever replaced. Raises ``OSError`` where the folder cannot be written, ``RecordError`` for a log that cannot.
    """
    kept = records.read(log).records
    entries = [one.entry for one in blank_contract.variations(card)]
    entry = blank_record.draw(kept, card.slug, entries, chance)
    first = max((page.number for page in blank_record.pages(kept, card.slug)), default=0) + 1
    log.parent.mkdir(parents=True, exist_ok=True)
    for number in range(first, MOST_PAGES + 1):
        page = blank_contract.page(card.slug, entry, number)
        if create(log.parent / page.file, blank_notebook.dumps(blank_notebook.notebook(page))):
            _record(log, page, blank_record.DRAWN)
            return page
    raise OSError(f"{log.parent} holds {MOST_PAGES} blank pages; move some away")


def restore(page: Page, folder: Path) -> bool:
    """Write the page's notebook again where the file is gone; whether it was."""
    path = folder / page.file
    return not path.exists() and create(path, blank_notebook.dumps(blank_notebook.notebook(page)))


def from_history(page: Page, history: list[tuple[str, str]]) -> LearnerCells:
    """A kernel's cells, oldest first, as a submission: the newest that defines a name the page asks for runs whole, of the
    others what these need."""
    wanted, whole = set(page.card.entries), set()
    for place in range(len(history) - 1, -1, -1):
        mine = statements.defined(history[place][1]) & wanted
        if mine:
            whole.add(place)
            wanted -= mine
    roles = [cells.ANSWER if place in whole else cells.EXTRA for place in range(len(history))]
    return LearnerCells([Cell(name, source, role) for (name, source), role in zip(history, roles, strict=True)])


def from_notebook(page: Page, path: Path) -> LearnerCells:
    """A saved page as a submission; raises what ``course.load`` raises."""
    return match.learner_cells(course.load(path), blank_notebook.notebook(page))


def grade(page: Page, learner: LearnerCells, *, device: str, engine: Callable[..., Graded], **more: Any) -> Graded:
    """The page's checks, by the engine and a worker."""
    return engine(page.card, learner, notebook=blank_notebook.judged(page), hidden=False, device=device, **more)


def keep(log: Path, page: Page, graded: Graded, sources: list, *, card: str, via: str) -> dict:
    """Record what became of an attempt; raises what ``records.append`` raises."""
    states = {result.state for result in graded.results}
    state = blank_record.PASSED if states == {PASSED} and not graded.todo else blank_record.FAILED
    return _record(
        log, page, blank_record.TODO if graded.todo else state, device=graded.device,
        source=fingerprint(sources, page.names), checks=[evidence.brief(result) for result in graded.results],
        card=card, via=via,
    )  # fmt: skip


def _record(log: Path, page: Page, state: str, *, device: str = "", source: str = "", **more: Any) -> dict:
    payload = {"page": page.number, "variation": page.variation.entry, "state": state, "file": page.file, **more}
    return records.append(log, "attempt", page.lesson.slug, device=device, source=source, payload=payload)
