"""The lens in JupyterLab: the picture of a learner's kernel, its PTX and its figures, by keyboard, in light and in dark."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from learning import course
from learning import lesson as lessons
from learning.attempts import answer

ROOT = Path(__file__).resolve().parents[2]
SHOTS = os.environ.get("COURSE_SCREENSHOTS")
NOTEBOOK = "work/vector_add/vector_add.ipynb"


def shot(page, name):
    """Keep a picture where COURSE_SCREENSHOTS names a folder, for a person to look at."""
    if SHOTS:
        page.screenshot(path=str(Path(SHOTS, f"{name}.png")))


@pytest.fixture(scope="module")
def lab(tmp_path_factory, serve):
    """A course root with vector_add answered; only the cells the lens is shown by, so that a run takes seconds."""
    root = tmp_path_factory.mktemp("course")
    for name in ("grader_config.py", "nbgrader_config.py"):
        shutil.copy(ROOT / name, root / name)
    for name in ("learning", "source", "release"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    book = json.loads((ROOT / "release" / "vector_add" / "vector_add.ipynb").read_text())
    solved = "\n".join(
        line
        for line in answer(lessons.find("vector_add")).source.splitlines()
        if not re.match(r"\s*### (BEGIN|END)", line)
    )
    shown = ("learning.session.begin(", "predictions.compare()", "my_kernel()", "reading.count(", "my_compiled()")
    kept = []
    for cell in book["cells"]:
        if course.role(cell) == "answer":
            cell["source"] = solved
        wanted = course.role(cell) in ("answer", "setup") or any(word in course.text(cell) for word in shown)
        if cell["cell_type"] == "code" and wanted:
            kept.append(cell)
    book["cells"] = kept
    target = root / NOTEBOOK
    target.parent.mkdir(parents=True)
    target.write_text(json.dumps(book))
    with serve(root, tmp_path_factory.mktemp("home")) as running:
        yield running


def headers(page):
    """What JupyterLab's server wants of a request that changes something."""
    cookies = {cookie["name"]: cookie["value"] for cookie in page.context.cookies()}
    return {"X-XSRFToken": cookies.get("_xsrf", "")}


def test_picture_ptx_and_figures_of_a_learners_kernel(page, lab):
    page.goto(lab.page(f"lab/tree/{NOTEBOOK}?reset"))
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=90_000)
    page.get_by_text(re.compile(r"Python 3.*\| Idle")).wait_for(timeout=90_000)
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name=re.compile("^Run All Cells")).click()
    table = page.locator("caption", has_text="add_kernel").first
    table.wait_for(timeout=180_000)

    picture = page.get_by_role("group", name=re.compile("Programs of the kernel")).first
    picture.scroll_into_view_if_needed()
    shot(page, "lens-picture")
    drawn = picture.bounding_box()
    labels = [label.bounding_box() for label in picture.locator("label").all()]
    assert len(labels) == 3 and all(box["y"] + box["height"] <= drawn["y"] + drawn["height"] for box in labels)
    first = picture.locator("svg").bounding_box()
    assert max(box["y"] + box["height"] for box in labels) <= first["y"] + 2  # no label beside or under the drawing
    picture.locator("input").first.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    opacity = picture.locator(".tile").evaluate_all("tiles => tiles.map(t => getComputedStyle(t).opacity)")
    assert opacity == ["0.12", "1", "0.12"] * 3
    assert "program 1: loads x[1024:2048]" in picture.locator(".say-1").inner_text()
    shot(page, "lens-picture-program-1")

    ptx = page.locator("details", has_text="tl.load").first
    ptx.scroll_into_view_if_needed()
    assert ptx.locator("pre").is_visible() and "ld.global" in ptx.locator("pre").inner_text()
    shot(page, "lens-ptx")
    table.scroll_into_view_if_needed()
    assert page.get_by_text("of 65536 bytes a block").first.is_visible()
    shot(page, "lens-figures")

    page.keyboard.press("Control+s")
    page.wait_for_timeout(1500)
    theme = "lab/api/settings/@jupyterlab/apputils-extension:themes"
    done = page.request.put(lab.page(theme), data={"raw": '{"theme": "JupyterLab Dark"}'}, headers=headers(page))
    assert done.ok, done.text()
    page.goto(lab.page(f"lab/tree/{NOTEBOOK}"))  # as saved: the picture must not need the kernel
    page.locator("body[data-jp-theme-light='false']").wait_for(state="attached", timeout=90_000)
    picture.wait_for(timeout=90_000)
    picture.scroll_into_view_if_needed()
    light = picture.locator("svg text").first.evaluate("t => getComputedStyle(t).fill.match(/\\d+/g).map(Number)")
    assert min(light[:3]) > 150  # the drawing takes the page's own colour
    shot(page, "lens-picture-dark")
    table.scroll_into_view_if_needed()
    shot(page, "lens-figures-dark")
