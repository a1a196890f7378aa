"""An instructor edits a lesson's source notebook in JupyterLab, and ``build --pull`` carries the edit into the folder."""

import json
import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect

from learning.build.commands import main

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def course(tmp_path):
    """A course of the builder's small test lesson, built."""
    root = tmp_path / "course"
    shutil.copytree(
        ROOT / "tests" / "build" / "lessons", root / "lessons", ignore=shutil.ignore_patterns("__pycache__")
    )
    for name in ("grader_config.py", "nbgrader_config.py"):
        shutil.copy(ROOT / name, root / name)
    assert main([], root=root, folders=root / "lessons") == 0
    return root


def cell(page, text):
    found = page.locator(".jp-Cell", has_text=text).first
    found.scroll_into_view_if_needed()
    return found


def save(page, path):
    before = path.stat().st_mtime_ns
    page.keyboard.press("Control+s")
    for _ in range(100):
        if path.stat().st_mtime_ns != before:
            return
        page.wait_for_timeout(100)
    raise AssertionError("JupyterLab did not save")


def test_edits_typed_in_jupyterlab_reach_the_folder(course, page, serve, tmp_path):
    source = course / "source" / "double_it" / "double_it.ipynb"
    built = json.loads(source.read_text())
    with serve(course, tmp_path / "home") as lab:
        page.goto(lab.page("lab/tree/source/double_it/double_it.ipynb?reset"))
        page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=90_000)
        page.get_by_text(re.compile(r"Python 3.*\| Idle")).wait_for(timeout=90_000)

        prose = cell(page, "The answer is twice as large")
        prose.locator(".jp-RenderedMarkdown").dblclick()
        prose.locator(".cm-content").click()
        page.keyboard.press("Control+End")
        page.keyboard.type("\n\nTyped under the table.")
        page.keyboard.press("Shift+Enter")

        cell(page, "Return twice").locator(".cm-content").click()
        page.keyboard.press("Control+Home")
        page.keyboard.press("End")
        page.keyboard.type("  # typed beside the definition")
        page.keyboard.press("Escape")
        page.keyboard.press("b")
        page.keyboard.press("m")
        page.keyboard.press("Enter")
        page.keyboard.type("A paragraph of my own.")
        page.keyboard.press("Shift+Enter")
        expect(page.locator(".jp-RenderedMarkdown", has_text="A paragraph of my own.")).to_be_visible()
        save(page, source)

    saved = json.loads(source.read_text())
    assert len(saved["cells"]) == len(built["cells"]) + 1
    assert main(["--pull"], root=course, folders=course / "lessons") == 0
    text = (course / "lessons" / "double_it" / "lesson.md").read_text()
    assert "| 1.5 | 3 |\n\nTyped under the table.\n" in text
    assert text.index("answer.EMPTY") < text.index("A paragraph of my own.") < text.index("try-it")
    answer = (course / "lessons" / "double_it" / "answer.py").read_text()
    assert "def double(x):  # typed beside the definition\n" in answer
    kept = {"text-contract", "check-keeps-the-sign", "hidden-is-timed-on-a-gpu", "explain-explanation"}
    fresh = {c["id"]: c for c in json.loads(source.read_text())["cells"]}
    assert all(fresh[c["id"]] == c for c in built["cells"] if c["id"] in kept)
