"""A learner opens the release of vector_add in JupyterLab, types the answer and runs it; an instructor opens formgrader."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from learning import lesson
from learning.attempts import answer

ROOT = Path(__file__).resolve().parents[2]
SHOTS = os.environ.get("COURSE_SCREENSHOTS")


def shot(page, name):
    """Keep a picture where COURSE_SCREENSHOTS names a folder, for a person to look at."""
    if SHOTS:
        page.screenshot(path=str(Path(SHOTS, f"{name}.png")))


def solution() -> str:
    """Our answer's two definitions as a learner would type them: no markers, no imports."""
    text = answer(lesson.find("vector_add")).source
    lines = [line for line in text.splitlines() if not re.match(r"\s*### (BEGIN|END) SOLUTION", line)]
    start = next(i for i, line in enumerate(lines) if line.startswith("@triton.jit"))
    return "\n".join(lines[start:])


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    """A course root of its own, as a clone has it, with vector_add laid out for a learner and one submission handed in."""
    root = tmp_path_factory.mktemp("course")
    for name in ("grader_config.py", "nbgrader_config.py"):
        shutil.copy(ROOT / name, root / name)
    for name in ("learning", "source", "release"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    work = root / "work" / "vector_add"
    work.mkdir(parents=True)
    shutil.copy(ROOT / "release" / "vector_add" / "vector_add.ipynb", work)
    return root


@pytest.fixture(scope="module")
def lab(course, tmp_path_factory, serve):
    with serve(course, tmp_path_factory.mktemp("home")) as running:
        yield running


def open_notebook(page, lab, path):
    page.goto(lab.page(f"lab/tree/{path}?reset"))
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=90_000)
    page.get_by_text(re.compile(r"Python 3.*\| Idle")).wait_for(timeout=90_000)


def cell_with(page, text):
    """The first cell that holds ``text``, scrolled into view."""
    cell = page.locator(".jp-Cell", has_text=text).first
    cell.scroll_into_view_if_needed(timeout=20_000)
    return cell


def run_everything(page):
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name=re.compile("^Run All Cells")).click()
    page.wait_for_timeout(1000)
    page.get_by_text(re.compile(r"Python 3.*\| Idle")).wait_for(timeout=120_000)


def save(page):
    page.keyboard.press("Control+s")
    page.wait_for_timeout(1500)


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
    editor = cell_with(page, "def add_kernel(").locator(".cm-content")
    editor.click()
    page.keyboard.press("Control+a")
    page.evaluate("text => document.execCommand('insertText', false, text)", solution())
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
