"""A week in the browser: from the untouched release to the last gate, by keyboard, as a learner does it.

What is typed is ``tests/gates/week.py``'s, which does the same headless. A machine without a GPU cannot close the GPU's gates of
vector_add; for these there is the fixture of ``tests/gates/fixture.py``, which the product refuses.
"""

import json
import re
import shutil
import subprocess
import sys

import pytest
from playwright.sync_api import expect

from learning import course
from learning.gates import records
from tests.browser.sitting import (
    PATIENCE,
    Board,
    Desk,
    come_back,
    dark,
    look,
    restart,
    restart_behind_its_back,
    run_first,
    run_last,
    shot,
    sit_down,
    to_the_last,
)
from tests.gates import fixture, week
from tools.lab import IDLE, Walk, copy_course, environment, open_notebook, run_everything, save

pytestmark = pytest.mark.timeout(1200)  # a week is some 70 cells; 336 s were seen on two busy cores
CPU, GPU = "online_normalizer", "vector_add"
WAIT = dict.fromkeys(("parity", "bench", "bound", "compare", "autotune"), "waiting for a GPU")


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
    come_back(page, lambda: (run_first(page), run_last(page)))
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
    come_back(page, lambda: (run_first(page), run_last(page)))
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
    try:
        board.has(GPU, **WAIT | {"bench": "claimed"})
    except (
        AssertionError
    ):  # on a loaded machine the page may miss a new kernel's widgets, as after a reload: run it again
        expect(board.status()).to_contain_text("1 tick is not saved yet")
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


def test_a_tick_while_a_cell_runs_is_kept_at_once_or_shown_as_not_saved_and_arrives_by_itself(desk, page):
    board = sit_down(page, desk, GPU)
    before = desk.ticks(GPU)
    page.keyboard.press("b")
    page.keyboard.press("Enter")
    page.keyboard.insert_text("import pathlib, time\n\nwhile not pathlib.Path('go on').exists():\n    time.sleep(0.1)")
    page.keyboard.press("Shift+Enter")
    page.get_by_text("Python 3 (ipykernel) | Busy").wait_for(timeout=PATIENCE)
    board.box("autotune").check()
    state = board.gate("autotune").locator(".state")
    expect(state).to_have_text(
        re.compile("^(claimed|not saved yet)$"), timeout=PATIENCE
    )  # kernels with subshells answer
    if state.text_content() == "claimed":
        assert desk.ticks(GPU) == [*before, ("autotune", True)]
    (desk.log(GPU).parent / "go on").touch()
    board.has(GPU, **WAIT | {"autotune": "claimed"})
    board.box("autotune").uncheck()
    board.has(GPU, **WAIT)
    assert desk.ticks(GPU) == [*before, ("autotune", True), ("autotune", False)]


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
