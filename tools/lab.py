"""A real JupyterLab on a course of its own, a real headless Chromium, and what a learner does in them.

Shared by the browser tests, the pictures (tools/screenshots.py) and the clock (benchmarks/first_five_minutes.py).
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from learning import lesson as lessons  # noqa: E402
from learning.attempts import answer  # noqa: E402

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
PATIENCE = 180
"""Seconds: on a machine busy with other work JupyterLab was seen to need 52."""
IDLE = re.compile(r"Python 3.*\| Idle")


@dataclass
class Lab:
    """A running server: its address with token, the folder it serves, and the seconds until it answered."""

    url: str
    token: str
    root: Path
    seconds: float = 0.0

    def page(self, path: str) -> str:
        return f"{self.url}/{path}{'&' if '?' in path else '?'}token={self.token}"


def copy_course(target: Path) -> Path:
    """A course root as a clone has it, in ``target``."""
    target.mkdir(parents=True, exist_ok=True)
    for name in ("grader_config.py", "nbgrader_config.py"):
        shutil.copy(ROOT / name, target / name)
    for name in ("learning", "source", "release", "notebooks"):
        shutil.copytree(ROOT / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))
    return target


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def environment(home: Path, root: Path | None = None) -> dict[str, str]:
    """Variables under which Jupyter finds nothing of the user's own, and Python the course in ``root``."""
    return {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "JUPYTER_CONFIG_DIR": str(home / "config"),
        "JUPYTER_DATA_DIR": str(home / "data"),
        "JUPYTER_RUNTIME_DIR": str(home / "runtime"),
        "IPYTHONDIR": str(home / "ipython"),
        "HOME": str(home),
        **({"PYTHONPATH": str(root)} if root is not None else {}),
    }


@contextlib.contextmanager
def served(root: Path, home: Path, env: dict[str, str] | None = None) -> Iterator[Lab]:
    """JupyterLab on ``root``, in a home of its own; ``RuntimeError`` with its log where it does not start in ``PATIENCE`` seconds."""
    port, token = free_port(), "t" * 24
    settings = home / "config" / "lab" / "user-settings" / "@jupyterlab"
    for name, values in {
        "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
        "notebook-extension/tracker": {"windowingMode": "none"},  # every cell is in the page, so that it can be found
    }.items():
        path = settings / f"{name}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values))
    log = (home / "lab.log").open("w")
    command = [sys.executable, "-m", "jupyter", "lab", "--no-browser", "--allow-root", f"--port={port}", "--ip=127.0.0.1",
               f"--IdentityProvider.token={token}", "--ServerApp.port_retries=0"]  # fmt: skip
    started = time.monotonic()
    server = subprocess.Popen(command, cwd=root, env=env or environment(home), stdout=log, stderr=subprocess.STDOUT)
    lab = Lab(f"http://127.0.0.1:{port}", token, root)
    try:
        while True:
            try:
                urllib.request.urlopen(lab.page("api/status"), timeout=2).close()
                break
            except OSError:
                if server.poll() is not None or time.monotonic() > started + PATIENCE:
                    raise RuntimeError(f"JupyterLab did not start:\n{(home / 'lab.log').read_text()[-3000:]}") from None
                time.sleep(0.2)
        lab.seconds = time.monotonic() - started
        yield lab
    finally:
        server.terminate()
        try:
            server.wait(15)
        except subprocess.TimeoutExpired:
            server.kill()
        log.close()


@contextlib.contextmanager
def chromium() -> Iterator[Any]:
    """The system's Chromium, driven by Playwright; ``RuntimeError`` where it is not installed."""
    if CHROMIUM is None:
        raise RuntimeError("Chromium is not installed: sudo apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, headless=True, args=QUIET)
        yield browser
        browser.close()


# ---- what a learner does


def solution(slug: str = "vector_add") -> str:
    """Our answer's definitions as a learner would type them: no markers, no imports."""
    lines = [
        line
        for line in answer(lessons.find(slug)).source.splitlines()
        if not re.match(r"\s*### (BEGIN|END) SOLUTION", line)
    ]
    return "\n".join(lines[next(i for i, line in enumerate(lines) if line.startswith("@triton.jit")) :])


def open_notebook(page: Any, lab: Lab, path: str) -> None:
    """Open a notebook and wait for its cells and an idle kernel."""
    page.goto(lab.page(f"lab/tree/{path}?reset"))
    page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=90_000)
    page.get_by_text(IDLE).wait_for(timeout=90_000)


def cell_with(page: Any, text: str) -> Any:
    """The first cell that holds ``text``, scrolled into view."""
    cell = page.locator(".jp-Cell", has_text=text).first
    cell.scroll_into_view_if_needed(timeout=20_000)
    return cell


def type_answer(page: Any, opening: str, text: str) -> None:
    """Replace the cell that holds ``opening`` by ``text``."""
    cell_with(page, opening).locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.evaluate("text => document.execCommand('insertText', false, text)", text)


def run_everything(page: Any) -> None:
    """Run All Cells by JupyterLab's own menu, and wait until the kernel is idle again."""
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name=re.compile("^Run All Cells")).click()
    page.wait_for_timeout(1000)
    # "Idle" also stands there between two cells, and before the first: no cell may wait any more.
    waiting = (
        "() => ![...document.querySelectorAll('.jp-InputPrompt')].some(prompt => prompt.textContent.includes('*'))"
    )
    page.wait_for_function(waiting, timeout=300_000)
    page.get_by_text(IDLE).wait_for(timeout=180_000)


def save(page: Any) -> None:
    page.keyboard.press("Control+s")
    page.wait_for_timeout(1500)


WIPE = """cell => {
  cell.querySelector('.jp-InputPrompt').textContent = '';
  for (const shown of cell.querySelectorAll('.jp-OutputArea-child')) shown.dataset.old = '';
}"""
"""After a restart a cell's number may come back the same, so what the last run left is wiped off, or marked."""
ENDED = """cell => cell.querySelector('.jp-InputPlaceholder')
  ? cell.querySelector('.jp-OutputArea-child:not([data-old])') !== null
  : /\\[\\d+\\]/.test(cell.querySelector('.jp-InputPrompt').textContent)"""
"""A cell whose source is folded away shows no number: it has run once it shows something new."""


class Walk:
    """A learner's way down an open notebook by the keyboard alone: each cell left as it is or typed anew, then run.

    ``Walk(page)`` stands on the first cell, ``Walk(page, at=n)`` on the one with ``n`` before it. Cells are told apart by where they stand, so all of them must be in the page
    (``served`` sees to that).
    """

    def __init__(self, page: Any, at: int = 0):
        self.page, self.at = page, at
        self.cells = page.locator(".jp-Notebook .jp-Cell")
        self.cells.nth(at).locator(".jp-InputPrompt").first.click()
        page.keyboard.press("Escape")

    def write(self, text: str) -> None:
        """Type ``text`` in place of what the cell holds."""
        self.page.keyboard.press("Enter")
        self.page.locator(".jp-Notebook.jp-mod-editMode").wait_for(timeout=20_000)
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(text)

    def run(self, patience: float = 280) -> str:
        """Run the cell and go on to the next; returns what it shows. ``RuntimeError`` where it fails, or does not end within
        ``patience`` seconds."""
        cell = self.cells.nth(self.at)
        here = "cell => cell.classList.contains('jp-mod-active')"
        if not cell.evaluate(here):
            raise RuntimeError(f"cell {self.at + 1} was to be run, and another one is chosen")
        code = cell.evaluate("cell => cell.classList.contains('jp-CodeCell')")
        if code:
            cell.evaluate(WIPE)
        self.page.keyboard.press("Shift+Enter")
        self.at += 1
        if not code:
            return cell.inner_text()
        self.page.wait_for_function(ENDED, arg=cell.element_handle(), timeout=1000 * patience)
        self.page.get_by_text(IDLE).wait_for(timeout=90_000)
        shown = cell.locator(".jp-OutputArea-output").all_text_contents()
        if cell.locator("[data-mime-type='application/vnd.jupyter.error']").count():
            raise RuntimeError(f"cell {self.at} failed: {' '.join(shown)[-1000:]}")
        return "\n".join(shown)

    def scratch(self, source: str) -> str:
        """A cell of one's own, above the one that is next; returns what it shows."""
        self.page.keyboard.press("Escape")
        self.page.keyboard.press("a")
        self.write(source)
        return self.run()
