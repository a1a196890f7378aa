"""The checklist in JupyterLab: ticks survive a reload, a restart and both, in light, dark and forced colours, by keyboard."""

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect

from learning import course
from learning.gates import records
from tests.browser.sitting import come_back

ROOT = Path(__file__).resolve().parents[2]
SHOTS = os.environ.get("COURSE_SCREENSHOTS")
SLUG = "online_normalizer"
CELLS = {
    "checklist": "from learning.widgets.checklist import checklist\n\nchecklist()",
    "reference": "normalizer_reference([1.0, 2.0])",
}


def shot(page, name):
    """Keep a picture where COURSE_SCREENSHOTS names a folder, for a person to look at."""
    if SHOTS:
        page.screenshot(path=str(Path(SHOTS, f"{name}.png")))


@pytest.fixture(scope="module")
def lab(tmp_path_factory, serve):
    """A course root as a clone has it."""
    root = tmp_path_factory.mktemp("course")
    for name in ("grader_config.py", "nbgrader_config.py"):
        shutil.copy(ROOT / name, root / name)
    for name in ("learning", "release"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    with serve(root, tmp_path_factory.mktemp("home")) as running:
        yield running


class Notebook:
    """The CPU lesson's set-up cells, its reference and a checklist, in a folder of its own, open in a page."""

    def __init__(self, lab, page, name):
        self.lab, self.page = lab, page
        book = json.loads((ROOT / "release" / SLUG / f"{SLUG}.ipynb").read_text())
        kept = [
            cell
            for cell in book["cells"]
            if cell["cell_type"] == "code" and course.role(cell) in ("bootstrap", "setup")
        ]
        for name_of, source in CELLS.items():
            kept.append({"cell_type": "code", "id": name_of, "metadata": {}, "source": source, "outputs": [],
                         "execution_count": None})  # fmt: skip
        book["cells"] = kept
        self.path = f"work/{name}/{SLUG}.ipynb"
        target = lab.root / self.path
        target.parent.mkdir(parents=True)
        target.write_text(json.dumps(book))

    @property
    def log(self):
        return records.read((self.lab.root / self.path).parent / records.FILE).records

    @property
    def ticks(self):
        return [(one["payload"]["gate"], one["payload"]["ticked"]) for one in self.log if one["event"] == "tick"]

    def open(self, again=""):
        self.page.goto(self.lab.page(f"lab/tree/{self.path}{again}"))
        self.page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=90_000)
        self.idle()

    def idle(self):
        self.page.get_by_text(re.compile(r"Python 3.*\| Idle")).wait_for(timeout=90_000)

    def run_first(self):
        """Run the first cell, whose source is folded away: from a cell further down, up to it. Returns when it drew anew."""
        self.page.locator(".learning-checklist").first.evaluate("node => { node.dataset.old = ''; }")
        self.page.locator(".jp-CodeCell", has_text="normalizer_reference([1.0").last.locator(".jp-InputPrompt").click()
        for _ in range(10):
            self.page.keyboard.press("k")
        self.page.keyboard.press("Control+Enter")
        self.page.locator(".learning-checklist").first.and_(self.page.locator(":not([data-old])")).wait_for(
            state="attached", timeout=60_000
        )
        self.idle()

    def run_all(self):
        self.page.get_by_role("menuitem", name="Run", exact=True).click()
        self.page.get_by_role("menuitem", name=re.compile("^Run All Cells")).click()
        self.page.wait_for_timeout(500)
        self.idle()

    def restart(self):
        """Restart the kernel, by JupyterLab's menu."""
        self.page.get_by_role("menuitem", name="Kernel", exact=True).click()
        self.page.get_by_role("menuitem", name=re.compile("^Restart Kernel…")).click()
        self.page.get_by_role("button", name="Confirm Kernel Restart").click()
        self.page.wait_for_timeout(1500)
        self.idle()

    def save(self):
        self.page.keyboard.press("Control+s")
        self.page.wait_for_timeout(1500)

    def view(self):
        """The checklist of the checklist's own cell."""
        return self.page.locator(".jp-CodeCell", has_text="checklist()").last.locator(".learning-checklist")

    def gate(self, number):
        return self.view().locator("li").nth(number - 1)

    def state(self, number):
        return self.gate(number).locator(".state")


@pytest.fixture
def notebook(lab, page, request):
    return Notebook(lab, page, re.sub(r"\W", "_", request.node.name))


def test_a_tick_is_recorded_and_proof_arrives_and_both_survive_a_reload(notebook, page):
    notebook.open("?reset")
    notebook.run_all()
    expect(notebook.state(1)).to_have_text("proved", timeout=60_000)  # the reference ran in the last cell
    notebook.view().get_by_role("checkbox", name="12 numbers logged").check()
    expect(notebook.state(12)).to_have_text("claimed", timeout=60_000)
    expect(notebook.view().get_by_role("status")).to_contain_text("saved. progress 1/7, 1 claimed")
    assert notebook.ticks == [("log", True)]
    folded = page.locator(".learning-checklist").first
    expect(folded.locator(".all > summary")).to_have_text("progress 1/7, 1 claimed · gates of A1 Online normalizer")
    expect(folded.locator("fieldset")).to_be_hidden()
    shot(page, "checklist-light")
    notebook.save()
    saved = json.loads((notebook.lab.root / notebook.path).read_text())
    assert "widgets" not in saved["metadata"]
    assert "progress 1/7, 1 claimed" in json.dumps(saved["cells"])  # what GitHub shows is as it stands now
    come_back(page, notebook.run_all)
    expect(notebook.state(12)).to_have_text("claimed", timeout=60_000)
    expect(notebook.gate(12).locator("input")).to_be_checked()
    notebook.view().get_by_role("checkbox", name="12 numbers logged").uncheck()
    expect(notebook.state(12)).to_have_text("open", timeout=60_000)
    assert notebook.ticks == [("log", True), ("log", False)]


def test_after_a_restart_a_tick_is_kept_by_the_browser_and_sent_when_the_first_cell_has_run(notebook, page):
    notebook.open("?reset")
    notebook.run_all()
    expect(notebook.state(1)).to_have_text("proved", timeout=60_000)
    notebook.restart()
    notebook.view().get_by_role("checkbox", name="11 written from memory").check()
    expect(notebook.state(11)).to_have_text("not saved yet", timeout=60_000)
    expect(notebook.view().get_by_role("status")).to_contain_text("not saved yet: kernel not connected")
    shot(page, "checklist-not-saved")
    assert notebook.ticks == []
    notebook.run_first()
    shot(page, "checklist-first-cell-again")
    # the kernel of this view is gone, and the view that the first cell drew speaks for it
    expect(notebook.state(11)).to_have_text("claimed", timeout=60_000)
    assert notebook.ticks == [("blank_page", True)]


def test_a_restart_and_a_reload_lose_neither_gates_nor_a_tick_that_was_never_sent(notebook, page):
    notebook.open("?reset")
    notebook.run_all()
    expect(notebook.state(1)).to_have_text("proved", timeout=60_000)
    notebook.save()
    notebook.restart()
    notebook.view().get_by_role("checkbox", name="12 numbers logged").check()
    expect(notebook.state(12)).to_have_text("not saved yet", timeout=60_000)
    page.reload()
    notebook.idle()
    static = page.locator(".jp-CodeCell", has_text="checklist()").last.locator(".learning-checklist-static")
    expect(static).to_be_visible(timeout=60_000)  # no kernel: the gates as they last stood, and no broken widget
    expect(static).to_contain_text("the locked reference ran first")
    expect(static.locator(".again")).to_be_visible()
    page.wait_for_timeout(3000)
    assert not [said for said in page.get_by_text("model not found").all() if said.is_visible()]
    shot(page, "checklist-static-after-restart")
    notebook.run_all()
    expect(notebook.state(12)).to_have_text("claimed", timeout=60_000)
    expect(notebook.state(1)).to_have_text("proved")
    assert notebook.ticks == [("log", True)]
    expect(static).to_be_hidden()


def test_in_the_dark_and_with_the_keyboard_alone(notebook, page):
    cookies_from = page.goto(notebook.lab.page("lab"))
    assert cookies_from.ok
    cookies = {cookie["name"]: cookie["value"] for cookie in page.context.cookies()}
    theme = notebook.lab.page("lab/api/settings/@jupyterlab/apputils-extension:themes")
    headers = {"X-XSRFToken": cookies.get("_xsrf", "")}
    try:
        assert page.request.put(theme, data={"raw": '{"theme": "JupyterLab Dark"}'}, headers=headers).ok
        notebook.open("?reset")
        page.locator("body[data-jp-theme-light='false']").wait_for(state="attached", timeout=90_000)
        notebook.run_all()
        box = notebook.view().get_by_role("checkbox", name="04 neutral values predicted")
        notebook.view().locator(".all > summary").focus()
        for _ in range(10):  # from the summary on: boxes and explanations, in the order they stand
            page.keyboard.press("Tab")
            if box.evaluate("b => b === document.activeElement"):
                break
        page.keyboard.press("Space")
        expect(notebook.state(4)).to_have_text("claimed", timeout=60_000)
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        expect(notebook.gate(4).get_by_text("Proved by:")).to_be_visible()
        assert notebook.ticks == [("masks", True)]
        ink = (
            notebook.gate(4)
            .locator("label span")
            .last.evaluate("n => getComputedStyle(n).color.match(/[\\d.]+/g).map(Number)")
        )
        assert min(ink[:3]) > 150  # the page's own colour
        notebook.view().scroll_into_view_if_needed()
        shot(page, "checklist-dark")
        page.emulate_media(forced_colors="active")
        shot(page, "checklist-forced-colours")
    finally:
        page.request.put(theme, data={"raw": "{}"}, headers=headers)
