"""A check run in words: plain lines that need no colour. Standard library only."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator

from learning import course
from learning.judge.engine import Graded
from learning.judge.finding import BROKEN, FAILED, PASSED, WAITING
from learning.judge.score import plain
from learning.lens.cards import card
from learning.lesson import LEVELS, Lesson
from learning.workshops.console import command

WIDTH = 100
OUTCOMES = {
    0: "passed",
    1: "not right yet",
    2: "still TODO",
    3: "not checked: something needed is not available",
    70: "the checker failed",
}
_WHERE = {"cuda": "on the GPU", "interpreter": "in Triton's interpreter", "cpu": "on the CPU"}


def listing(lessons: list[Lesson], progress: Callable[[Lesson], str]) -> Iterator[str]:
    """The lessons by level, each with id, name, minutes, where it runs, its progress and its sentence."""
    for level in LEVELS:
        chosen = [lesson for lesson in lessons if lesson.level == level]
        if not chosen:
            continue
        yield level
        for lesson in chosen:
            where = "CPU" if lesson.kind == "cpu" else "GPU"
            yield f"  {lesson.id:<4}{lesson.slug:<24}{where}  {lesson.minutes:>3} min  {progress(lesson)}"
            yield from wrapped(lesson.sentence, indent=6)
    yield ""
    yield f"Check one with: {command('NAME')}"


def wrapped(text: str, indent: int = 0) -> Iterator[str]:
    """``text`` in lines of at most 100 characters, its own line breaks kept."""
    for line in text.splitlines():
        yield from textwrap.wrap(line, WIDTH, initial_indent=" " * indent, subsequent_indent=" " * indent) or [""]


def after(graded: Graded, notebook: dict) -> Iterator[str]:
    """What follows the checks: faults and oddities of the file, the sum, what was not run, what held the code."""
    for fault in graded.faults:
        yield f"while loading your code: {fault.sentence()}"
    for note in graded.dropped:
        yield f"note: {note}"
    yield ""
    yield summary(graded)
    yield from _not_run(notebook)
    if graded.sandbox:
        yield f"How your code was run: {graded.sandbox}"


def summary(graded: Graded) -> str:
    """One sentence: how many public checks passed where, for how many points, and what keeps the rest."""
    results = graded.results
    passed = sum(result.state == PASSED for result in results)
    points = f"{plain(sum(r.earned for r in results))} of {plain(sum(r.points for r in results))} points"
    where = _WHERE.get(graded.device, "")
    if graded.target:
        where = f"on a virtual {card(graded.target).name} (compiled for it, computed in Triton's interpreter)"
    text = f"{passed} of {len(results)} public checks passed {where}, {points}."
    waiting = sum(result.state == WAITING for result in results)
    broken = sum(result.state == BROKEN for result in results)
    wrong = sum(result.state == FAILED for result in results)
    if wrong:
        text += f" {wrong} {'is' if wrong == 1 else 'are'} not right yet."
    if waiting:
        text += f" {waiting} {'waits' if waiting == 1 else 'wait'} for a GPU, so this is not complete."
    if broken:
        text += f" {broken} could not be decided: the checker failed, which says nothing about your answer."
    if any(result.skipped for result in results if result.state == PASSED):
        text += " Cases marked as skipped were not run here."
    return text


def _not_run(notebook: dict) -> Iterator[str]:
    hidden = course.grade_cells(notebook, "hidden")
    if hidden:
        total = plain(sum(points for _, points in hidden))
        checks = "1 hidden check" if len(hidden) == 1 else f"{len(hidden)} hidden checks"
        yield f"Not run here: {checks} ({total} points); your grader runs them."
    by_hand = sum(points for _, points in course.grade_cells(notebook, "explain"))
    if by_hand:
        yield f"Not decided here: your explanation ({plain(by_hand)} points), which a person reads."
