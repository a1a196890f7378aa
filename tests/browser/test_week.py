"""A week in the browser: from the untouched release to the last gate, by keyboard, as a learner does it.

What is typed is ``tests/gates/week.py``'s, which does the same headless. A machine without a GPU cannot close the GPU's gates of
vector_add; for these there is the fixture of ``tests/gates/fixture.py``, which the product refuses.
"""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import expect

from learning import course, lesson
from learning.gates import records
from tests.gates import fixture, week
from tools.lab import IDLE, Walk, copy_course, environment, open_notebook, run_everything, save
from tools.screenshots import keep, picture

pytestmark = pytest.mark.timeout(1200)  # a week is some 70 cells; 336 s were seen on two busy cores
SHOTS = os.environ.get("COURSE_SCREENSHOTS")
PATIENCE = 60_000
CPU, GPU = "online_normalizer", "vector_add"
WAIT = dict.fromkeys(("parity", "bench", "bound", "compare", "autotune"), "waiting for a GPU")


def shot(page, name):
    """Keep a picture where COURSE_SCREENSHOTS names a folder, for a person to look at."""
    if SHOTS:
        page.wait_for_timeout(500)
        keep(Path(SHOTS, f"week-{name}.png"), picture(page))


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


@pytest.fixture(scope="module")
def desk(tmp_path_factory, serve, browser):
    place = tmp_path_factory.mktemp("week")
    root, home = copy_course(place / "course"), place / "home"
    home.mkdir()
    shutil.copytree(week.ROOT / "tests" / "gates", root / "tests" / "gates")  # for the test's own door
    env = environment(home, root)
    subprocess.run(
        [sys.executable, "-m", "learning.workshops.start"], cwd=root, env=env, check=True, capture_output=True
    )
    with serve(root, home, env) as running:
        yield Desk(running, browser)


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


def test_the_week_of_online_normalizer_closes_every_gate(desk, page):
    shown = desk.week(CPU)
    assert "progress 6/7" in shown["show-checklist"]  # the blank page came afterwards
    open_notebook(page, desk.lab, desk.path(CPU))
    board = Board(page)
    board.has(CPU)
    board.shows("progress 7/7")
    expect(board.view).to_contain_text("Every gate is proved: this week counts.")
    assert board.view.get_by_role("checkbox").evaluate_all("boxes => boxes.every(box => box.disabled)")
    Board(page, first=True).shows("progress 7/7")
    expect(page.locator(".jp-CodeCell").first).to_contain_text("progress 7/7")  # the machine table as well
    assert week.SURPRISE[CPU] in (desk.log(CPU).parent / "logs.txt").read_text()
    found = records.read(desk.log(CPU))
    assert not found.damage and not found.refused
    to_the_last(page)
    shot(page, "online_normalizer-light")


def test_what_a_week_has_proved_outlives_a_reload_a_restart_and_both(desk, page):
    sit_down(page, desk, CPU).has(CPU)
    save(page)
    page.reload()
    page.get_by_text(IDLE).wait_for(timeout=90_000)
    Board(page).has(CPU)
    restart(page)
    run_first(page)
    Board(page, first=True).shows("progress 7/7")
    Board(page).has(CPU)  # the view of the kernel that is gone
    save(page)
    restart(page)
    page.reload()
    page.get_by_text(IDLE).wait_for(timeout=90_000)
    static = page.locator(".jp-Notebook .learning-checklist-static")
    expect(static.last).to_contain_text("progress 7/7 · gates of A1 Online normalizer · as of 20", timeout=PATIENCE)
    assert page.locator(".jp-Notebook .learning-checklist").count() == 0  # no kernel yet, and nothing that looks alive
    run_first(page)
    Board(page).shows("progress 7/7")
    assert page.locator(".jp-Notebook .learning-checklist").count() == 1
    run_last(page).has(CPU)
    assert desk.ticks(CPU) == []


def test_the_week_of_vector_add_waits_for_a_gpu_and_evidence_made_by_tests_is_refused(desk, page):
    desk.week(GPU)
    open_notebook(page, desk.lab, desk.path(GPU))
    board = Board(page)
    board.has(GPU, **WAIT)
    board.shows("progress 7/12")
    expect(board.view).to_contain_text("Next: gate 06, parity on a GPU.")
    to_the_last(page)
    shot(page, "vector_add-light")
    planted = fixture.plant(desk.log(GPU), GPU)
    refused = f"{planted} of its records are evidence made by tests and do not count."
    board.refresh()
    expect(board.view.locator(".note")).to_have_text([refused], timeout=PATIENCE)
    board.has(GPU, **WAIT)
    run_first(page)
    expect(page.locator(".jp-CodeCell").first).to_contain_text(refused)
    Board(page, first=True).shows("progress 7/12")
    to_the_last(page)
    shot(page, "vector_add-refused")
    door = {"cell_type": "code", "id": "door", "metadata": {}, "outputs": [], "execution_count": None,
            "source": f"from tests.gates import fixture\n\nfixture.board({GPU!r})"}  # fmt: skip
    book = course.load(desk.lab.root / desk.path(GPU))
    (desk.lab.root / "door.ipynb").write_text(json.dumps(book | {"cells": [door]}))
    open_notebook(page, desk.lab, "door.ipynb")
    Walk(page).run()
    board = Board(page)
    board.has(GPU)
    board.shows("progress 12/12")
    expect(board.view).to_contain_text("Every gate is proved: this week counts.")
    shot(page, "vector_add-door")


def test_a_tick_is_a_claim_beside_what_is_proved_and_is_taken_back(desk, page):
    board = sit_down(page, desk, GPU)
    before = desk.ticks(GPU)
    board.has(GPU, **WAIT)
    board.box("parity").check()
    expect(board.status()).to_contain_text("ticked, saved. progress 7/12, 1 claimed", timeout=PATIENCE)
    claimed = WAIT | {"parity": "claimed"}
    board.has(GPU, **claimed)
    save(page)
    page.reload()
    page.get_by_text(IDLE).wait_for(timeout=90_000)
    Board(page).has(GPU, **claimed)
    expect(Board(page).box("parity")).to_be_checked()
    to_the_last(page)
    shot(page, "vector_add-claimed")
    restart(page)
    run_first(page)
    first = Board(page, first=True)
    first.shows("progress 7/12, 1 claimed")
    first.view.locator(".all > summary").click()
    first.has(GPU, **claimed)
    first.box("parity").uncheck()
    first.has(GPU, **WAIT)
    assert desk.ticks(GPU)[len(before) :] == [("parity", True), ("parity", False)]


def test_a_tick_after_a_restart_behind_the_pages_back_is_never_lost(desk, page):
    board = sit_down(page, desk, GPU)
    before = desk.ticks(GPU)
    board.has(GPU, **WAIT)
    restart_behind_its_back(page, desk, GPU)
    board.box("bench").check()
    board.has(GPU, **WAIT | {"bench": "not saved yet"})
    expect(board.status()).to_contain_text("1 tick is not saved yet: kernel not connected")
    shot(page, "vector_add-not-saved")
    assert desk.ticks(GPU) == before
    run_first(page)
    board.has(GPU, **WAIT | {"bench": "claimed"})
    assert desk.ticks(GPU) == [*before, ("bench", True)]
    restart_behind_its_back(page, desk, GPU)
    board.box("bench").uncheck()
    board.has(GPU, **WAIT | {"bench": "not saved yet"})
    page.reload()  # and what was never sent outlives this too
    page.get_by_text(IDLE).wait_for(timeout=90_000)
    run_first(page)
    Board(page).shows("progress 7/12")
    run_last(page).has(GPU, **WAIT)
    assert desk.ticks(GPU) == [*before, ("bench", True), ("bench", False)]


def test_both_weeks_in_the_dark(desk, page):
    with dark(page, desk.lab):
        for slug, others, progress in ((CPU, {}, "progress 7/7"), (GPU, WAIT, "progress 7/12")):
            board = sit_down(page, desk, slug)
            page.locator("body[data-jp-theme-light='false']").wait_for(state="attached", timeout=90_000)
            board.has(slug, **others)
            board.shows(progress)
            to_the_last(page)
            shot(page, f"{slug}-dark")


def test_the_companions_say_the_same_of_both_weeks(desk, page):
    desk.week(CPU), desk.week(GPU)
    open_notebook(page, desk.lab, "notebooks/checklist_and_plan.ipynb")
    run_everything(page)
    cells = page.locator(".jp-CodeCell")
    row = lambda cell, name: cells.filter(has_text=cell).locator("tr", has_text=name).first  # noqa: E731
    expect(row("overview.overview()", "A1 Online normalizer")).to_contain_text("7/7")
    expect(row("overview.overview()", "A1 Online normalizer")).to_contain_text("done")
    expect(row("overview.overview()", "L1 Vector add")).to_contain_text("7/12")
    expect(row("overview.overview()", "L1 Vector add")).to_contain_text("06 parity on a GPU (waits for a GPU)")
    expect(cells.filter(has_text="overview.overview()")).to_contain_text("14 of ")
    expect(cells.filter(has_text="overview.skills()")).to_contain_text("2 of 2 misses have a cause in your words")
    Board(page).has(GPU, **WAIT)
    for name in ("A1 Online normalizer", "L1 Vector add"):
        expect(row("overview.ladder()", name)).to_contain_text("rewritten")
    look(page, "checklist_and_plan")
    open_notebook(page, desk.lab, "notebooks/portfolio.ipynb")
    run_everything(page)
    made = cells.filter(has_text="portfolio.portfolio()")
    expect(made.locator("tr", has_text="A1 Online normalizer")).to_contain_text("passed on the CPU")
    expect(made.locator("tr", has_text="L1 Vector add")).to_contain_text("open until they pass on a GPU")
    for slug in (CPU, GPU):
        expect(made).to_contain_text(week.SURPRISE[slug])
        expect(made).to_contain_text(week.EXPLAINED[slug])
    expect(made.get_by_text("I forgot to bring the old total over")).to_have_count(1)
    expect(made).to_contain_text("In my log: exponentials 200 (rising)")
    look(page, "portfolio")
    open_notebook(page, desk.lab, "notebooks/blank_page.ipynb")
    run_everything(page)
    expect(cells.filter(has_text="blank.attempts()")).to_contain_text("In the last seven days: 2 passed.")
    look(page, "blank_page")


def look(page, name):
    """Pictures of a companion, a code cell each."""
    for n, cell in enumerate(page.locator(".jp-CodeCell").all()):
        cell.evaluate("cell => cell.scrollIntoView({block: 'start', behavior: 'instant'})")
        shot(page, f"{name}-{n}")
