"""Every lesson's benchmark cell on this GPU, as a learner runs it, on the supplied answer: does it work, how long does it take?

python benchmarks/notebook_cells.py [LESSON…]     print each table, write benchmarks/results/notebook-cells.json
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "benchmarks" / "results" / "notebook-cells.json"
sys.path.insert(0, str(ROOT))

from learning import lesson as lessons  # noqa: E402
from learning.attempts import answer  # noqa: E402
from learning.bench import notebook, plan, record, runner  # noqa: E402
from learning.gates import records  # noqa: E402
from learning.judge import cells, engine, setting  # noqa: E402
from tools import hardware  # noqa: E402


def main(argv: list[str] | None = None) -> int:
    """Exit status 0: every cell gave its table; 1: some failed; 3: no GPU."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lessons", nargs="*")
    options = parser.parse_args(argv)
    if not hardware.has_cuda():
        return 3
    from learning.lens import device

    opened = device.open("cuda")
    chosen = [lessons.find(name) for name in options.lessons] or lessons.discover()
    found = {"format": 1, "card": opened.name, "environment": records.environment(), "cells": {}}
    for lesson in (one for one in chosen if plan.has_plan(one)):
        try:
            found["cells"][lesson.slug] = run(lesson)
        except Exception as problem:  # one lesson's failure leaves the others their turn
            found["cells"][lesson.slug] = {"failed": f"{type(problem).__name__}: {problem}"}
            print(f"{lesson.slug}: FAILED: {problem}", flush=True)
        record.write(RECORD, found)
    return 1 if any("failed" in one for one in found["cells"].values()) else 0


def run(lesson: lessons.Lesson) -> dict:
    """One cell: its seconds, the T4's estimate, how many samples it keeps, its medians. ``RuntimeError`` where it timed nothing."""
    from triton import testing

    setups = engine.Plan.of(engine.instructor_notebook(lesson), lesson).setups
    loads = [[f"setup-{name}", source, cells.SETUP] for name, source in setups]
    loads.append(["answer.py", answer(lesson).source, cells.ANSWER])
    entry = runner.load(loads, {"answer": lesson.entry})["answer"]
    started = time.perf_counter()
    with setting.use(setting.Setting(lesson=lesson.slug, device="cuda")):
        made = notebook.benchmark(entry, lambda call: testing.do_bench(call, return_mode="all"))
    spent = time.perf_counter() - started
    if not made.cases:
        raise RuntimeError(made.words)
    print(f"{lesson.slug} ({spent:.1f} s)\n{made!r}", flush=True)
    timed = [one for case in made.cases for one in (case, *case["peers"].values())]
    return {
        "seconds": round(spent, 1),
        "estimated_t4_seconds": round(notebook.estimate(plan.load(lesson)), 1),
        "samples": sum(len(times) for one in timed for times in one.get("samples", {}).values()),
        "microseconds": {case["case"]: case["microseconds"] for case in made.cases},
    }


if __name__ == "__main__":
    sys.exit(main())
