"""Hidden text must not stand where a learner can read it.

A line is distinctive when it is long enough to mean something by itself. One long line, three lines of one hidden
region, or half of its lines (two at least) in a visible cell are a leak; a kernel's `mask = offsets < n` in a
paragraph is not. An author who means it says why with ``reveals="…"``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from learning.build.cells import Cell
from learning.build.finding import Complaint
from learning.build.markers import visible, within

SHORT, LONG = 20, 60


@dataclass
class Secret:
    """One hidden region: the cell and file it comes from, and its distinctive lines."""

    cell: str
    kind: str
    file: str
    lines: list[str]


def plain(line: str) -> str:
    """A line with runs of blanks as one, and without a trailing comment's blanks: what two copies have in common."""
    return re.sub(r"\s+", " ", line).strip()


def secrets(cells: list[Cell]) -> list[Secret]:
    """The hidden regions of a lesson's cells with the lines by which a copy of each would be recognised."""
    found = []
    for cell in cells:
        shown = "\n".join(plain(line.lstrip("# ")) for line in visible(cell.source).split("\n"))
        for kind in ("SOLUTION", "HIDDEN TESTS"):
            for text in within(cell.source, kind):
                lines = [plain(line) for line in text.split("\n")]
                kept = [line for line in dict.fromkeys(lines) if _distinctive(line) and line not in shown]
                found.append(Secret(cell.id, kind, cell.file, kept))
    return found


def _distinctive(line: str) -> bool:
    return len(line) >= SHORT and len(re.findall(r"\w+", line)) >= 3 and not line.startswith(("# canary-", "import "))


def shown(secret: Secret, text: str) -> list[str]:
    """The lines of ``secret`` that ``text`` gives away; empty where they are too few to be a copy."""
    text = "\n".join(plain(line) for line in text.split("\n"))
    hits = [line for line in secret.lines if line in text]
    copied = len(hits) >= 3 or (len(hits) >= 2 and 2 * len(hits) >= len(secret.lines))
    return hits if copied or any(len(line) >= LONG for line in hits) else []


def check(cells: list[Cell], file: str) -> list[Complaint]:
    """Complaints about cells whose visible part repeats lines of the answer's solution or of a hidden check."""
    complaints = []
    hidden = secrets(cells)
    public = "\n".join(plain(line) for c in cells if c.role in ("check", "setup") for line in c.source.split("\n"))
    for secret in hidden:
        if secret.kind == "HIDDEN TESTS":  # the idioms of checking are public: they stand in the public checks
            secret.lines = [line for line in secret.lines if not _idiom(line, public)]
    for cell in cells:
        if cell.reveals:
            continue
        text = visible(cell.source)
        for secret in hidden:
            hits = shown(secret, text)
            if hits:
                message = f"shows {len(hits)} lines of the hidden part of {secret.cell} ({secret.file}): {hits[0]!r}"
                remedy = 'take them out, or say why they may be seen: reveals="…"'
                complaints.append(Complaint("leak", file, cell.id, message, remedy))
    return complaints


def _idiom(line: str, public: str) -> bool:
    """Whether a line of a hidden check is one that public checks use as well, such as its call of ``trial.parity``."""
    return line in public and line.startswith(("trial.", "for ", "return ", "if ", "@check", "x, y = ", "x = "))
