"""Notebooks damaged at random: each is read rightly or gets a named cause, in bounded memory, and no batch stops."""

from __future__ import annotations

import json
import os
import random
import resource

import nbformat
import pytest

from learning import course as clone
from learning.grading import ingest
from learning.grading.outcome import GRADED, Outcome
from learning.grading.rebuild import Instructor, as_text, fill_outputs, rebuild
from learning.grading.slot import _answered, _layout
from learning.judge import match
from tests.grading.conftest import LESSON
from tests.grading.kit import role, text
from tests.grading.mutator import HARMFUL, HARMLESS, ON_BYTES, damaged
from tests.grading.test_ingest import runs_like

LESSONS = sorted(path.stem for path in clone.ROOT.glob("release/*/*.ipynb"))
QUICK, MANY, BATCH = 60, 500, 48
MOST_GROWTH = 700 << 10
"""Kilobytes by which reading five hundred of them may raise the process's peak."""
ANSWER = "MINE = 7\n\n\ndef {entry}(*mine):\n    '''My own answer, told from the starter by its text.'''\n    return mine, MINE\n"


class Book:
    """A lesson's release with an answer typed in, and what the grader matches against."""

    def __init__(self, slug: str):
        self.slug = slug
        self.instructor = Instructor.read(clone.source(slug))
        self.release = json.loads(json.dumps(self.instructor.release))
        self.notebook = json.loads(clone.release(slug).read_text())
        answer = next(c for c in self.notebook["cells"] if role(c) == "answer")
        self.answer = _definitions(text(answer))
        answer["source"] = self.answer


def _definitions(starter: str) -> str:
    """The starter's functions, each with a body of its own."""
    import ast

    names = [node.name for node in ast.parse(starter).body if isinstance(node, ast.FunctionDef)]
    return "\n\n".join(ANSWER.format(entry=name) for name in names)


@pytest.fixture(scope="session")
def books() -> list[Book]:
    return [Book(slug) for slug in LESSONS]


def follow(book: Book, seed: int, folder) -> tuple[str, int]:
    """One damaged file on the grader's road up to the judge, and from there to the notebook graders see; ("graded" or
    "named", bytes of that notebook)."""
    data, done, harmless = damaged(book.notebook, random.Random(seed))
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{book.slug}.ipynb").write_bytes(data)
    try:
        found = ingest.submission(folder, book.slug)
    except ingest.Damage as damage:
        cause = str(damage)
        assert not harmless, f"seed {seed}, {done}: {cause}"
        assert 10 < len(cause) < 400 and cause.encode("utf-8"), (seed, done)
        outcome = Outcome.failed(cause, lesson=book.slug, version=1)
    else:
        aligned = match.align(found.notebook, book.release)
        cells = aligned.learner_cells()
        assert not harmless or runs_like(cells, book.answer), f"seed {seed}, {done}: the answer was not found"
        notes = [*found.notes, *aligned.notes]
        outcome = Outcome(GRADED, cells=_layout(aligned, found.notebook), answered=_answered(aligned), notes=notes)
    outcome = Outcome.from_dict(json.loads(json.dumps(outcome.as_dict())))
    told = as_text(fill_outputs(rebuild(book.instructor, outcome), outcome))
    nbformat.validate(nbformat.reads(told, as_version=4))
    return ("graded" if outcome.state == GRADED else "named"), len(told.encode("utf-8"))


def fuzz(books, tmp_path, count: int, first: int) -> dict[str, int]:
    counts = {"graded": 0, "named": 0}
    for seed in range(first, first + count):
        state, size = follow(books[seed % len(books)], seed, tmp_path / "one")
        counts[state] += 1
        assert size < 40 << 20, f"seed {seed}: the rebuilt notebook holds {size} bytes"
    return counts


def test_damaged_notebooks_are_read_or_named(books, tmp_path):
    counts = fuzz(books, tmp_path, QUICK, 0)
    assert counts["graded"] >= QUICK // 4 and counts["named"] >= 2, counts


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_five_hundred_damaged_notebooks_are_read_or_named_in_bounded_memory(books, tmp_path, capsys):
    fuzz(books, tmp_path, 10, 90_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    first = int(os.environ.get("FUZZ_SEED", "1000"))
    counts = fuzz(books, tmp_path, MANY, first)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown < MOST_GROWTH, f"{grown >> 10} MB more at the peak"
    with capsys.disabled():
        print(f"\n{MANY} damaged notebooks of {len(books)} lessons: {counts}, peak +{grown >> 10} MB")


@pytest.mark.parametrize(
    ("what", "cause"),
    [
        (b'{"cells": [' + b"[" * 100_000, "nested too deeply"),
        (b'{"cells": [' + b'{"cell_type": "code", "source": ""},' * 6000 + b"{}]}", "cells"),
        (b'{"cells": ' + b"9" * 5000 + b"}", "not a notebook|no notebook"),
        (b'{"cells": [{"cell_type": "code", "source": "' + b"x" * (2 << 20) + b'"}]}', "at most"),
    ],
    ids=["deep", "many cells", "a long number", "a long cell"],
)
def test_bombs_are_named(tmp_path, what, cause):
    (tmp_path / f"{LESSON}.ipynb").write_bytes(what)
    with pytest.raises(ingest.Damage, match=cause):
        ingest.submission(tmp_path, LESSON)


def test_a_sparse_terabyte_is_refused_unread(tmp_path):
    with open(tmp_path / f"{LESSON}.ipynb", "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(ingest.Damage, match="at most 64 MB"):
        ingest.submission(tmp_path, LESSON)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_a_batch_of_damaged_notebooks_is_graded_to_its_end(built, tmp_path, capsys):
    """The real command over damaged copies of right answers: each has its score or a cause, and the disk stays small."""
    course = built.copy_to(tmp_path / "course")
    right, harmless = course.answered(LESSON), set()
    for number in range(BATCH):
        data, _, safe = damaged(right, random.Random(7000 + number))
        path = course.submit(f"student{number:03}", LESSON, right)
        path.write_bytes(data)
        harmless |= {f"student{number:03}"} if safe else set()
    course.submit("untouched", LESSON, right)
    done = course.nbgrader("autograde", LESSON)
    assert done.returncode in (0, 1) and "Traceback" not in done.stderr, done.stderr[-2000:]
    states, scores = course.state(LESSON), course.scores(LESSON)
    assert len(states) == BATCH + 1 and set(states.values()) <= {"graded", "failed to grade"}
    for student, state in states.items():
        earned = sum(automatic or 0.0 for automatic, _, _ in scores[student].values())
        if student in harmless or student == "untouched":
            assert (state, earned) == ("graded", 16.0), student
        elif state == "failed to grade":
            assert f"failed to grade: {student}:" in done.stderr and earned == 0.0
    written = sum(path.stat().st_size for path in (course.root / "autograded").rglob("*") if path.is_file())
    assert written < (BATCH + 1) * (4 << 20)
    with capsys.disabled():
        print(f"\n{BATCH} damaged submissions: {sum(s == 'graded' for s in states.values())} graded, the rest named; "
              f"{written >> 10} KB written")  # fmt: skip


def test_there_are_damages_of_every_kind():
    assert len(HARMLESS) >= 12 and len(HARMFUL) >= 8 and len(ON_BYTES) >= 8 and len(LESSONS) >= 2
