"""nbgrader's region markers: the four that count, and what is meant to be one but is not.

nbgrader itself looks for a phrase anywhere in a line and leaks, with exit status 0, what a misspelt marker was meant
to hide. Here a marker is a whole comment line and anything that resembles one is reported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

KINDS = ("SOLUTION", "HIDDEN TESTS", "MARK SCHEME")
BEGINS = re.compile(r"^\s*(?:###|<!--) BEGIN (SOLUTION|HIDDEN TESTS|MARK SCHEME)(?: -->)?\s*$")
ENDS = re.compile(r"^\s*(?:###|<!--) END (SOLUTION|HIDDEN TESTS|MARK SCHEME)(?: -->)?\s*$")
_NEAR = re.compile(
    r"\b(?:BEGIN\w*|END\w*|START\w*|STOP\w*)[\s_:-]*(?:OF\s+)?(?:THE\s+)?"
    r"(?:SOLUTIONS?|HIDDEN[\s_-]*TESTS?|HIDDEN|TESTS?|MARK(?:ING)?[\s_-]*SCHEMES?)\b",
    re.IGNORECASE,
)


@dataclass
class Region:
    """A marked region: its ``kind`` and the lines of the two markers (0-based)."""

    kind: str
    first: int
    last: int


def regions(source: str) -> tuple[list[Region], list[str]]:
    """The marked regions of a cell, and a sentence for each marker that is doubled, alone, nested or misspelt."""
    found, faults = [], []
    opened: tuple[str, int] | None = None
    for number, line in enumerate(source.split("\n")):
        begin, end = BEGINS.match(line), ENDS.match(line)
        if begin and opened:
            faults.append(f"line {number + 1} begins {begin[1]} inside the {opened[0]} begun on line {opened[1] + 1}")
        elif begin:
            opened = (begin[1], number)
        elif end and opened is None:
            faults.append(f"line {number + 1} ends {end[1]}, which nothing began")
        elif end and end[1] != opened[0]:
            faults.append(f"line {number + 1} ends {end[1]} where line {opened[1] + 1} began {opened[0]}")
        elif end:
            found.append(Region(end[1], opened[1], number))
            opened = None
        elif _looks_like_a_marker(line):
            faults.append(f"line {number + 1} is nearly a marker and hides nothing: {line.strip()!r}")
    if opened:
        faults.append(f"line {opened[1] + 1} begins {opened[0]}, which nothing ends")
    return found, faults


def _looks_like_a_marker(line: str) -> bool:
    """A comment whose words resemble a marker, or one of nbgrader's phrases anywhere (nbgrader would obey it)."""
    if any(f"{word} {kind}" in line for word in ("BEGIN", "END") for kind in KINDS):
        return True
    text = line.strip()
    comment = text.startswith(("#", "<!--"))
    return comment and len(text) < 60 and bool(_NEAR.search(text))


def visible(source: str) -> str:
    """``source`` without its marked regions, markers included."""
    found, _ = regions(source)
    inside = {i for region in found for i in range(region.first, region.last + 1)}
    return "\n".join(line for i, line in enumerate(source.split("\n")) if i not in inside)


def within(source: str, kind: str) -> list[str]:
    """The texts of the regions of one ``kind``, without their markers."""
    lines = source.split("\n")
    return ["\n".join(lines[r.first + 1 : r.last]) for r in regions(source)[0] if r.kind == kind]
