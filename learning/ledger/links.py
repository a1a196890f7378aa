"""Which lessons, checks and wrong answers a trap concerns, read from the lessons' folders, so that it grows as they come.

A check names its trap (``@check(trap=8)``); a lesson's text names traps it tells of ("trap 8", "traps 6, 7 and 9"); a wrong
answer belongs to a trap that its docstring numbers, or, where the docstring begins with "Trap", to that of the check that
catches it. Standard library only; no lesson's code is run.
"""

from __future__ import annotations

import ast
import functools
import re
from dataclasses import dataclass, field
from pathlib import Path

from learning import lesson as lessons
from learning.attempts import mutants
from learning.lesson import LESSONS, Lesson

_NAMED = re.compile(r"\btraps?\s+(\d+(?:(?:\s*,\s*|\s+and\s+)\d+)*)", re.IGNORECASE)


@dataclass(frozen=True)
class Concerns:
    """What of one ``lesson`` a trap concerns: whether its text ``tells`` of it, names of public and hidden ``checks`` that
    point to it, and (name, story) of ``mutants`` that fell into it."""

    lesson: Lesson
    tells: bool = False
    checks: tuple[str, ...] = ()
    mutants: tuple[tuple[str, str], ...] = ()


@dataclass
class _Found:
    traps: dict[str, int] = field(default_factory=dict)
    told: set[int] = field(default_factory=set)
    fallen: list[tuple[str, str, str, set[int]]] = field(default_factory=list)


def concerned(number: int, root: Path = LESSONS) -> list[Concerns]:
    """The lessons a trap concerns, in course order."""
    found = []
    for lesson in lessons.discover(root=root):
        of = _read(lesson)
        checks = tuple(name for name, trap in of.traps.items() if trap == number)
        fallen = tuple(
            (name, story) for name, story, caught, named in of.fallen if _falls(number, caught, named, story, of)
        )
        if number in of.told or checks or fallen:
            found.append(Concerns(lesson, number in of.told, checks, fallen))
    return found


def numbers(text: str) -> set[int]:
    """Numbers of the traps that a text names."""
    return {int(number) for match in _NAMED.findall(text) for number in re.findall(r"\d+", match)}


def _falls(number: int, caught_by: str, named: set[int], story: str, of: _Found) -> bool:
    if named:
        return number in named
    return story.lower().startswith("trap") and of.traps.get(caught_by) == number


def _read(lesson: Lesson) -> _Found:
    files = [lesson.folder / name for name in ("checks.py", "hidden.py", "lesson.md")]
    stamp = tuple(path.stat().st_mtime_ns if path.is_file() else 0 for path in files)
    return _parsed(lesson.slug, lesson.root, stamp, tuple(sorted((lesson.folder / "mutants").glob("*.py"))))


@functools.lru_cache(maxsize=64)
def _parsed(slug: str, root: Path, stamp: tuple[int, ...], wrong: tuple[Path, ...]) -> _Found:
    lesson = lessons.load(slug, root)
    of = _Found()
    for name in ("checks.py", "hidden.py"):
        if (lesson.folder / name).is_file():
            of.traps |= _traps((lesson.folder / name).read_text(encoding="utf-8"))
    page = lesson.folder / "lesson.md"
    of.told = numbers(page.read_text(encoding="utf-8")) if page.is_file() else set()
    for mutant in mutants(lesson):
        of.fallen.append((mutant.name, " ".join(mutant.story.split()), mutant.caught_by, numbers(mutant.story)))
    return of


def _traps(source: str) -> dict[str, int]:
    """Name of a check → the trap its decorator names."""
    found = {}
    for node in ast.parse(source).body:
        for mark in node.decorator_list if isinstance(node, ast.FunctionDef) else []:
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "check":
                for keyword in mark.keywords:
                    if keyword.arg == "trap" and isinstance(keyword.value, ast.Constant) and keyword.value.value:
                        found[node.name] = int(keyword.value.value)
    return found
