"""What ``check NAME --blank`` does: find the page or lay one out, judge it, keep the attempt. Standard library only."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

from learning import course
from learning.gates import blank_grade, blank_notebook, records
from learning.gates.blank import sentence
from learning.gates.blank_contract import Page
from learning.judge import cells
from learning.judge.engine import Graded
from learning.judge.finding import CheckResult
from learning.judge.score import report_lines
from learning.lesson import Lesson, LessonError
from learning.workshops import machine
from learning.workshops.console import command, say
from learning.workshops.unavailable import Unavailable
from learning.workshops.work import Places


def check(lesson: Lesson, chosen: Namespace, places: Places, grade: Callable[..., Graded]) -> int:
    """Judge the lesson's blank page that ``chosen.blank`` names ("0" the newest, "new" another); the exit status.

    A page that is laid out now, or still empty, is TODO. Raises ``Unavailable`` for a number that no page has, for a folder
    that cannot be written and for a file that is no notebook.
    """
    from learning.workshops import command as commands

    if lesson.kind == "gpu":
        machine.need_packages(lesson)  # what a page asks for is stated with torch
    log = places.log(lesson)
    page, made = _page(lesson, chosen.blank, places, chosen.anyway)
    path = log.parent / page.file
    say(f"{lesson.slug} ({lesson.id}), blank page {page.number}: {', '.join(page.names)} in {places.shown(path)}")
    if made:
        say(f"  {made}: open it, write it from memory, save it, and have it judged by:")
        say(f"    {command(f'{lesson.slug} --blank {page.number}' + (' --interpret' if chosen.interpret else ''))}")
        return commands.TODO
    try:
        device, card, told = machine.open_for(lesson, interpret=chosen.interpret)
    except Unavailable as missing:
        raise Unavailable(str(missing).replace("--interpret", "--blank --interpret")) from None
    if told:
        say(f"  {told.split(': gate 06')[0]}")
    try:
        learner = blank_grade.from_notebook(page, path)
    except FileNotFoundError:
        raise Unavailable(
            f"{places.shown(path)} is gone; {command(lesson.slug + ' --blank new')} draws another"
        ) from None
    except (OSError, course.NotebookError) as error:
        raise Unavailable(str(error)) from None
    say()
    graded = blank_grade.grade(page, learner, device=device, engine=grade, progress=_show)
    for fault in graded.faults:
        say(f"while loading your code: {fault.sentence()}")
    if graded.todo:
        say("Still TODO: nothing is written on the page yet.")
    else:
        say()
        say(sentence(page, graded))
        say(f"How your code was run: {graded.sandbox}")
    try:
        blank_grade.keep(log, page, graded, learner.sources(), card=card, via="check")
    except (OSError, records.RecordError) as error:
        say(f"Progress was not saved: {getattr(error, 'strerror', None) or error}")
    return commands.status(graded)


def _page(lesson: Lesson, wanted: str, places: Places, forced: bool) -> tuple[Page, str]:
    """The page, and what was done where it was laid out now. While nothing is written on the newest page "new" gives that one,
    unless another is ``forced``: draws are few, and one that was seen and left is spent."""
    log = places.log(lesson)
    try:
        kept = records.read(log).records
        number = 0 if wanted == "new" else int(wanted)
        page = None if wanted == "new" else blank_grade.found(kept, lesson.slug, number)
        if page is None and number:
            raise Unavailable(
                f"there is no blank page {number} of {lesson.slug}; {command(lesson.slug + ' --blank new')}"
            )
        newest = blank_grade.found(kept, lesson.slug, 0) if wanted == "new" and not forced else None
        if newest is not None and _empty(newest, log.parent / newest.file):
            return newest, "nothing is written on it yet, so no other is drawn (--blank new --anyway draws one)"
        if page is not None:
            return page, ""
        return blank_grade.lay_out(lesson, log), "laid out"
    except (OSError, records.RecordError, LessonError) as error:
        raise Unavailable(f"{places.shown(log.parent)}: {getattr(error, 'strerror', None) or error}") from None


def _empty(page: Page, path: Path) -> bool:
    """Whether the page is there with nothing written on it; one that cannot be read is not."""
    try:
        learner = blank_grade.from_notebook(page, path)
    except (OSError, course.NotebookError):
        return False
    starters = [
        course.text(each) for each in blank_notebook.notebook(page)["cells"] if course.role(each) == cells.ANSWER
    ]
    answers = [cell.source for cell in learner.cells if cell.role == cells.ANSWER]
    return all(any(cells.is_todo(answer, starter) for starter in starters) for answer in answers)


def _show(result: CheckResult) -> None:
    if result.finding is None or result.finding.rule != "todo":
        for line in report_lines(result):
            say(line)
