"""``python -m learning.doctor``: look at this machine, run our answer of vector_add on it, and say what to mend.

Exit status 0: a learner can work here (notes say what is missing and how to get it); 1: something must be mended first;
64: a usage error. Standard library only, so that it also runs where nothing is installed: ``python -S -m learning.doctor``.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import subprocess
import sys
import textwrap
import time

from learning.doctor import facts as machine
from learning.doctor.findings import NOTE, OK, WRONG, Row, examine, runs_kernels

SECONDS = 240
MARKS = {OK: "ok  ", NOTE: "note", WRONG: "MEND"}
WIDTH = 108


class Parser(argparse.ArgumentParser):
    """A parser whose usage errors end with 64, as the learner's other commands do."""

    def error(self, message: str) -> None:
        self.print_usage(sys.stderr)
        self.exit(64, f"{self.prog}: {message}\n")


def main(argv: list[str] | None = None) -> int:
    """Print the table and return the exit status."""
    parser = Parser(
        prog="python -m learning.doctor", description="What this machine can do for the course, and what to mend."
    )
    parser.add_argument("--quick", action="store_true", help="do not run vector_add's answer")
    parser.add_argument("--json", action="store_true", help="print rows as JSON")
    options = parser.parse_args(argv)
    facts = machine.gather()
    rows = examine(facts)
    if not options.json:
        for row in rows:
            show(row)
    if runs_kernels(facts) and not options.quick:
        rows.append(
            answer(
                gpu=facts.gpu is not None and bool(facts.torch_cuda) and facts.hidden is None and not facts.interpret
            )
        )
        if not options.json:
            show(rows[-1])
    if options.json:
        print(json.dumps([dataclasses.asdict(row) for row in rows], indent=1, ensure_ascii=False))
    else:
        print()
        print(verdict(rows))
    return 1 if any(row.state == WRONG for row in rows) else 0


def show(row: Row) -> None:
    """Print one row: state, what, what was found; below it the remedy."""
    first = f"{MARKS[row.state]}  {row.what:<17} "
    print("\n".join(textwrap.wrap(row.found, WIDTH, initial_indent=first, subsequent_indent=" " * len(first))))
    if row.remedy:
        print(
            "\n".join(
                textwrap.wrap(
                    "→ " + row.remedy, WIDTH, initial_indent=" " * len(first), subsequent_indent=" " * (len(first) + 2)
                )
            ),
            flush=True,
        )


def verdict(rows: list[Row]) -> str:
    """One sentence about all rows."""
    wrong = [row.what for row in rows if row.state == WRONG]
    notes = [row.what for row in rows if row.state == NOTE]
    if wrong:
        return f"Mend first: {', '.join(wrong)}."
    if notes:
        return f"You can work here. What is missing can wait: {', '.join(notes)}."
    return "Everything the course can use is here."


def answer(*, gpu: bool) -> Row:
    """Check our answer of vector_add as a learner's would be, in a process of its own."""
    command = [
        sys.executable,
        "-m",
        "learning.workshops.check",
        "vector_add",
        "--solution",
        *([] if gpu else ["--interpret"]),
    ]
    started = time.perf_counter()
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return Row(
            "vector_add",
            WRONG,
            f"our answer was not judged within {SECONDS} s",
            "try again on an idle machine; then report it",
        )
    seconds = time.perf_counter() - started
    lines = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    told = next((line for line in lines if "public checks passed" in line), lines[-1] if lines else "it said nothing")
    if done.returncode == 0:
        return Row("vector_add", OK, f"our answer: {told} It took {seconds:.1f} s.")
    failed = next((line for line in lines if line.startswith(("got", "failed", "not yet"))), "")
    return Row("vector_add", WRONG, f"our answer ended with status {done.returncode}: {told} {failed}".strip(),
               "run " + " ".join(["python", *command[1:]]) + " and report what it says")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
