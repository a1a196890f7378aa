"""Write outcomes into nbgrader's gradebook: one submission, one transaction; scores come from records alone."""

from __future__ import annotations

import contextlib
import datetime
import json
from collections.abc import Iterable
from dataclasses import dataclass

from nbgrader.api import (
    Assignment,
    Comment,
    Grade,
    Gradebook,
    GradeCell,
    Notebook,
    SolutionCell,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
    TaskCell,
)  # fmt: skip
from sqlalchemy import Column, DateTime, MetaData, String, Table, Text, bindparam, delete, insert, select, update

from learning.grading.outcome import FAILED, GRADED, PENDING, Outcome
from learning.judge.finding import FAILED as WRONG
from learning.judge.finding import PASSED

TABLE = Table(
    "learning_outcome",
    MetaData(),
    Column("assignment", String(128), primary_key=True),
    Column("student", String(128), primary_key=True),
    Column("state", String(32), nullable=False),
    Column("digest", String(64), nullable=False),
    Column("saved", DateTime, nullable=False),
    Column("record", Text, nullable=False),
)
"""Our one table beside nbgrader's own, so that a score and the record it came from change in the same transaction."""


@dataclass
class Saved:
    """A row of ``TABLE``: the state the report shows, and the outcome as it was saved last."""

    student: str
    state: str
    outcome: Outcome
    saved: datetime.datetime


@contextlib.contextmanager
def opened(db_url: str, course_id: str = "default_course"):
    """nbgrader's gradebook at ``db_url`` with our table in it."""
    with Gradebook(db_url, course_id) as gradebook:
        TABLE.create(gradebook.engine, checkfirst=True)
        yield gradebook


@contextlib.contextmanager
def uncommitted(gradebook: Gradebook):
    """Within this, what nbgrader's own methods would commit is written and left to the caller's next commit."""
    session = gradebook.db()
    session.commit = session.flush
    try:
        yield
    finally:
        del session.commit


def differences(
    gradebook: Gradebook, assignment: str, notebook: str, grades: dict[str, tuple[float, str]]
) -> list[str]:
    """Sentences on where the gradebook's grade cells differ from the instructor's notebook; empty where they agree.

    ``grades`` maps grade id to (points, cell type).
    """
    rows = gradebook.db.execute(
        select(GradeCell.name, GradeCell.max_score, GradeCell.cell_type)
        .join(Notebook, Notebook.id == GradeCell.notebook_id)
        .join(Assignment, Assignment.id == Notebook.assignment_id)
        .where(Assignment.name == assignment, Notebook.name == notebook)
    )
    tasks = gradebook.db.execute(
        select(TaskCell.name, TaskCell.max_score, TaskCell.cell_type)
        .join(Notebook, Notebook.id == TaskCell.notebook_id)
        .join(Assignment, Assignment.id == Notebook.assignment_id)
        .where(Assignment.name == assignment, Notebook.name == notebook)
    )
    have = {name: (float(points), kind) for name, points, kind in [*rows, *tasks]}
    if not have:
        return [f"the gradebook has no notebook {notebook!r} for the assignment {assignment!r}"]
    found = [f"{name} is in the source and not in the gradebook" for name in grades if name not in have]
    found += [f"{name} is in the gradebook and not in the source" for name in have if name not in grades]
    for name in grades.keys() & have.keys():
        if grades[name] != have[name]:
            now, then = grades[name], have[name]
            found.append(
                f"{name}: {now[0]:g} points ({now[1]}) in the source, {then[0]:g} ({then[1]}) in the gradebook"
            )
    return sorted(found)


def pending(gradebook: Gradebook, assignment: str, students: Iterable[str]) -> None:
    """Mark what was saved for ``students`` as "regrade pending"; their new outcome replaces mark and scores at once."""
    names = list(students)
    for first in range(0, len(names), 500):
        gradebook.db.execute(
            update(TABLE)
            .where(TABLE.c.assignment == assignment, TABLE.c.student.in_(names[first : first + 500]))
            .values(state=PENDING)
        )
    gradebook.db.commit()


def save(gradebook: Gradebook, assignment: str, notebook: str, student: str, outcome: Outcome) -> None:
    """Replace the automatic scores of one submission and its record in one transaction.

    A check with a verdict gets its points. One without (it waits for a GPU, the judge failed, the submission could
    not be read) gets no score and needs a grader. An answer that is graded by hand gets 0 where it is untouched and
    no automatic score otherwise. A grade given by hand stays settled while the submitted bytes are the same and asks
    to be looked at again when they changed. Raises ``LookupError`` where the gradebook has no such submission.
    """
    db = gradebook.db
    try:
        before = _row(db, assignment, student)
        same = before is not None and before.digest == outcome.digest
        submitted = db.execute(
            select(SubmittedNotebook.id, Notebook.id)
            .join(Notebook, Notebook.id == SubmittedNotebook.notebook_id)
            .join(SubmittedAssignment, SubmittedAssignment.id == SubmittedNotebook.assignment_id)
            .join(Assignment, Assignment.id == SubmittedAssignment.assignment_id)
            .join(Student, Student.id == SubmittedAssignment.student_id)
            .where(Assignment.name == assignment, Student.id == student, Notebook.name == notebook)
        ).first()
        if submitted is None:
            raise LookupError(f"the gradebook has no submission of {assignment!r} by {student!r}")
        _grades(db, *submitted, outcome, same)
        _comments(db, *submitted, outcome)
        db.execute(delete(TABLE).where(TABLE.c.assignment == assignment, TABLE.c.student == student))
        db.execute(
            insert(TABLE).values(
                assignment=assignment, student=student, state=FAILED if outcome.failed_to_grade else GRADED,
                digest=outcome.digest, saved=datetime.datetime.now(datetime.UTC).replace(tzinfo=None),
                record=json.dumps(outcome.as_dict()),
            )
        )  # fmt: skip
        db.commit()
    except BaseException:
        db.rollback()
        raise


def _grades(db, submitted: str, notebook: str, outcome: Outcome, same: bool) -> None:
    names = dict(db.execute(select(GradeCell.id, GradeCell.name).where(GradeCell.notebook_id == notebook)).all())
    names |= dict(db.execute(select(TaskCell.id, TaskCell.name).where(TaskCell.notebook_id == notebook)).all())
    rows = db.execute(
        select(Grade.id, Grade.cell_id, Grade.manual_score, Grade.needs_manual_grade).where(
            Grade.notebook_id == submitted
        )
    ).all()
    changes = []
    for grade, cell, by_hand, asks in rows:
        score = automatic(names.get(cell, ""), outcome)
        asks = (asks or not same) if by_hand is not None else score is None
        changes.append({"row": grade, "auto_score": score, "needs_manual_grade": asks})
    _change(db, Grade, changes)


def _change(db, table, rows: list[dict]) -> None:
    """Update columns of ``table`` in one statement; each row names its ``row`` (an id) and the new values."""
    if rows:
        columns = {name: bindparam(name) for name in rows[0] if name != "row"}
        statement = table.__table__.update().where(table.__table__.c.id == bindparam("row")).values(**columns)
        db.connection().execute(statement, rows)


def automatic(name: str, outcome: Outcome) -> float | None:
    """The automatic score of grade cell ``name``: None where there is no verdict."""
    if outcome.state == FAILED:
        return None
    if name in outcome.answered:
        return None if outcome.answered[name] else 0.0
    result = outcome.results.get(name)
    return float(result.earned) if result is not None and result.state in (PASSED, WRONG) else None


def _comments(db, submitted: str, notebook: str, outcome: Outcome) -> None:
    names = dict(
        db.execute(select(SolutionCell.id, SolutionCell.name).where(SolutionCell.notebook_id == notebook)).all()
    )
    rows = db.execute(select(Comment.id, Comment.cell_id).where(Comment.notebook_id == submitted)).all()
    untouched = {cell: outcome.answered.get(name, True) is False for cell, name in names.items()}
    changes = [{"row": row, "auto_comment": "No response." if untouched.get(cell) else None} for row, cell in rows]
    _change(db, Comment, changes)


def _row(db, assignment: str, student: str):
    return db.execute(select(TABLE).where(TABLE.c.assignment == assignment, TABLE.c.student == student)).first()


def load(gradebook: Gradebook, assignment: str, student: str) -> Saved | None:
    """What was saved last for ``student``, or None."""
    row = _row(gradebook.db, assignment, student)
    return None if row is None else Saved(row.student, row.state, Outcome.from_dict(json.loads(row.record)), row.saved)


def all_saved(gradebook: Gradebook, assignment: str) -> dict[str, Saved]:
    """What was saved last for every student of ``assignment``."""
    rows = gradebook.db.execute(select(TABLE).where(TABLE.c.assignment == assignment).order_by(TABLE.c.student))
    return {
        row.student: Saved(row.student, row.state, Outcome.from_dict(json.loads(row.record)), row.saved) for row in rows
    }
