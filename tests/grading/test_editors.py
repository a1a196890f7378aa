"""What Colab, VS Code, JupyterLab and Notebook 6 save is graded as the plain notebook is, whatever it deserves."""

import json
import os
import subprocess
import sys

import nbformat
import pytest

from learning import course as places
from learning.grading import ingest
from tests.grading.conftest import LESSON
from tests.grading.editors import SAVED, STATE, executed
from tests.grading.kit import ROOT, Course, role

GPU = "vector_add"
FORGETS = (
    "def merge(a, b):\n    return (max(a[0], b[0]), a[1] + b[1])\n\n\n"
    "def push(state, x):\n    return merge(state, (x, 1.0))\n\n\ndef result(state):\n    return state\n\n\n"
    "EMPTY = (float('-inf'), 0.0)\n"
)
"""An answer that is right on equal numbers alone: it earns some checks and loses others."""
SCRATCH = {"cell_type": "code", "id": "mine", "metadata": {}, "source": "print(1)", "outputs": [], "execution_count": 2}


def desks(course: Course, slug: str, notebook: dict) -> dict[str, str]:
    """``notebook`` handed in plain and as each program saves it; the files by student."""
    files = {"plain": json.dumps(notebook)} | {name: save(notebook) for name, save in SAVED.items()}
    for student, file in files.items():
        course.submit(student, slug, file)
    return files


def scores_agree(course: Course, slug: str) -> dict:
    done = course.autograde(slug)
    assert done["success"], done
    found = course.scores(slug)
    assert found.keys() == {"plain", *SAVED}
    for student in SAVED:
        assert found[student] == found["plain"], student
    return found["plain"]


def automatic(scores: dict) -> float:
    return sum(score for score, _, _ in scores.values() if score is not None)


@pytest.mark.parametrize("name", SAVED)
def test_a_fixture_is_a_notebook_of_the_format_it_says(name, built):
    text = SAVED[name](built.answered(LESSON))
    notebook = nbformat.reads(text, as_version=nbformat.NO_CONVERT)
    nbformat.validate(notebook)
    ids = [cell for cell in notebook.cells if "id" in cell]
    assert bool(ids) == (notebook.nbformat_minor == 5)
    assert sum(bool(cell.get("outputs")) for cell in notebook.cells) > 10 or name == "saved_by_colab_in_2019"


@pytest.mark.parametrize("name", SAVED)
def test_its_reader_keeps_the_cells_and_leaves_the_programs_keys_and_outputs_behind(name, built):
    plain, _ = ingest.notebook_from(json.dumps(built.answered(LESSON)).encode())
    found, notes = ingest.notebook_from(SAVED[name](built.answered(LESSON)).encode())
    assert notes == []
    texts = [cell["source"] for cell in found["cells"]]
    assert [text for text in texts if text and "Open In Colab" not in text] == [c["source"] for c in plain["cells"]]
    grades = [cell["metadata"] for cell in found["cells"] if cell["metadata"]]
    assert grades == [cell["metadata"] for cell in plain["cells"] if cell["metadata"]]
    assert STATE not in json.dumps(found) and not [cell for cell in found["cells"] if cell.get("outputs")]


def test_a_partly_right_answer_earns_the_same_points_from_each_program(course):
    notebook = course.with_answer(LESSON, FORGETS)
    desks(course, LESSON, notebook)
    assert 0 < automatic(scores_agree(course, LESSON)) < 16


@pytest.mark.slow
@pytest.mark.parametrize("what", ["right", "untouched", "with a cell of one's own above the answer"])
def test_a_right_answer_an_untouched_one_and_a_scratch_cell_do_too(what, course):
    notebook = course.release(LESSON) if what == "untouched" else course.answered(LESSON)
    if what.startswith("with"):
        place = next(number for number, cell in enumerate(notebook["cells"]) if role(cell) == "answer")
        notebook["cells"].insert(place, SCRATCH)
    desks(course, LESSON, notebook)
    assert automatic(scores_agree(course, LESSON)) == (0 if what == "untouched" else 16)


@pytest.mark.slow
def test_a_kernel_earns_the_same_points_from_each_program(tmp_path):
    course = Course.make(tmp_path / "course", GPU)
    desks(course, GPU, course.answered(GPU))
    assert automatic(scores_agree(course, GPU)) > 10


def checked(folder, text: str) -> tuple[int, str]:
    """Exit status and output of ``check`` on the file's text, without the lines that name a place."""
    path = folder / LESSON / f"{LESSON}.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    (folder / LESSON / "progress.jsonl").unlink(missing_ok=True)
    environment = {**os.environ, "LEARNING_WORK": str(folder)}
    command = [sys.executable, "-S", "-m", "learning.workshops.check", LESSON, "--anyway"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=240)
    assert not done.stderr
    return done.returncode, done.stdout


OFTEN = ("copied_to_github_by_colab",)


@pytest.mark.parametrize("name", [pytest.param(n, marks=[] if n in OFTEN else pytest.mark.slow) for n in SAVED])
def test_the_check_command_reads_them_as_it_reads_a_plain_notebook(name, built, tmp_path):
    passed, said = checked(tmp_path, SAVED[name](built.answered(LESSON)))
    assert passed == 0 and "5 of 5 public checks passed" in said, said
    wrong, said = checked(tmp_path, SAVED[name](built.with_answer(LESSON, FORGETS)))
    assert wrong == 1 and "not yet: " in said
    todo, said = checked(tmp_path, SAVED[name](places.load(places.release(LESSON))))
    assert todo == 2 and "Still TODO" in said


def test_a_notebook_that_was_run_shows_its_widget_and_its_error(built):
    kinds = {
        output["output_type"]
        for cell in executed(built.answered(LESSON))["cells"]
        for output in cell.get("outputs", [])
    }
    assert kinds == {"display_data", "error", "execute_result", "stream"}
