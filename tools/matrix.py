"""Run the lessons' and the lens's tests, and the ledger's exhibits, under every supported pair of Triton and numpy.

    .venv/bin/python tools/matrix.py [NAME…] [--list] [--slow] [--jobs N]

An environment costs seconds: a bare virtual environment that holds only the Triton (and numpy) it is named for and
borrows everything else, torch included, from ``.venv``. Prints a table, environment by lesson, and exits with 1 where a
test failed or a lesson ran none.
"""

import argparse
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from learning import lesson  # noqa: E402 - the clone is not necessarily installed
from learning.ledger import run as exhibits  # noqa: E402
from learning.ledger import table as table_of_traps  # noqa: E402
from tools.environments import BY_NAME, ENVIRONMENTS, make  # noqa: E402

LIMIT = 2400  # seconds one environment's tests may take


def versions(python: Path) -> str:
    code = "import numpy, torch, triton; print('triton', triton.__version__, 'numpy', numpy.__version__)"
    return subprocess.run([python, "-c", code], capture_output=True, text=True, check=True).stdout.strip()


@dataclass
class Tally:
    """Tests counted for one cell of the table; ``failures`` are (test, first line of the message)."""

    passed: int = 0
    skipped: int = 0
    failures: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        if self.failures:
            return f"{len(self.failures)} FAILED, {self.passed} ok"
        return f"{self.passed} ok" if self.passed else "NO TEST"


def run(python: Path, slow: bool, jobs: str, columns: list[str]) -> dict[str, Tally]:
    """Run the tests under ``python``; a tally for every column."""
    folders = [str(ROOT / "tests" / name) for name in ("lens", "lessons") if (ROOT / "tests" / name).exists()]
    tallies = {column: Tally() for column in columns}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", *folders]
        command += ["-n", jobs, "-m", "not gpu" if slow else "not slow and not gpu"]
        try:
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return {column: Tally(failures=(("all", f"not finished after {LIMIT} s"),)) for column in columns}
        if not report.exists():
            last = (done.stdout + done.stderr).strip().splitlines()[-1:]
            return {column: Tally(failures=(("all", "".join(last)),)) for column in columns}
        for case in ElementTree.parse(report).iter("testcase"):
            count(tallies, case)
    return tallies


def ledger(python: Path) -> Tally:
    """Run every exhibit of the gotchas ledger under ``python``: a row that is not the recorded one is a failure."""
    try:
        found = exhibits.run(python=str(python))
    except exhibits.RunFailed as failed:
        return Tally(failures=(("ledger", str(failed)),))
    told = table_of_traps.differences(table_of_traps.read(), found)
    return Tally(len(found["rows"]) - len(told), failures=tuple(("ledger", line) for line in told))


def count(tallies: dict[str, Tally], case: ElementTree.Element) -> None:
    """Add one test case to the column whose name its id holds; to "lens" where it lies there."""
    name = f"{case.get('classname', '')}::{case.get('name', '')}"
    column = next((c for c in tallies if c != "lens" and c in name), "lens" if ".lens" in name else None)
    for tally in [tallies[column]] if column else [tallies[c] for c in tallies if c != "lens"]:
        trouble = next((case.find(kind) for kind in ("failure", "error") if case.find(kind) is not None), None)
        if trouble is not None:
            message = (trouble.get("message") or "no message").strip().splitlines()[0]
            tally.failures += ((name, message),)
        elif case.find("skipped") is not None:
            tally.skipped += 1
        else:
            tally.passed += 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="environments to run; all where none is named")
    parser.add_argument("--list", action="store_true", help="name the environments and stop")
    parser.add_argument("--slow", action="store_true", help="run the slow tests as well")
    parser.add_argument("--jobs", default="auto", help="tests run at once, as pytest-xdist's -n takes it")
    chosen = parser.parse_args()
    unknown = [name for name in chosen.names if name not in BY_NAME]
    if unknown:
        parser.error(f"no environment called {', '.join(unknown)}; there are {', '.join(BY_NAME)}")
    if chosen.list:
        for environment in ENVIRONMENTS:
            print(environment.name)
        return 0
    columns = ["lens", *(found.slug for found in lesson.discover())]
    rows, bad = [], False
    for environment in [BY_NAME[name] for name in chosen.names] or ENVIRONMENTS:
        started = time.monotonic()
        python = make(environment)
        what = versions(python)
        print(f"matrix: {environment.name}: {what}", flush=True)
        tallies = {"ledger": ledger(python), **run(python, chosen.slow, chosen.jobs, columns)}
        rows.append(
            [
                environment.name,
                what,
                *(str(tallies[c]) for c in ("ledger", *columns)),
                f"{time.monotonic() - started:.0f} s",
            ]
        )
        for column, tally in tallies.items():
            bad |= bool(tally.failures) or not tally.passed
            for test, message in tally.failures:
                print(f"matrix: {environment.name}: {column}: {test}: {message}", flush=True)
    table([["environment", "versions", "ledger", *columns, "time"], *rows])
    return int(bad)


def table(rows: list[list[str]]) -> None:
    """Print rows of text in aligned columns, the first as a heading."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


if __name__ == "__main__":
    sys.exit(main())
