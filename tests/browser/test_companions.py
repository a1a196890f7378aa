"""A learner walks through the companions in JupyterLab: they run, read well, and their links open what they name."""

import os
import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect

ROOT = Path(__file__).resolve().parents[2]
SHOTS = os.environ.get("COURSE_SCREENSHOTS")


@pytest.fixture(scope="module")
def lab(tmp_path_factory, serve):
    """JupyterLab on a clone's worth of files, so that nothing here is written."""
    root = tmp_path_factory.mktemp("course")
    for name in ("grader_config.py", "nbgrader_config.py", "README.md", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, root / name)
    for name in ("learning", "source", "release", "notebooks", "docs", "benchmarks"):
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(root))  # this clone's package, not the one that is installed
        with serve(root, tmp_path_factory.mktemp("home")) as running:
            yield running


def run_all(page, lab, slug):
    """Open a companion and run it from top to bottom; waits until the kernel rests and every cell has its number."""
    page.goto(lab.page(f"lab/tree/notebooks/{slug}.ipynb?reset"))
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=90_000)
    page.get_by_text(re.compile(r"Python 3.*\| Idle")).wait_for(timeout=90_000)
    page.locator(".jp-Notebook .jp-Cell").first.click()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    last = page.locator(".jp-CodeCell .jp-InputPrompt").last
    expect(last).to_have_text(re.compile(r"\[\d+\]"), timeout=180_000)
    assert page.locator(".jp-RenderedText[data-mime-type='application/vnd.jupyter.error']").count() == 0


def shot(page, name):
    if SHOTS:
        page.screenshot(path=str(Path(SHOTS, f"companion-{name}.png")), full_page=True)


def test_start_here_checks_the_machine_and_its_links_open(page, lab):
    run_all(page, lab, "start_here")
    output = page.locator(".jp-OutputArea")
    expect(output.get_by_text("Every lesson runs here.", exact=False).first).to_be_visible()
    assert (lab.root / "work" / "vector_add" / "vector_add.ipynb").is_file()
    shot(page, "start")
    page.locator(".jp-Notebook").get_by_role("link", name="checklist_and_plan").click()
    expect(page.locator(".lm-TabBar-tabLabel", has_text="checklist_and_plan.ipynb")).to_be_visible(timeout=60_000)


def test_the_checklist_links_to_the_learners_own_notebook(page, lab):
    run_all(page, lab, "checklist_and_plan")
    output = page.locator(".jp-OutputArea")
    view = page.locator(".learning-checklist").last
    view.get_by_role("checkbox", name="12 numbers logged").check()
    log = lab.root / "work" / "vector_add" / "progress.jsonl"
    expect(view.get_by_role("status")).to_contain_text("1 claimed", timeout=60_000)
    assert '"ticked":true' in log.read_text()
    shot(page, "checklist")
    output.get_by_role("link", name="L1 Vector add").first.click()
    expect(page.locator(".lm-TabBar-tabLabel", has_text="vector_add.ipynb")).to_be_visible(timeout=60_000)


def test_the_ledger_runs_a_trap_and_shows_its_table(page, lab):
    run_all(page, lab, "gotchas_ledger")
    expect(page.get_by_text("of the row is missing").first).to_be_visible()
    page.get_by_role("heading", name="3 · Masked columns of a softmax must load −inf").scroll_into_view_if_needed()
    shot(page, "ledger")
    rows = page.locator(".jp-MarkdownOutput table tr", has_text="81 normal numbers in 1024 lanes")
    expect(rows.first).to_contain_text("yes")


def test_a_worksheet_is_filled_in_and_kept(page, lab):
    run_all(page, lab, "worksheet")
    expect(page.get_by_text("Nothing is kept yet.", exact=False).first).to_be_visible()
    shot(page, "worksheet")
    kept = lab.root / "work" / "vector_add" / "progress.jsonl"
    assert not kept.exists() or '"worksheet"' not in kept.read_text()
