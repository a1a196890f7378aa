"""Real nbgrader on a GPU lesson where there is no GPU: kernels are compiled for a T4, and the record says so."""

from __future__ import annotations

import json
import sqlite3

import pytest

from learning.grading.store import device_key
from learning.lens import device
from tests.grading.kit import Course
from tests.workshops.test_check_real import BREAKS, OVERFLOWS, with_lines

SLUG = "vector_add"


def test_a_result_is_kept_for_the_card_that_its_kernels_were_compiled_for(monkeypatch):
    compiled = device_key("")
    monkeypatch.setenv("TRITON_INTERPRET", "1")
    assert device_key("").endswith("|interpreter") and device_key("") != compiled


@pytest.mark.slow
@pytest.mark.skipif(device.current().place != "sm_75", reason="kernels are not compiled for a virtual T4 here")
def test_compiler_and_card_fail_checks_through_autograde(tmp_path):
    course = Course.make(tmp_path / "course", SLUG)
    course.submit("right", SLUG, course.answered(SLUG))
    course.submit("breaks", SLUG, course.with_answer(SLUG, with_lines(BREAKS)))
    course.submit("overflows", SLUG, course.with_answer(SLUG, with_lines(OVERFLOWS)))
    assert course.nbgrader("autograde", SLUG).returncode == 0
    with sqlite3.connect(course.root / "gradebook.db") as db:
        rows = db.execute("select student, record from learning_outcome where assignment = ?", (SLUG,)).fetchall()
    records = {student: json.loads(record)["graded"] for student, record in rows}
    assert {(graded["device"], graded["target"]) for graded in records.values()} == {("interpreter", "sm_75")}
    faults = {
        student: {
            (result["finding"].get("fault") or {}).get("type") for result in graded["results"] if result["finding"]
        }
        for student, graded in records.items()
    }
    assert "CompilationError" in faults["breaks"] and "OutOfResources" in faults["overflows"]
    assert not faults["right"] & {"CompilationError", "OutOfResources"}
    scores = course.scores(SLUG)
    assert sum(score[0] or 0 for score in scores["right"].values()) > sum(
        score[0] or 0 for student in ("breaks", "overflows") for score in scores[student].values()
    )
