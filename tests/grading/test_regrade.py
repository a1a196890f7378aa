"""What a second grading does to the first one's scores: never leave an old automatic one standing, never touch a hand's."""

import csv
import json
import os
import shutil
import sqlite3

import pytest

from learning.grading import report, save
from learning.grading.outcome import GRADED, PENDING, Outcome
from learning.judge.engine import Graded
from learning.judge.finding import BROKEN, PASSED, WAITING, CheckResult
from tests.grading.conftest import LESSON
from tests.grading.kit import Course, role

pytestmark = pytest.mark.timeout(600)
EXPLANATION = "explain_explanation"


@pytest.fixture(scope="session")
def once(built, tmp_path_factory) -> Course:
    """A course in which ``bob`` handed in a right answer and ``eve`` the untouched release, graded once."""
    course = built.copy_to(tmp_path_factory.mktemp("once") / "course")
    (course.root / "home").mkdir(exist_ok=True)
    course.submit("bob", LESSON, course.answered(LESSON))
    course.submit("eve", LESSON, course.release(LESSON))
    done = course.autograde(LESSON)
    assert done["success"], done
    return course


@pytest.fixture
def again(once, tmp_path) -> Course:
    return once.copy_to(tmp_path / "course")


def by_hand(course, cell, score, student="bob"):
    """What formgrader does when a person types a score."""
    with course.api().gradebook as gradebook:
        grade = gradebook.find_grade(cell, LESSON, LESSON, student)
        grade.manual_score, grade.needs_manual_grade = score, False
        gradebook.db.commit()


def opened(course):
    return save.opened(f"sqlite:///{course.root / 'gradebook.db'}", "triton-kernels")


def outcome_of(course, student="bob") -> Outcome:
    with opened(course) as gradebook:
        return save.load(gradebook, LESSON, student).outcome


def test_an_old_score_never_outlives_a_regrade_that_fails(again):
    again.submit("bob", LESSON, '{"cells": [')
    done = again.autograde(LESSON)
    assert not done["success"]
    assert set(again.scores(LESSON)["bob"].values()) == {(None, None, True)}
    assert again.state(LESSON) == {"bob": "failed to grade", "eve": "graded"}
    assert set(again.scores(LESSON)["eve"].values()) == {(0.0, None, False)}


def test_a_lost_submission_loses_its_old_score_too(again, monkeypatch):
    from learning.grading import pipeline

    def full(self, nb, resources):
        if resources["nbgrader"]["student"] == "bob":
            raise OSError("no space left on device")
        return nb, resources

    monkeypatch.setattr(pipeline.WriteReports, "preprocess", full)
    done = again.autograde(LESSON)
    assert not done["success"]
    assert set(again.scores(LESSON)["bob"].values()) == {(None, None, True)}
    assert again.state(LESSON)["bob"] == "failed to grade"
    assert again.state(LESSON)["eve"] == "graded"


def test_a_hand_grade_is_settled_until_the_submission_changes(again):
    by_hand(again, EXPLANATION, 3.0)
    by_hand(again, "keeps_the_house_rules", 1.0)
    again.autograde(LESSON)
    scores = again.scores(LESSON)["bob"]
    assert scores[EXPLANATION] == (None, 3.0, False)
    assert scores["keeps_the_house_rules"] == (2.0, 1.0, False)

    changed = again.answered(LESSON)
    next(c for c in changed["cells"] if role(c) == "explain")["source"] += "\nAnd one thing more."
    again.submit("bob", LESSON, changed)
    again.autograde(LESSON)
    scores = again.scores(LESSON)["bob"]
    assert scores[EXPLANATION] == (None, 3.0, True)
    assert scores["keeps_the_house_rules"] == (2.0, 1.0, True)


def test_a_check_without_a_verdict_is_neither_zero_nor_passed(again):
    before = outcome_of(again)
    for state in (WAITING, BROKEN):
        results = [CheckResult(**{**r.__dict__}) for r in before.results.values()]
        results[0].state, results[0].earned = state, 0.0
        graded = Graded(LESSON, 1, "cpu", "held", results=results)
        outcome = Outcome(GRADED, digest=before.digest, answered=before.answered, graded=graded)
        with opened(again) as gradebook:
            save.save(gradebook, LESSON, LESSON, "bob", outcome)
            (points,) = report.points_of(gradebook, LESSON, "bob")
        assert again.scores(LESSON)["bob"][results[0].check] == (None, None, True)
        assert (points.earned, points.gradable) == (15.0, 15.0)
        assert (points.waiting, points.broken) == ((1.0, 0.0) if state == WAITING else (0.0, 1.0))
        assert points.state == ("graded" if state == WAITING else "failed to grade")


def test_an_interrupted_regrade_is_told_as_pending(again):
    with opened(again) as gradebook:
        save.pending(gradebook, LESSON, ["bob", "nobody"])
        rows = {row.student: row for row in report.points_of(gradebook, LESSON)}
    assert rows["bob"].state == PENDING and rows["bob"].sentence() == "regrade pending"
    assert rows["eve"].state == GRADED
    done = again.nbgrader("export")
    assert done.returncode == 0
    assert ",regrade pending," in (again.root / "grades.csv").read_text()


def test_who_handed_nothing_in_is_not_a_zero(again):
    with again.api().gradebook as gradebook:
        gradebook.add_student("grace", last_name='Hopper, "Amazing"')
    with opened(again) as gradebook:
        (points,) = report.points_of(gradebook, LESSON, "grace")
        assert points.state == points.sentence() == "not submitted"
        plugin = report.StateExport()
        plugin.to = str(again.root / "out.csv")
        plugin.export(gradebook)
    with (again.root / "out.csv").open(newline="") as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    assert (rows["grace"]["state"], rows["grace"]["score"]) == ("not submitted", "")
    assert rows["grace"]["last_name"] == 'Hopper, "Amazing"'
    assert rows["bob"]["score"] == "16.0"


def test_saving_is_one_transaction(again, monkeypatch):
    """When the record cannot be written, the scores of before and their record both stay."""
    before = again.scores(LESSON)["bob"]
    monkeypatch.setattr(Outcome, "as_dict", lambda self: {"not": object()})
    with opened(again) as gradebook, pytest.raises(TypeError):
        save.save(gradebook, LESSON, LESSON, "bob", Outcome.failed("x"))
    monkeypatch.undo()
    assert again.scores(LESSON)["bob"] == before
    assert outcome_of(again).state == GRADED


def test_a_source_that_differs_from_the_gradebook_stops_everything_before_the_first_score(again):
    path = again.root / "source" / LESSON / f"{LESSON}.ipynb"
    notebook = json.loads(path.read_text())
    cell = next(c for c in notebook["cells"] if role(c) == "check")
    cell["metadata"]["nbgrader"]["points"] = 7
    path.write_text(json.dumps(notebook))
    before = again.scores(LESSON)
    done = again.autograde(LESSON)
    assert not done["success"]
    assert "7 points (code) in the source, 1 (code) in the gradebook" in done["log"] + done.get("error", "")
    assert "generate_assignment" in done["log"] + done.get("error", "")
    assert again.scores(LESSON) == before
    assert set(again.state(LESSON).values()) == {"graded"}


def test_a_lesson_that_was_never_generated_says_what_to_do(again):
    os.remove(again.root / "gradebook.db")
    done = again.autograde(LESSON)
    assert not done["success"]
    assert "nbgrader generate_assignment online_normalizer" in done["log"] + done.get("error", "")


def test_a_seed_that_others_can_read_stops_everything(again):
    seed = again.root / "home" / "seed"
    seed.chmod(0o644)
    before = again.scores(LESSON)
    done = again.autograde(LESSON)
    assert not done["success"] and "chmod 600" in done["log"] + done.get("error", "")
    assert again.scores(LESSON) == before and set(again.state(LESSON).values()) == {"graded"}


def test_a_new_seed_makes_every_grade_pending_and_grades_it_anew(again):
    config = again.root / "grader_config.py"
    config.write_text(config.read_text() + f"\nc.Grading.seed_file = {str(again.root / 'home' / 'seed')!r}\n")
    old = (again.root / "home" / "seed").read_bytes()
    done = again.run("python", "-m", "learning.grading", "--rotate-seed")
    assert done.returncode == 0, done.stderr
    assert f"2 submissions wait to be graded again: nbgrader autograde {LESSON}" in done.stdout
    assert set(again.state(LESSON).values()) == {"regrade pending"}
    assert (again.root / "home" / "seed").read_bytes() != old
    assert old in [path.read_bytes() for path in (again.root / "home").glob("seed.*")]
    done = again.autograde(LESSON)
    assert done["success"] and ", from the store" not in done["log"]
    assert set(again.state(LESSON).values()) == {"graded"}


def raise_version(course, version):
    """What an author does: a new version of the source, released over the old one."""
    path = course.root / "source" / LESSON / f"{LESSON}.ipynb"
    notebook = json.loads(path.read_text())
    notebook["metadata"]["learning"]["version"] = version
    path.write_text(json.dumps(notebook))
    course.generate(LESSON)


def test_a_submission_is_graded_against_its_own_version(again):
    shutil.rmtree(again.root / ".grading")  # nothing of the first grading is left to help
    raise_version(again, 1)
    raise_version(again, 2)
    again.submit("new", LESSON, again.answered(LESSON))
    assert again.autograde(LESSON)["success"]
    assert (outcome_of(again, "bob").version, outcome_of(again, "new").version) == (1, 2)
    assert "graded against it; the current one is 2" in " ".join(outcome_of(again, "bob").notes)

    assert again.autograde(LESSON, "bob", against_current=True)["success"]
    assert outcome_of(again, "bob").version == 2
    assert "graded against version 2, as asked" in " ".join(outcome_of(again, "bob").notes)


def test_a_version_nobody_kept_is_a_named_cause(again):
    notebook = again.answered(LESSON)
    notebook["metadata"]["learning"]["version"] = 41
    again.submit("old", LESSON, notebook)
    assert not again.autograde(LESSON, "old")["success"]
    cause = outcome_of(again, "old").cause
    assert "version 41" in cause and "--Grading.against_current=True" in cause


@pytest.mark.parametrize(("stamp", "late"), [("2031-01-02 00:00:00 UTC", True), ("next tuesday, promise", False)])
def test_time_stamps_are_read_where_they_are_dates(again, stamp, late):
    with sqlite3.connect(again.root / "gradebook.db") as db:
        db.execute("update assignment set duedate = '2031-01-01 00:00:00.000000'")
    (again.root / "submitted" / "bob" / LESSON / "timestamp.txt").write_text(stamp)
    assert again.autograde(LESSON, "bob")["success"]
    with again.api().gradebook as gradebook:
        assert gradebook.find_submission(LESSON, "bob").total_seconds_late == (86400 if late else 0)
    assert again.scores(LESSON)["bob"]["keeps_the_house_rules"] == (2.0, None, False)


def test_a_passed_check_is_scored_from_its_record_whatever_the_notebook_shows(again):
    outcome = outcome_of(again)
    assert {save.automatic(r.check, outcome) for r in outcome.results.values() if r.state == PASSED} == {1.0, 2.0}
    assert save.automatic("no_such_check", outcome) is None
    assert save.automatic(EXPLANATION, outcome) is None
