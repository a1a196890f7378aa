"""The blank page: a kernel written again from memory, against a contract bent so that memory alone is not enough.

    blank_page("vector_add")                  # lays out blank_1.ipynb, once it is due: a brief, two empty cells, a judge
    blank_page("vector_add", now=True)        # the same, due or not
    blank_page("vector_add", another=True)    # draws another variation, as blank_2.ipynb

    judge()                                   # in the page itself: the engine's verdict, kept as an ``attempt`` record

A pass proves gate 11. The page is judged by the engine that grades submissions, in a worker; a terminal asks the same with
``python -m learning.workshops.check vector_add --blank``. Standard library only at module level.
"""

from __future__ import annotations

import atexit
import datetime
import html
import os
from pathlib import Path
from typing import Any

from learning import course, host
from learning import lesson as lessons
from learning.gates import blank_contract, blank_grade, blank_notebook, blank_record, parity_record, records
from learning.gates.blank_contract import Page
from learning.gates.comparison import Shown
from learning.history import History
from learning.judge import setting as settings
from learning.judge.finding import PASSED
from learning.judge.score import report_html, report_lines
from learning.tables import Rows

_open: list[Opened] = []
_servers: list[Any] = []


class BlankPageError(RuntimeError):
    """A blank page cannot be laid out or judged here; the message says why and what to do."""

    def _render_traceback_(self) -> list[str]:
        return [f"BlankPageError: {self}"]


class Opened(Rows):
    """A blank page that is open in this kernel; its display is the machine table and what the page is."""

    def __init__(self, page: Page, session: Any):
        self.page, self.session = page, session
        self.history = History(page.card, blank_notebook.notebook(page))

    def rows(self) -> list[tuple[str, str]]:
        rows = [row for row in self.session.rows() if row[0] not in ("waits for a GPU", "stays open here")]
        return [("blank page", f"{self.page.number} of {self.page.lesson.slug}: {', '.join(self.page.names)}"), *rows]


def blank_page(name: str, *, now: bool = False, another: bool = False) -> Shown:
    """Lay out a blank page of lesson ``name`` (its slug or id) as ``blank_<n>.ipynb`` in the lesson's folder in ``work/``, or
    beside the lesson's notebook where that is open; files are never replaced.

    The first page is due a night after the lesson's answer has passed. Before that nothing is drawn unless ``now`` asks for it: a
    lesson's notebook calls this whenever all its cells are run. The variation is drawn from the lesson's own, those drawn before
    last of all; the draw is recorded. A page that has not passed yet is named again, not drawn again, unless ``another`` asks
    for it; after one that has, ``now`` and ``another`` draw the next. Raises ``UnknownLesson``, and ``BlankPageError`` where the
    folder cannot be written.
    """
    card = lessons.find(name)
    log, why = place(card)
    if log is None:
        return Shown(f"No page is laid out here: {why}.")
    try:
        kept = records.read(log).records
        page = blank_grade.newest(kept, card.slug)
        passed = page is not None and blank_record.pages(kept, card.slug)[-1].state == blank_record.PASSED
        if not (now or another) and (page is None or passed):
            early = _passed(page) if page is not None else _early(card, kept)
            if early is not None:
                return early
        if page is None or passed or another:
            page, told = blank_grade.lay_out(card, log), "is laid out"
        else:
            told = "was gone and is laid out again" if blank_grade.restore(page, log.parent) else "waits for you"
    except (OSError, records.RecordError) as error:
        raise BlankPageError(f"{log.parent}: {getattr(error, 'strerror', None) or error}") from None
    return _invitation(page, log.parent, told)


def place(card: lessons.Lesson) -> tuple[Path | None, str]:
    """The log a page of ``card`` belongs to, and why there is none where there is none."""
    session = settings.current().resources.get("session")
    if session is not None and session.lesson.slug == card.slug:
        return session.log, session.why
    if host.graded():
        return None, "nbgrader runs this notebook"
    return course.workspace() / card.slug / records.FILE, ""


def open_page(slug: str, entry: str, number: int) -> Opened:
    """Open page ``number``, which asks for ``entry``, in this kernel; a page's first cell calls it after ``session.begin``.

    The lesson's own evidence rests meanwhile. Raises ``LessonError`` for a variation that does not exist.
    """
    session = settings.current().resources.get("session")
    if session is None or session.lesson.slug != slug:
        from learning import session as sessions

        session = sessions.begin(slug)
    session.rest()
    _open[:] = [Opened(blank_contract.page(slug, entry, number), session)]
    return _open[0]


def judge() -> Shown:
    """Judge the page that is open: its three checks, by the engine, in a worker; kept as an ``attempt`` record.

    Raises ``BlankPageError`` where no page is open.
    """
    if not _open:
        raise BlankPageError("no blank page is open in this kernel: run the page's first cell")
    opened = _open[0]
    page, session = opened.page, opened.session
    history = opened.history.cells()
    device = session.device.place if session.device is not None else "cpu"
    graded = blank_grade.grade(
        page, blank_grade.from_history(page, history), device=device, engine=_engine(), servers=_warm()
    )
    if graded.todo:
        return Shown("Still empty: write `reference`, then the kernel, run both cells, and ask again.")
    kept = session.log is not None
    if kept:
        card = session.device.name if session.device is not None else "CPU"
        try:
            blank_grade.keep(session.log, page, graded, history, card=card, via="notebook")
        except (OSError, records.RecordError) as error:
            kept, session.why = False, str(error)
    return report(page, graded, "" if kept else f"Not kept: {session.why}.")


def report(page: Page, graded: Any, note: str = "") -> Shown:
    """The three checks, and in a sentence what that makes of the page."""
    lines = [line for result in graded.results for line in report_lines(result)]
    lines += [f"while loading your code: {fault.sentence()}" for fault in graded.faults]
    tail = [sentence(page, graded), *([note] if note else [])]
    markup = report_html(graded.results) + "".join(f"<p>{html.escape(line)}</p>" for line in tail)
    return Shown("\n".join([*lines, "", *tail]), markup=markup)


def sentence(page: Page, graded: Any) -> str:
    """What an attempt came to; of a pass, what had changed against the lesson."""
    passed = sum(result.state == PASSED for result in graded.results)
    if passed == len(graded.results):
        where = "on the GPU" if graded.device == "cuda" else "without a GPU, which counts here"
        where = "on the CPU" if graded.device == "cpu" else where
        return f"Passed {where}: gate 11 is proved. What had changed: {page.variation.changes}"
    return (
        f"{passed} of {len(graded.results)} checks passed. The page stays as it is; ask again when you have changed it."
    )


def _early(card: lessons.Lesson, kept: list[dict]) -> Shown | None:
    """When the first page is due; None where it is."""
    due = parity_record.morning_after(record for record in kept if record["lesson"] == card.slug)
    if due is not None and due <= datetime.datetime.now(datetime.UTC):
        return None
    when = (
        f"From {due:%Y-%m-%d, %H:%M} on" if due is not None else "A night after your own answer has passed its checks"
    )
    return Shown(
        f"No page is drawn yet. {when} this cell draws one: what is still there then, you have learned. "
        f'To have it now all the same: blank_page("{card.slug}", now=True).'
    )


def _passed(page: Page) -> Shown:
    return Shown(
        f'{page.file}, {page.variation.entry}, has passed. Another: blank_page("{page.lesson.slug}", another=True).'
    )


def _invitation(page: Page, folder: Path, told: str) -> Shown:
    shown = os.path.relpath(folder / page.file)
    where = f" as {shown}" if shown != page.file else ""
    rest = (
        f"{told}{where}. Close this notebook before you open it. Another variation: "
        f'blank_page("{page.lesson.slug}", another=True).'
    )
    address = html.escape(Path(shown).as_posix(), quote=True)
    markup = f'<p><a href="{address}">{html.escape(page.file)}</a> {html.escape(rest)}</p>'
    return Shown(f"{page.file} {rest}", f"[{page.file}]({Path(shown).as_posix()}) {rest}", markup)


def _engine() -> Any:
    from learning.judge import engine

    return engine.grade


def _warm() -> Any:
    """Worker servers of this kernel, started once and ended with it."""
    from learning.judge import fleet

    if not _servers:
        _servers.append(fleet.Servers())
        atexit.register(_end)
    return _servers[0]


def _end() -> None:
    while _servers:
        _servers.pop().close()
