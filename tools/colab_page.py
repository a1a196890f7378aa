"""The stand-in's results as a table of text, and as the page docs/colab-stand-in.md, out of benchmarks/results/colab.json."""

from tools.colab_notebooks import Outcome

HEAD = ["notebook", "cells", "checks", "first cell", "all", "outcome"]
INTRODUCTION = """\
# The Colab stand-in

What a Colab runtime does with the course, seen without Colab: its Python packages at the versions it publishes
(`tools/colab_pins.txt`), each notebook alone in an empty folder on a runtime of its own, no clone and no package index in reach. The
first cell installs the student kit's wheel, as a published release's does, from a file in place of the repository's address; every
other cell runs from the top, with our answer typed into the answer cell. Predictions, logs and readings stay as they were released,
so that their cells show what a learner sees who runs all at once.

`make colab` runs it under `.venv`'s Python; `.venv/bin/python tools/colab.py --python python3.13` under Colab's, with Colab's torch
(4 GB, unless TORCH_INDEX names an index of CPU builds). `--cpu-image` leaves Triton out, as Colab's runtimes without a GPU do, for the
first cell to add. CI runs a few notebooks of it. This page is written by `--record`.

A notebook **runs** where no cell shows a traceback or writes to stderr, every public check passes or says that it waits for a GPU,
whatever shows a widget also says it in text, and pip lists afterwards what it listed before, and the course. *First cell* is the time
from its start to the table of the machine: the kit installed, torch and Triton imported. Times were taken while the machine did other work.

What it is not: there is no GPU here, so cells that time say so; no `google.colab` package, so Drive is not tried; no Colab page, so
how widgets are drawn there is not seen, only what is sent to it.
"""


def row(outcome: Outcome) -> list[str]:
    """An outcome as cells under ``HEAD``."""
    checks = f"{outcome.passed} of {outcome.checks}" if outcome.checks else ""
    return [
        outcome.name, str(outcome.cells), checks, f"{outcome.installed:.0f} s", f"{outcome.seconds:.0f} s",
        outcome.sentence(),
    ]  # fmt: skip


def text(rows: list[list[str]]) -> list[str]:
    """Rows in aligned columns."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def page(record: dict) -> str:
    """The page that shows ``record``, every run in it, the newest Python first."""
    parts = [INTRODUCTION]
    for version in sorted(record["runs"], key=lambda name: [int(part) for part in name.split(".")], reverse=True):
        run = record["runs"][version]
        outcomes = [Outcome(**found) for found in run["pages"]]
        good, changed = sum(outcome.good for outcome in outcomes), run["unmet"]
        kit = "asks for nothing that is not there" if not changed else "asks for more: " + "; ".join(changed)
        rows = [HEAD, ["---"] * len(HEAD), *map(row, outcomes)]
        table = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |" for cells in rows)
        parts.append(
            f"## Python {version}: {good} of {len(outcomes)} notebooks run\n\n"
            f"{run['date']}, on {run['machine']}. {run['versions']}. The kit ({run['wheel']}) {kit}.\n\n{table}\n"
        )
    return "\n".join(parts)
