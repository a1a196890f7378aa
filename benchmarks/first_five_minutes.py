"""How long a newcomer waits, from an environment that exists to the first check that passes; the record is kept.

    python benchmarks/first_five_minutes.py [--runs 3]     run, print, write benchmarks/results/first-five-minutes.json

Each run has a course folder of its own, as a clone has it, and a home without settings or caches. Timed are the README's own
steps: lessons laid out, JupyterLab started, ``vector_add`` opened in a browser, all its cells run as they come, and, with the
answer typed in, run again until the first check says that it passed. Beside them the terminal's way: ``check`` on the same
answer. Reading, thinking and typing are not in it: they are the learner's. No GPU is used where there is none.
Exit status 0; 1: no run came to a pass; 3: JupyterLab or Chromium is missing.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "benchmarks" / "results" / "first-five-minutes.json"
sys.path.insert(0, str(ROOT))

from tools import hardware, lab  # noqa: E402

NOTEBOOK = "work/vector_add/vector_add.ipynb"
FIRST_CHECK = "adds_2500_elements"
STEPS = ("lay out", "start JupyterLab", "open the notebook", "run it as it comes", "run it with the answer typed in")
"""What stands between ``make start`` and the first pass, in order."""
TERMINAL = "check in a terminal"


def main(argv: list[str] | None = None) -> int:
    """Run what the module's docstring says; the exit status is told there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args(argv)
    if lab.CHROMIUM is None or not all(map(importlib.util.find_spec, ("jupyterlab", "playwright"))):
        print("this needs JupyterLab, Playwright and Chromium (make environment); nothing was measured")
        return 3
    from learning.files import replace

    found = {"format": 1, "date": datetime.now(UTC).date().isoformat(), "machine": machine(), "runs": []}
    for number in range(options.runs):
        with tempfile.TemporaryDirectory(prefix="first-five-minutes-") as folder:
            found["runs"].append(run(Path(folder)))
        replace(RECORD, json.dumps(found, indent=1) + "\n")
        spent = found["runs"][-1]["seconds"]
        print(f"run {number + 1}: " + ", ".join(f"{name} {one:.1f} s" for name, one in spent.items()), flush=True)
    print(sentence(found))
    return 0


def run(folder: Path) -> dict:
    """One newcomer: seconds by step, and the load of the machine when they began."""
    load, spent = os.getloadavg()[0], {}
    root, home = lab.copy_course(folder / "course"), folder / "home"
    home.mkdir()
    env = lab.environment(home, root)

    def step(name: str, work: Callable[[], object]) -> None:
        started = time.monotonic()
        work()
        spent[name] = round(time.monotonic() - started, 2)

    step(STEPS[0], lambda: command(root, env, "learning.workshops.start"))
    with lab.served(root, home, env) as running, lab.chromium() as browser:
        spent[STEPS[1]] = round(running.seconds, 2)
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        step(STEPS[2], lambda: lab.open_notebook(page, running, NOTEBOOK))
        step(STEPS[3], lambda: (lab.run_everything(page), said(page, "not yet")))
        lab.type_answer(page, "def add_kernel(", lab.solution())
        step(STEPS[4], lambda: (start_all(page), said(page, "passed")))
        lab.save(page)
    here = [] if machine()["gpu"] else ["--interpret"]
    step(TERMINAL, lambda: command(root, env, "learning.workshops.check", "vector_add", *here))
    return {"load": round(load, 2), "seconds": spent}


def command(root: Path, env: dict, *arguments: str) -> None:
    """A command of the course in ``root``; ``RuntimeError`` with its words where it does not exit with 0."""
    done = subprocess.run([sys.executable, "-m", *arguments], cwd=root, env=env, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(
            f"{' '.join(arguments)}: exit status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )


def start_all(page) -> None:
    """Run All Cells, without waiting for the last."""
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name=re.compile("^Run All Cells")).click()


def said(page, words: str) -> None:
    """Wait until the first check's output holds ``words``."""
    cell = page.locator(".jp-CodeCell", has_text=f"def {FIRST_CHECK}").first
    cell.locator(".jp-OutputArea", has_text=re.compile(words, re.IGNORECASE)).wait_for(timeout=180_000)


def machine() -> dict:
    """Processor, cores, GPU and versions of where the record was made."""
    from learning.gates import records

    return hardware.machine(**records.environment() | hardware.versions("jupyterlab", "ipykernel"))


def waited(found: dict) -> dict[str, float]:
    """Step → median seconds of the runs; "in all" is the median of what the notebook's way took from end to end."""
    runs = [one["seconds"] for one in found["runs"]]
    steps = {name: statistics.median(one[name] for one in runs) for name in (*STEPS, TERMINAL)}
    return steps | {"in all": statistics.median(sum(one[name] for name in STEPS) for one in runs)}


def sentence(found: dict) -> str:
    """The README's sentence on the record."""
    times, where = waited(found), found["machine"]
    opening = times[STEPS[0]] + times[STEPS[1]] + times[STEPS[2]]
    gpu = where["gpu"] or "no GPU"
    load = found["runs"][0]["load"]  # before the first run: the load of the later ones is ours
    busy = f" that were busy with other work (load {load:.0f})" if load >= 1 else ""
    return (
        f"On {where['cores']} cores{busy} and {gpu} you wait {times['in all']:.0f} s in all: {opening:.0f} s until the notebook is open, "
        f"{times[STEPS[3]]:.0f} s to run it as it comes, {times[STEPS[4]]:.0f} s from a typed answer to the first check that passes."
    )


if __name__ == "__main__":
    sys.exit(main())
