"""How long a learner waits on this machine: from the command ``check`` to its first answer, and to its last.

    python benchmarks/public_checks.py [LESSON…] [--rounds N] [--output PATH.json]

Every lesson's own answer is checked as a learner checks a file of theirs, in a new process each time: imports, the
worker server's start and all public checks are in the time. The median of the rounds counts, lessons in turn. On a machine
without a GPU kernels are compiled for a virtual T4 and computed in the interpreter. Exit status 0 where every lesson's
last answer comes within ``BAR`` seconds.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
sys.path[:] = [path for path in sys.path if Path(path or ".").resolve() != ROOT / "benchmarks"]

from learning import lesson as lessons  # noqa: E402
from learning.files import replace  # noqa: E402
from tools import hardware  # noqa: E402

BAR = 5.0
"""Seconds in which a lesson's public checks have all answered."""


def main() -> int:
    """Measure, print and write the record."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("lessons", nargs="*", help="slugs; all where none is named")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks" / "results" / "public-checks.json")
    chosen = parser.parse_args()
    slugs = chosen.lessons or [lesson.slug for lesson in lessons.discover()]
    load = round(os.getloadavg()[0], 2)
    waits: dict[str, list[tuple[float, float]]] = {slug: [] for slug in slugs}
    for _ in range(chosen.rounds):
        for slug in slugs:
            waits[slug].append(wait(lessons.find(slug)))
    rows = {}
    for slug, pairs in waits.items():
        first, last = (round(statistics.median(column), 2) for column in zip(*pairs, strict=True))
        rows[slug] = {"first_answer_seconds": first, "last_answer_seconds": last}
        print(f"{slug:<24}{first:>8.2f} s{last:>8.2f} s", flush=True)
    record = {
        "what": "wall seconds from the command to its first and its last answer, median",
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": hardware.machine(load_before=load),
        "versions": hardware.versions(),
        "rounds": chosen.rounds,
        "lessons": rows,
        "holds": {f"all answers within {BAR:g} s": all(row["last_answer_seconds"] <= BAR for row in rows.values())},
    }
    replace(chosen.output, json.dumps(record, indent=1) + "\n")
    return 0 if all(record["holds"].values()) else 1


def wait(lesson: lessons.Lesson) -> tuple[float, float]:
    """Seconds until the first and the last check of the lesson's own answer was told. Raises ``RuntimeError`` where one did
    not pass."""
    with tempfile.TemporaryDirectory(prefix="public-checks-") as folder:
        mine = Path(folder, f"{lesson.slug}.py")
        shutil.copy(lesson.folder / "answer.py", mine)
        command = [sys.executable, "-u", "-m", "learning.workshops.check", lesson.slug, "--file", str(mine)]
        command += [] if lesson.kind == "cpu" else ["--interpret"]
        began, told = time.perf_counter(), []
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as asked:
            for line in asked.stdout:
                if line.startswith("passed:"):
                    told.append(time.perf_counter() - began)
        if asked.returncode or not told:
            raise RuntimeError(f"{lesson.slug}: its own answer did not pass (status {asked.returncode})")
        return told[0], told[-1]


if __name__ == "__main__":
    sys.exit(main())
