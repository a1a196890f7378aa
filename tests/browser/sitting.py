"""What ``test_week.py`` does at a learner's desk: a whole week typed by keyboard, the checklist as the browser draws it, restarts."""

import contextlib
import os
import re
from pathlib import Path

from playwright.sync_api import TimeoutError, expect

from learning import course, lesson
from learning.files import replace
from learning.gates import records
from tests.gates import week
from tools.lab import IDLE, Walk, open_notebook, save
from tools.screenshots import picture

SHOTS = os.environ.get("COURSE_SCREENSHOTS")
PATIENCE = 60_000
"""Milliseconds for one thing to appear, on a loaded machine."""


def shot(page, name):
    """Keep a picture where COURSE_SCREENSHOTS names a folder, for a person to look at."""
    if SHOTS:
        page.wait_for_timeout(500)
        replace(Path(SHOTS, f"week-{name}.png"), picture(page))


class Desk:
    """A course root as a clone has it, laid out for a learner and served; ``week(slug)`` does a lesson's week once."""

    def __init__(self, lab, browser):
        self.lab, self.browser, self.weeks = lab, browser, {}

    def path(self, slug):
        return f"work/{slug}/{slug}.ipynb"

    def log(self, slug):
        return self.lab.root / "work" / slug / records.FILE

    def ticks(self, slug):
        told = [one["payload"] for one in records.read(self.log(slug)).records if one["event"] == "tick"]
        return [(one["gate"], one["ticked"]) for one in told]

    def week(self, slug):
        """What each cell showed, by its id."""
        if slug not in self.weeks:
            context = self.browser.new_context(viewport={"width": 1400, "height": 1100})
            self.weeks[slug] = None  # a week that broke off is not begun again over its own records
            self.weeks[slug] = through(context.new_page(), self, slug)
            context.close()
        assert self.weeks[slug] is not None, f"the week of {slug} broke off in an earlier test"
        return self.weeks[slug]


def through(page, desk, slug):
    """Do the week of ``slug`` by keyboard; the notebook is saved and the blank page judged at the end."""
    shown, typed = {}, {}
    released = course.load(desk.lab.root / "release" / slug / f"{slug}.ipynb")
    assert course.load(desk.lab.root / desk.path(slug)) == released
    open_notebook(page, desk.lab, desk.path(slug))
    walk = Walk(page)
    for cell in released["cells"]:
        name, text = cell["id"], course.text(cell)
        kept = records.read(desk.log(slug)).records
        if name == "show-log":
            for source in week.missed_times(slug, kept):
                walk.scratch(source)
        typed[name] = week.filled(slug, name, text, kept)
        if typed[name] != text:
            walk.write(typed[name])
        shown[name] = walk.run()
        for source in week.then(slug, name):
            shown[f"{name}, {source}"] = walk.scratch(source)
        if name == "show-checklist":
            break
    save(page)
    saved = {cell["id"]: course.text(cell) for cell in course.load(desk.lab.root / desk.path(slug))["cells"]}
    assert {name: saved[name] for name in typed} == typed  # the page holds what was typed, to the character
    blank(page, desk, slug, shown)
    return shown


def blank(page, desk, slug, shown):
    """Fill in and judge the blank page that the lesson laid out, the lesson's notebook closed."""
    path = f"work/{slug}/blank_1.ipynb"
    book = course.load(desk.lab.root / path)
    reference, rest = week.blank_answers(slug, book["metadata"]["learning"]["blank"]["variation"])
    said = {"blank-answer-reference": reference, "blank-answer-kernel": rest}
    open_notebook(page, desk.lab, path)
    walk = Walk(page)
    for cell in book["cells"]:
        if cell["id"] in said:
            walk.write(said[cell["id"]])
        shown[cell["id"]] = walk.run()
    save(page)


class Board:
    """The checklist as the browser draws it: of the lesson's last cell, or the folded one below the first."""

    def __init__(self, page, first=False):
        views = page.locator(".jp-Notebook .learning-checklist")
        self.view = views.first if first else views.last

    def shows(self, progress):
        expect(self.view.locator(".all > summary")).to_contain_text(f"{progress} · gates of", timeout=PATIENCE)

    def has(self, slug, **others):
        """Every gate of the lesson is proved, but for ``others``; gates of no concern say so."""
        card = lesson.load(slug)
        wanted = [others.get(gate, "proved") if gate in card.gates else "does not apply" for gate in lesson.GATES]
        expect(self.view.locator("li .state")).to_have_text(wanted, timeout=PATIENCE)

    def gate(self, gate):
        return self.view.locator("li").nth(lesson.GATES.index(gate))

    def box(self, gate):
        return self.gate(gate).get_by_role("checkbox")

    def status(self):
        return self.view.get_by_role("status")

    def refresh(self):
        self.view.get_by_role("button", name="Refresh").click()


def restart(page):
    """Restart the kernel by JupyterLab's menu."""
    page.get_by_role("menuitem", name="Kernel", exact=True).click()
    page.get_by_role("menuitem", name=re.compile("^Restart Kernel…")).click()
    page.get_by_role("button", name="Confirm Kernel Restart").click()
    page.wait_for_timeout(1500)
    page.get_by_text(IDLE).wait_for(timeout=90_000)


def ask_the_server(page, lab):
    """``(request, headers)``: the server's API, asked beside the page."""
    return page.context.request, {"Authorization": f"token {lab.token}"}


def restart_behind_its_back(page, desk, slug):
    """Restart the notebook's kernel through the server's API, as another tab, a script or a watchdog may."""
    ask, headers = ask_the_server(page, desk.lab)
    sessions = ask.get(f"{desk.lab.url}/api/sessions", headers=headers).json()
    kernel = next(one["kernel"]["id"] for one in sessions if one["path"] == desk.path(slug))
    assert ask.post(f"{desk.lab.url}/api/kernels/{kernel}/restart", headers=headers).ok


@contextlib.contextmanager
def dark(page, lab):
    """JupyterLab in its dark theme."""
    ask, headers = ask_the_server(page, lab)
    theme = f"{lab.url}/lab/api/settings/@jupyterlab/apputils-extension:themes"
    assert ask.put(theme, data={"raw": '{"theme": "JupyterLab Dark"}'}, headers=headers).ok
    try:
        yield
    finally:
        ask.put(theme, data={"raw": "{}"}, headers=headers)


def run_first(page):
    """Run the notebook's first code cell again; returns what it shows."""
    return Walk(page, at=1).run()


def run_last(page):
    """Run the checklist's cell at the notebook's end again; returns its board."""
    sources = page.locator(".jp-Notebook .jp-Cell").evaluate_all("cells => cells.map(cell => cell.textContent)")
    Walk(page, at=max(n for n, text in enumerate(sources) if "import checklist" in text)).run()
    return Board(page)


def come_back(page, again):
    """Reload the page; its kernel lives. On a loaded machine JupyterLab's widget manager may miss the kernel's widgets ("widget
    model not found", one reload in eight): then the page says how the gates stood and what to do, and ``again()`` does it."""
    page.reload()
    page.get_by_text(IDLE).wait_for(timeout=90_000)
    try:
        page.locator(".jp-Notebook .learning-checklist").last.wait_for(state="attached", timeout=20_000)
    except TimeoutError:
        expect(page.locator(".learning-checklist-static .again").last).to_be_visible()
        again()


def sit_down(page, desk, slug):
    """Open the lesson of a week that was done, whatever became of its kernel; returns the board of its last cell."""
    desk.week(slug)
    open_notebook(page, desk.lab, desk.path(slug))
    run_first(page)
    return run_last(page)


def to_the_last(page):
    """Bring the checklist at the notebook's end to the top of the window."""
    cell = page.locator(".jp-CodeCell", has_text="import checklist").last
    cell.evaluate("cell => cell.scrollIntoView({block: 'start', behavior: 'instant'})")
    page.mouse.move(2, 2)


def look(page, name):
    """Pictures of a companion, a code cell each."""
    for n, cell in enumerate(page.locator(".jp-CodeCell").all()):
        cell.evaluate("cell => cell.scrollIntoView({block: 'start', behavior: 'instant'})")
        shot(page, f"{name}-{n}")
