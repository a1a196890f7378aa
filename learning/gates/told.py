"""What each gate is called, what proves it and how to get it, in a learner's words. Standard library only."""

from __future__ import annotations

from typing import NamedTuple

from learning.gates import records
from learning.lesson import Lesson

MOST_DAMAGE = 3
"""Damaged lines that are told one by one."""


class Told(NamedTuple):
    """``name`` of the gate, the ``proof`` that is looked for, ``how`` to get it; {slug} and {entry} stand for the lesson's."""

    name: str
    proof: str
    how: str


GPU = {
    "reference": Told(
        "reference first",
        "the locked reference ran on sample inputs before the first check of its session",
        "Run the cell that calls the reference before any check. Where a check came first: restart the kernel, run the "
        "first cell, then that one.",
    ),
    "grid": Told(
        "grid predicted",
        "a grid was locked before your kernel first ran, then compared with the grid of the launch; a wrong one counts too",
        "Say grid= in the prediction cell and run it before you write the kernel. Later, predictions.compare() measures it.",
    ),
    "tile": Told(
        "tile and passes predicted",
        "tile and passes were locked before your kernel first ran, then compared with the trace; wrong ones count too",
        "Say tile= and passes= in the prediction cell and run it before you write the kernel. Later, "
        "predictions.compare() measures them.",
    ),
    "masks": Told(
        "masked lanes and padding predicted",
        "masked and padding were locked before your kernel first ran, then compared with the trace; wrong ones count too",
        "Say masked= and padding= in the prediction cell and run it before you write the kernel. Later, "
        "predictions.compare() measures them.",
    ),
    "kernel": Told(
        "kernel written",
        "your kernel runs on the lesson's small case, and source and trace show no stride written as a number, sums in "
        "float32, and stores cast by the output's element type",
        "Write the answer, run its cell, then predictions.compare(), which reads these rules. It names what breaks one.",
    ),
    "parity": Told(
        "parity on a GPU",
        "every public check passed on a GPU, all for one and the same answer",
        "Run every check cell on a machine with a GPU, or there: python -m learning.workshops.check {slug}. A pass without "
        "a GPU is kept, and then the gate waits for one.",
    ),
    "bench": Told(
        "benchmarked",
        "a benchmark of your answer on a GPU, with every sample kept",
        "Run the benchmark cell on a GPU, or there: python -m learning.workshops.benchmark --op {slug}.",
    ),
    "bound": Told(
        "bound and launch share classified",
        "bound and launch_share were locked before your kernel first ran, then compared with a benchmark on a GPU",
        "Say bound= and launch_share= in the prediction cell and run it before you write the kernel. The benchmark on a GPU "
        "measures both.",
    ),
    "compare": Told(
        "misses explained",
        "every prediction was measured, each miss has a cause in your words, and you counted your kernel's loads in its PTX",
        'Run predictions.compare(). Write the cause of each miss: predictions.because(masked="…"). Count the loads: '
        "reading.count(loads={{…: …}}).",
    ),
    "autotune": Told(
        "autotuned",
        "read off your autotuner: 4 to 8 configurations, a key, a grid that is a function of the configuration, and which one "
        "won on a GPU; where the contract has options of its own, the sweep over them instead",
        "Work through the section on tuning, and run its cells on a GPU.",
    ),
    "blank_page": Told(
        "written from memory",
        "an attempt on a blank page, for a varied contract, passed its checks",
        'Pass the checks and sleep once. Then blank_page("{slug}") lays out a page with a brief and nothing else: write it '
        "without looking anything up, and have it judged.",
    ),
    "log": Told(
        "numbers logged",
        "an entry of the log holds numbers that the records hold too, and a surprise in words",
        "Write the entry in the section on the log: numbers, and what surprised you.",
    ),
}
"""Of a lesson with a kernel."""

CPU = GPU | {
    "masks": Told(
        "neutral values predicted",
        "padding was locked before your functions first ran, then compared with what the small case gives; a wrong one "
        "counts too",
        "Say padding= in the prediction cell and run it before you write the functions. Later, predictions.compare() "
        "measures it.",
    ),
    "kernel": Told(
        "functions written",
        "your functions run on the lesson's small case and keep the house rules",
        "Write the answer, run its cell, then predictions.compare(), which runs the case and reads the rules.",
    ),
    "parity": Told(
        "parity",
        "every public check passed, all for one and the same answer",
        "Run every check cell, or in a terminal: python -m learning.workshops.check {slug}.",
    ),
    "compare": Told(
        "misses explained",
        "every prediction was measured, and each miss has a cause in your words",
        'Run predictions.compare(). Write the cause of each miss: predictions.because(output="…").',
    ),
}
"""Of the lesson without one."""


CAPSTONE = GPU | {
    "reference": Told(
        "reference first",
        "your own reference agreed with the oracle",
        "Write the reference before the kernel: python -m learning.workshops.check {slug} compares it with the oracle.",
    ),
}
"""Of a capstone."""


def of(lesson: Lesson, gate: str) -> Told:
    """What ``gate``, an id of ``learning.lesson.GATES``, is about in ``lesson``."""
    told = (CAPSTONE if lesson.level == "capstone" else CPU if lesson.kind == "cpu" else GPU)[gate]
    return Told(*(text.format(slug=lesson.slug, entry=lesson.entry) for text in told))


def notes(kept: records.Records) -> list[str]:
    """What a learner should know of the log's own state, in sentences."""
    told = []
    if kept.damage:
        lines = "; ".join(damage.sentence() for damage in kept.damage[:MOST_DAMAGE])
        more = len(kept.damage) - MOST_DAMAGE
        if more > 0:
            lines += f"; and {more} more"
        told.append(f"{records.FILE} is damaged: {lines}. Nothing was removed, and every sound record counts.")
    if kept.refused:
        told.append(f"{len(kept.refused)} of its records are evidence made by tests and do not count.")
    return told
