"""The red team's files as data: attackers with their class of RIGOR, honest controls, and one grading of each.

A file's first line says its class and, on a GPU, the check that must refuse it: ``# class 7, timed``. Standard library and
``learning`` alone, so that a GPU machine without pytest can run it.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from learning import lesson
from learning.judge import cells as roles
from learning.judge import engine

HERE = Path(__file__).parent
CLASSES = {
    1: "side stream, unjoined or joined by luck",
    2: "background thread",
    3: "lazy subclass, instance override, torch function",
    4: "patched timers, harness or checker; frames; swapped code",
    5: "forged results: descriptors, early exit, prints",
    6: "phase games: warm-up, call counting, batching",
    7: "caches by pointer, id, shape, sample; stale graph; files",
    8: "warm cache, slowed baseline",
    9: "freed memory, partial writes, constants, identity",
    10: "input mutation, aliased output, seed prediction",
    11: "precision, tolerance and NaN abuse",
    12: "skipped work, hard-coded shapes",
    13: "torch or library fallback, decoy kernel",
    14: "reading tests, sources, gradebook; shadowed modules; edited cells",
    15: "crash, hang, fork bomb, memory bomb, huge output",
}
FOLDERS = {"submissions": "any", "evasions": "any", "gpu": "cuda"}
CONTROL = "honest_control"
FIRST, RULES = "adds_2500_elements_and_touches_nothing_beyond_them", "keeps_the_house_rules"
TIMED, LENGTHS = "runs_within_a_quarter_of_our_time", "adds_lengths_it_has_never_seen"
ALONE = 15
"""Attackers of this class may disturb a GPU's other users while they run, so nothing runs beside them."""
_HEADER = re.compile(r"# class (\d+)(?:, (parity|timed))?\n")


@dataclass(frozen=True)
class Attack:
    """One attacker: its file, its class, "any" or "cuda", and of a GPU's the check "parity" or "timed" that must refuse it."""

    name: str
    path: Path
    number: int
    where: str
    check: str

    @property
    def source(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def story(self) -> str:
        return ast.get_docstring(ast.parse(self.source)) or ""


def attacks(folder: str = "") -> list[Attack]:
    """The attackers of a folder, or of all, by name. Raises ``ValueError`` for a file without its class."""
    found = []
    for name in [folder] if folder else FOLDERS:
        for path in sorted((HERE / name).glob("*.py")):
            if path.stem == CONTROL:
                continue
            header = _HEADER.match(path.read_text(encoding="utf-8"))
            if header is None:
                raise ValueError(f"{path.name}: its first line must say its class: '# class 7' or '# class 7, timed'")
            found.append(Attack(path.stem, path, int(header[1]), FOLDERS[name], header[2] or ""))
    return found


def cells_of(text: str) -> roles.LearnerCells:
    """A file as cells: the first is the answer, each ``# %%`` begins an added cell, ``# %% answer`` another answer cell,
    as lessons with a second, optional part have one."""
    answer, *added = re.split(r"^# %%(| answer)\n", text, flags=re.MULTILINE)
    found = [roles.Cell("answer", answer, roles.ANSWER)]
    for number, (kind, part) in enumerate(zip(added[::2], added[1::2], strict=True)):
        found.append(roles.Cell(f"added_{number}", part, roles.ANSWER if kind else roles.EXTRA))
    return roles.LearnerCells(found)


def graded(text: str, checks: set[str], device: str, servers, limits: engine.Limits) -> dict:
    """Results by check of ``vector_add``'s own checks, hidden ones with their published seeds."""
    options = {"servers": servers, "device": device, "only": checks, "limits": limits}
    return {r.check: r for r in engine.grade(lesson.load("vector_add"), cells_of(text), **options).results}
