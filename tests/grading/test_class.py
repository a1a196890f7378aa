"""One class in which everything went wrong, graded by real nbgrader from the command line."""

import csv
import json
import re
import shutil

import nbformat
import pytest
from nbgrader.utils import determine_grade, is_grade, is_solution

from tests.grading.conftest import LESSON
from tests.grading.kit import Course, role, text
from tests.grading.stories import NAMED, RIGHT
from tests.grading.test_ingest import told

pytestmark = pytest.mark.timeout(900)
QUICK = (
    "untouched_by_any_editor", "saved_as_utf_16", "downloaded_twice", "in_a_folder_of_its_own", "no_metadata_anywhere",
    "answer_merged_with_the_check_below", "checks_edited_to_pass", "skip_execution_tag",
)  # fmt: skip
"""Stories graded here in every run; tests/grading/test_ingest.py follows all of them up to the judge."""
POINTS, EXPLANATION = 16.0, "explain_explanation"
WRONG = "EMPTY = 0\n\n\ndef push(state, x):\n    raise ValueError('<b>no</b> \\ud800')\n"
LOOP = "def push(state, x):\n    while True:\n        try:\n            while True:\n                pass\n" + (
    "        except KeyboardInterrupt:\n            pass\n"
)


def hand_in(course, names) -> None:
    stories = {**RIGHT, **{name: make for name, (make, _) in NAMED.items()}}
    for name in names:
        folder = course.root / "submitted" / name / LESSON
        told(stories[name], folder, course.answered(LESSON), course.starter(LESSON))


@pytest.fixture(scope="session")
def graded(built, tmp_path_factory) -> Course:
    """The class after autograde, feedback, export and report; the finished commands are in ``graded.told``."""
    course = built.copy_to(tmp_path_factory.mktemp("class") / "course")
    hand_in(course, [*QUICK, *NAMED])
    submitted = course.root / "submitted"
    course.submit("untouched", LESSON, course.release(LESSON))
    course.submit("never_returns", LESSON, course.with_answer(LESSON, LOOP))
    course.submit("wrong", LESSON, course.with_answer(LESSON, WRONG))
    course.submit("not an id!", LESSON, course.release(LESSON))
    course.submit("Ada", LESSON, course.release(LESSON))
    course.submit("ada", LESSON, course.release(LESSON))
    (submitted / "folder_is_a_link").mkdir()
    (submitted / "folder_is_a_link" / LESSON).symlink_to(submitted / "ada" / LESSON)
    (submitted / "student_is_a_link").symlink_to(submitted / "untouched")
    (submitted / "untouched" / LESSON / "gradebook.txt").symlink_to(course.root / "gradebook.db")
    (submitted / "untouched" / LESSON / "notes.txt").write_text("my notes")
    (submitted / "student_is_a_link_to_many").mkdir()
    (submitted / "student_is_a_link_to_many" / LESSON).symlink_to(course.root / "source" / LESSON)
    course.submit("two\nlines", LESSON, course.release(LESSON))
    (submitted / "file_for_a_folder").mkdir()
    (submitted / "file_for_a_folder" / LESSON).write_text("my answer")
    course.submit("=1+1", LESSON, course.release(LESSON))
    course.submit("+1-1", LESSON, course.release(LESSON))
    course.told = {
        "autograde": course.nbgrader("autograde", LESSON, folder="submitted"),
        "feedback": course.nbgrader("generate_feedback", LESSON),
        "export": course.nbgrader("export"),
        "report": course.run("python", "-m", "learning.grading", LESSON, "--details"),
    }
    return course


@pytest.mark.slow
def test_every_mended_submission_earns_everything(built, tmp_path):
    course = built.copy_to(tmp_path / "course")
    rest = [name for name in RIGHT if name not in QUICK]
    hand_in(course, rest)
    done = course.nbgrader("autograde", LESSON)
    assert done.returncode == 0, done.stderr
    for story in rest:
        earned = [automatic for automatic, _, _ in course.scores(LESSON)[story].values() if automatic is not None]
        assert sum(earned) == POINTS, story


@pytest.mark.parametrize("story", QUICK)
def test_a_mended_submission_earns_everything(graded, story):
    scores = dict(graded.scores(LESSON)[story])
    assert scores.pop(EXPLANATION) == (None, None, True)
    assert sum(automatic for automatic, _, _ in scores.values()) == POINTS
    assert not any(asks for _, _, asks in scores.values())


@pytest.mark.parametrize("story", NAMED, ids=str)
def test_an_ungradable_submission_has_no_score_and_a_cause(graded, story):
    scores = graded.scores(LESSON)[story]
    assert set(scores.values()) == {(None, None, True)}
    assert graded.state(LESSON)[story] == "failed to grade"
    line = next(line for line in graded.told["autograde"].stderr.splitlines() if f"failed to grade: {story}:" in line)
    assert re.search(NAMED[story][1], line)
    page = (graded.root / "feedback" / story / LESSON / f"{LESSON}.html").read_text()
    assert "Failed to grade" in page


def test_what_failed_makes_the_exit_status_and_the_rest_is_graded(graded):
    done = graded.told["autograde"]
    assert done.returncode == 1
    assert f"to be graded by hand: {EXPLANATION} ({len(QUICK)} submissions)" in done.stderr
    assert "Traceback" not in done.stderr


def test_progress_says_what_is_left_and_a_summary_ends_it(graded):
    told = graded.told["autograde"].stderr
    assert re.search(r"2 of \d+: .*; about \d+ s left", told)
    failed = len(NAMED) + 9  # five folders that are no ids, three links, a file
    assert re.search(rf"\d+ submissions, 0 from the store, {failed} failed to grade; \d+ s", told), told[-1500:]


def test_folders_that_are_no_student_ids_are_named_and_never_enter_the_gradebook(graded):
    for name, why in (("not an id!", "is not a student id"), ("Ada", "upper and lower"), ("ada", "upper and lower")):
        assert name not in graded.scores(LESSON)
        assert any(
            f"failed to grade: {name}:" in line and why in line for line in graded.told["autograde"].stderr.splitlines()
        )


def test_one_submission_in_a_folder_of_its_own_is_found_when_it_is_graded_alone(graded, tmp_path):
    course = Course(tmp_path / "alone")
    shutil.copytree(graded.root, course.root, symlinks=True)
    done = course.autograde(LESSON, "in_a_folder_of_its_own")
    assert done["success"], done
    assert not course.autograde(LESSON, "only_a_text_file")["success"]
    assert course.state(LESSON)["only_a_text_file"] == "failed to grade"


def test_links_are_never_followed(graded):
    assert graded.state(LESSON)["folder_is_a_link"] == graded.state(LESSON)["student_is_a_link"] == "failed to grade"
    copied = graded.root / "autograded" / "untouched" / LESSON
    assert (copied / "notes.txt").read_text() == "my notes"
    assert not (copied / "gradebook.txt").exists()
    assert not list((graded.root / "feedback").rglob("*.txt"))
    linked = graded.root / "autograded" / "student_is_a_link_to_many" / LESSON
    assert [path.name for path in linked.iterdir()] == [f"{LESSON}.ipynb"]


def test_a_file_in_a_submissions_place_is_named_and_a_name_of_two_lines_is_told_on_one(graded):
    told = graded.told["autograde"].stderr
    assert "failed to grade: file_for_a_folder: this is no folder" in told
    assert "failed to grade: two\\nlines: 'two\\nlines' is not a student id" in told


def test_no_cell_of_the_export_is_a_formula(graded):
    rows = (graded.root / "grades.csv").read_text().splitlines()
    assert any(",'+1-1," in row for row in rows) and not any(re.search(r"(^|,)[=+@]", row) for row in rows)


def test_an_untouched_release_earns_nothing_and_leaves_nothing_to_a_person(graded):
    assert set(graded.scores(LESSON)["untouched"].values()) == {(0.0, None, False)}


def test_a_loop_that_swallows_interrupts_is_ended(graded):
    scores = graded.scores(LESSON)["never_returns"]
    assert all(automatic == 0.0 for automatic, _, _ in scores.values())
    assert "did not return" in (graded.root / "feedback" / "never_returns" / LESSON / f"{LESSON}.html").read_text()


def test_the_autograded_notebook_is_ours_and_nbgrader_would_read_the_same_scores(graded):
    answer = text(next(c for c in graded.source(LESSON)["cells"] if role(c) == "answer")).split("\n")
    secret = [line for line in answer if "SOLUTION" not in line and line.strip() and line not in graded.starter(LESSON)]
    for student in ("wrong", "untouched", "empty_file", "answer_merged_with_the_check_below"):
        notebook = nbformat.read(graded.root / "autograded" / student / LESSON / f"{LESSON}.ipynb", as_version=4)
        nbformat.validate(notebook)
        scores = graded.scores(LESSON)[student]
        for cell in notebook.cells:
            if is_grade(cell) and not is_solution(cell):
                kinds = [output.output_type for output in cell.outputs]
                assert kinds == ["stream", "execute_result"]
                assert determine_grade(cell)[0] == (scores[cell.metadata.nbgrader.grade_id][0] or 0.0)
            elif cell.cell_type == "code":
                assert not cell.outputs
        if student != "answer_merged_with_the_check_below":
            assert not [line for line in secret if len(line) > 20 and any(line in c.source for c in notebook.cells)]


def test_feedback_holds_no_hidden_text_no_canary_no_traceback_and_no_script(graded):
    hidden = [text(cell) for cell in graded.source(LESSON)["cells"] if role(cell) == "hidden"]
    inside = [one.split("### BEGIN HIDDEN TESTS")[1].split("### END HIDDEN TESTS")[0] for one in hidden]
    lines = {line.strip() for part in inside for line in part.split("\n") if len(line.strip()) > 25}
    assert lines
    pages = list((graded.root / "feedback").rglob("*.html"))
    assert len(pages) == len(QUICK) + len(NAMED) + 7
    for path in pages:
        page = path.read_text()
        assert not [line for line in lines if line in page]
        assert "canary" not in page and "Traceback" not in page and "<script" not in page.lower()
        assert "<b>no</b>" not in page
    wrong = (graded.root / "feedback" / "wrong" / LESSON / f"{LESSON}.html").read_text()
    assert "&lt;b&gt;no&lt;/b&gt;" in wrong and "\\ud800" in wrong


def test_values_of_hidden_cases_stand_in_the_instructors_report_alone(graded):
    assert graded.told["report"].returncode == 1
    told = graded.told["report"].stdout.split("  wrong: graded")[1].split("keeps the house rules")[1]
    drawn = re.findall(r"\d+\.\d{9,}", told)
    assert drawn
    page = (graded.root / "feedback" / "wrong" / LESSON / f"{LESSON}.html").read_text()
    assert not [value for value in drawn if value in page]
    assert "called: push((-inf, #), #)" in page


def test_the_export_keeps_three_states_apart(graded):
    assert graded.told["export"].returncode == 0, graded.told["export"].stderr
    with (graded.root / "grades.csv").open(newline="") as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    assert (rows["empty_file"]["state"], rows["empty_file"]["score"]) == ("failed to grade", "")
    assert (rows["untouched"]["state"], rows["untouched"]["score"]) == ("graded", "0.0")
    right = rows["saved_as_utf_16"]
    assert (right["score"], right["gradable_now"], right["by_hand"]) == ("16.0", "16.0", "4.0")


def test_grading_again_takes_everything_from_the_store(graded, tmp_path):
    course = Course(tmp_path / "again")
    shutil.copytree(graded.root, course.root, symlinks=True)
    first, second = (course.autograde(LESSON, "saved_as_utf_16") for _ in range(2))
    assert first["success"] and second["success"]
    assert "saved_as_utf_16: 16 of 16 ✓✓✓✓✓✓✓✓✓✓, from the store" in second["log"]
    assert sum(score or 0 for score, _, _ in course.scores(LESSON)["saved_as_utf_16"].values()) == POINTS


def test_what_the_worker_prints_and_the_record_agree_on_the_version(graded):
    import sqlite3

    with sqlite3.connect(graded.root / "gradebook.db") as db:
        rows = dict(db.execute("select student, record from learning_outcome"))
    record = json.loads(rows["untouched_by_any_editor"])
    assert record["lesson"] == LESSON and record["version"] == record["graded"]["version"] == 1
    assert record["graded"]["device"] == "cpu"
