"""The report of a class: who earned what, what can be graded now, what waits for a GPU or for a person."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass

from nbgrader.api import Gradebook, MissingEntry
from nbgrader.plugins import ExportPlugin

from learning.files import replace
from learning.grading import save
from learning.grading.outcome import FAILED, GRADED, NOT_SUBMITTED, PENDING, Outcome
from learning.judge.finding import BROKEN, PASSED, WAITING
from learning.judge.score import plain, report_lines
from learning.unseen import spelt_out

MARKS = {PASSED: "✓", WAITING: "…", BROKEN: "!"}


@dataclass
class Points:
    """Points of one submission, or of nobody's where ``state`` is "not submitted".

    ``earned`` counts what has a score (a person's goes before the judge's), ``gradable`` what those cells are worth;
    ``waiting`` is worth what waits for a GPU, ``by_hand`` what waits for a person, ``broken`` what failed to grade.
    """

    student: str
    state: str
    earned: float = 0.0
    gradable: float = 0.0
    waiting: float = 0.0
    by_hand: float = 0.0
    broken: float = 0.0
    penalty: float = 0.0
    saved: save.Saved | None = None

    @property
    def total(self) -> float:
        return self.gradable + self.waiting + self.by_hand + self.broken

    def sentence(self) -> str:
        """``earned 14 of 16 gradable now · 2 waiting for a GPU · 4 by hand``, or the state where nothing is graded."""
        if self.state in (NOT_SUBMITTED, PENDING):
            return self.state
        parts = [f"earned {plain(self.earned)} of {plain(self.gradable)} gradable now"]
        rows = ((self.waiting, "waiting for a GPU"), (self.by_hand, "by hand"), (self.broken, "failed to grade"))
        parts += [f"{plain(points)} {what}" for points, what in rows if points]
        return " · ".join(parts)


def points_of(gradebook: Gradebook, assignment: str, student: str = "") -> list[Points]:
    """The points of every student in the gradebook for ``assignment``, or of one ``student``.

    Raises ``LookupError`` where the gradebook has no such assignment.
    """
    try:
        book = gradebook.find_assignment(assignment)
    except MissingEntry:
        known = ", ".join(other.name for other in gradebook.assignments) or "none"
        raise LookupError(f"the gradebook has no assignment {assignment!r}; it has: {known}") from None
    if student:
        return [
            _points(student, _submission(gradebook, assignment, student), save.load(gradebook, assignment, student))
        ]
    saved = save.all_saved(gradebook, assignment)
    submissions = {submission.student_id: submission for submission in book.submissions}
    return [_points(student.id, submissions.get(student.id), saved.get(student.id)) for student in gradebook.students]


def _submission(gradebook: Gradebook, assignment: str, student: str):
    try:
        return gradebook.find_submission(assignment, student)
    except MissingEntry:
        return None


def _points(student: str, submission, saved: save.Saved | None) -> Points:
    if submission is None:
        return Points(student, NOT_SUBMITTED)
    points = Points(student, saved.state if saved else PENDING, saved=saved)
    outcome = saved.outcome if saved else Outcome(PENDING)
    waiting = {result.check for result in outcome.waiting}
    for notebook in submission.notebooks:
        points.penalty += notebook.late_submission_penalty or 0.0
        for grade in notebook.grades:
            worth = grade.max_score
            settled = grade.manual_score is not None
            if settled or grade.auto_score is not None:
                points.earned += grade.score
                points.gradable += worth
            elif grade.name in waiting:
                points.waiting += worth
            elif grade.name in outcome.answered:
                points.by_hand += worth
            else:
                points.broken += worth
    return points


def one_line(student: str, outcome: Outcome) -> str:
    """One line of progress: who, points of the checks, each check's mark, seconds."""
    if outcome.state == FAILED:
        return spelt_out(f"{student}: failed to grade: {outcome.cause}", line=True)
    results = list(outcome.results.values())
    earned = sum(result.earned for result in results)
    decided = sum(result.points for result in results if result.state not in (WAITING, BROKEN))
    marks = "".join(MARKS.get(result.state, "✗") for result in results)
    again = ", from the store" if outcome.reused else f", {outcome.seconds:.2f} s"
    todo = ", not answered" if outcome.graded.todo else ""
    return f"{student}: {plain(earned)} of {plain(decided)} {marks}{todo}{again}"


def what_stays_open(outcomes: dict[str, Outcome]) -> list[str]:
    """Sentences on what waits for a GPU and what waits for a person; empty where nothing does."""
    waiting: dict[str, int] = {}
    by_hand: dict[str, int] = {}
    for outcome in outcomes.values():
        for result in outcome.waiting:
            waiting[result.check] = waiting.get(result.check, 0) + 1
        for name, answered in outcome.answered.items():
            by_hand[name] = by_hand.get(name, 0) + answered
    lines = [f"waiting for a GPU: {name} ({_counted(count)})" for name, count in sorted(waiting.items())]
    return lines + [f"to be graded by hand: {name} ({_counted(n)})" for name, n in sorted(by_hand.items()) if n]


def _counted(count: int) -> str:
    return f"{count} submission{'' if count == 1 else 's'}"


def table(rows: Iterable[Points]) -> list[str]:
    """The class as lines of text: student, state, the four sums, each check's mark."""
    rows = list(rows)
    width = max([len(row.student) for row in rows] + [7])
    lines = [f"{'student':<{width}}  {'state':<15}  points"]
    for row in rows:
        marks = "".join(MARKS.get(r.state, "✗") for r in row.saved.outcome.results.values()) if row.saved else ""
        lines.append(f"{row.student:<{width}}  {row.state:<15}  {row.sentence()}  {marks}".rstrip())
    return lines


def details(row: Points) -> list[str]:
    """Everything the record says of one submission, with the seeds that replay its cases: for instructors alone."""
    lines = [f"{row.student}: {row.state}: {row.sentence()}"]
    if row.saved is None:
        return lines
    outcome = row.saved.outcome
    lines.append(f"  lesson {outcome.lesson}, version {outcome.version}, submission {outcome.digest[:12] or 'unread'}")
    if outcome.cause:
        lines.append(f"  cause: {outcome.cause}")
    lines += [f"  note: {note}" for note in outcome.notes]
    if outcome.graded is None:
        return lines
    lines.append(f"  {outcome.graded.device}; {outcome.graded.sandbox}")
    lines += [f"  raised while loading: {fault.sentence()}" for fault in outcome.graded.faults]
    lines += [f"  left out: {text}" for text in outcome.graded.dropped]
    for result in outcome.results.values():
        lines += [f"  {line}" for line in report_lines(result)]
        finding = result.finding
        if result.hidden and finding is not None and finding.seed is not None:
            lines.append(f"    replay   case {finding.case!r}, seed {finding.seed}")
    return lines


class StateExport(ExportPlugin):
    """``nbgrader export``: nbgrader's columns and four more, so that ungraded work never reads as a zero.

    ``score`` and ``raw_score`` stay empty where a submission failed to grade, waits to be graded again, or does not
    exist; ``state`` says which.
    """

    COLUMNS = (
        "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email", "raw_score",
        "late_submission_penalty", "score", "max_score", "state", "gradable_now", "waiting_for_gpu", "by_hand",
    )  # fmt: skip

    def export(self, gradebook: Gradebook) -> None:
        from io import StringIO
        from pathlib import Path

        target = Path(self.to or "grades.csv")
        text = StringIO()
        writer = csv.DictWriter(text, self.COLUMNS, lineterminator="\n")
        writer.writeheader()
        save.TABLE.create(gradebook.engine, checkfirst=True)
        for assignment in gradebook.assignments:
            if self.assignment and assignment.name not in [str(name) for name in self.assignment]:
                continue
            for row in points_of(gradebook, assignment.name):
                if not self.student or row.student in [str(name) for name in self.student]:
                    writer.writerow(self._row(gradebook, assignment, row))
        replace(target, text.getvalue())
        self.log.info("Exported grades to %s", target)

    def _row(self, gradebook: Gradebook, assignment, points: Points) -> dict:
        student = gradebook.find_student(points.student)
        submission = _submission(gradebook, assignment.name, points.student)
        row = {
            "assignment": assignment.name, "duedate": assignment.duedate, "student_id": student.id,
            "last_name": student.last_name, "first_name": student.first_name, "email": student.email,
            "timestamp": submission.timestamp if submission else None, "max_score": assignment.max_score,
            "state": points.state,
        }  # fmt: skip
        if points.state == GRADED:
            row |= {
                "raw_score": points.earned, "late_submission_penalty": points.penalty,
                "score": max(0.0, points.earned - points.penalty), "gradable_now": points.gradable,
                "waiting_for_gpu": points.waiting, "by_hand": points.by_hand,
            }  # fmt: skip
        return {key: cell_of(value) for key, value in row.items()}


def cell_of(value: object) -> object:
    """A value as a cell of a CSV file. A spreadsheet computes a text that begins like a formula, so such a one gets an
    apostrophe before it, which spreadsheets do not show (OWASP, "CSV Injection")."""
    if isinstance(value, str) and value.lstrip()[:1] in ("=", "+", "-", "@", "\t", "\r") and value.strip():
        return f"'{value}"
    return "" if value is None else value
