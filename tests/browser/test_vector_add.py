"""A learner opens the release of vector_add in JupyterLab, types the answer and runs it; an instructor opens formgrader."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tools.lab import cell_with, copy_course, open_notebook, run_everything, save, solution, type_answer

SHOTS = os.environ.get("COURSE_SCREENSHOTS")


def shot(page, name):
    """Keep a picture where COURSE_SCREENSHOTS names a folder, for a person to look at."""
    if SHOTS:
        page.screenshot(path=str(Path(SHOTS, f"{name}.png")))


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course root of its own, as a clone has it, with vector_add laid out for a learner and one submission handed in."""
    root = copy_course(tmp_path_factory.mktemp("course"))
    work = root / "work" / "vector_add"
    work.mkdir(parents=True)
    shutil.copy(root / "release" / "vector_add" / "vector_add.ipynb", work)
    return root


@pytest.fixture(scope="module")
def lab(course, tmp_path_factory, serve):
    with serve(course, tmp_path_factory.mktemp("home")) as running:
        yield running


def outputs(lab, path):
    import nbformat

    notebook = nbformat.read(lab.root / path, as_version=4)
    return {
        cell.id: [
            o.get("text", "") or o.get("data", {}).get("text/plain", "") or o.get("evalue", "") for o in cell.outputs
        ]
        for cell in notebook.cells
        if cell.cell_type == "code"
    }


NOTEBOOK = "work/vector_add/vector_add.ipynb"


def test_an_untouched_release_runs_and_says_not_yet(page, lab):
    open_notebook(page, lab, NOTEBOOK)
    shot(page, "release-opened")
    run_everything(page)
    save(page)
    shown = outputs(lab, NOTEBOOK)
    assert "progress 1/12" in str(shown["bootstrap"])  # the reference ran first; nothing else is proved
    checks = {name: texts[-1] for name, texts in shown.items() if name.startswith("check-")}
    assert len(checks) >= 5
    assert set(checks.values()) == {"0"}


def test_the_typed_answer_passes_every_public_check(page, lab):
    open_notebook(page, lab, NOTEBOOK)
    type_answer(page, "def add_kernel(", solution())
    explanation = cell_with(page, "Write here.")
    explanation.dblclick()
    explanation.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.insert_text("Program 2 computes offsets 2048 to 3071 and its mask keeps the 452 below 2500.")
    run_everything(page)
    save(page)
    shown = outputs(lab, NOTEBOOK)
    checks = {name: texts[-1] for name, texts in shown.items() if name.startswith("check-")}
    assert sum(float(points) for points in checks.values()) == 6, checks
    cell_with(page, "adds_every_length_around_a_tile(add)")
    shot(page, "public-checks-passed")
    page.get_by_role("button", name="Validate").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text(re.compile("passes all the tests", re.I), timeout=120_000)
    shot(page, "validate-passed")
    assert (lab.root / "work/vector_add/progress.jsonl").read_text().count('"parity"') >= 5


def test_formgrader_lists_the_assignment_and_shows_the_graded_submission(page, lab):
    handed_in = lab.root / "submitted" / "ada" / "vector_add"
    handed_in.mkdir(parents=True)
    shutil.copy(lab.root / NOTEBOOK, handed_in)
    nbgrader = [sys.executable, "-m", "nbgrader"]
    for command in (["generate_assignment", "vector_add", "--force"], ["autograde", "vector_add"]):
        done = subprocess.run([*nbgrader, *command], cwd=lab.root, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    page.goto(lab.page("formgrader/manage_assignments"))
    expect(page.get_by_text("vector_add").first).to_be_visible(timeout=60_000)
    shot(page, "formgrader-assignments")
    page.goto(lab.page("formgrader/manage_submissions/vector_add"))
    expect(page.get_by_text("ada").first).to_be_visible(timeout=60_000)
    shot(page, "formgrader-submissions")
    page.goto(lab.page("formgrader/gradebook/vector_add/vector_add"))
    page.wait_for_timeout(1500)
    page.get_by_role("link", name=re.compile("Submission|ada", re.I)).first.click()
    page.wait_for_timeout(3000)
    shot(page, "formgrader-submission")
    expect(page.locator("body")).to_contain_text("adds 2500 elements")
