"""A lesson's worked attempts: our answer, the unusual right ones and the wrong ones, read without running them.

Tests, the demonstration class, the release audit and the GPU run all take them from here. Standard library only.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

from learning.lesson import Lesson, LessonError

DEVICES = ("interpreter", "cuda", "cpu")


@dataclass(frozen=True)
class Attempt:
    """One file a learner could have handed in.

    ``kind`` is "answer", "variant" or "mutant"; ``name`` the file's stem; ``story`` its docstring; a mutant's ``caught_by``
    names the check it must fail and ``dies_on`` the devices on which it must.
    """

    kind: str
    name: str
    path: Path
    source: str
    story: str
    caught_by: str = ""
    dies_on: tuple[str, ...] = ()


def attempts(lesson: Lesson) -> list[Attempt]:
    """The answer, then variants, then mutants, each sorted by name.

    Raises ``LessonError`` naming the file and what it lacks: a docstring, or a mutant's ``CAUGHT_BY`` and ``DIES_ON``.
    """
    return [answer(lesson), *variants(lesson), *mutants(lesson)]


def answer(lesson: Lesson) -> Attempt:
    """The lesson's taught answer."""
    return _read("answer", lesson.folder / "answer.py")


def variants(lesson: Lesson) -> list[Attempt]:
    """Right answers of another shape, which every check must accept."""
    return [_read("variant", path) for path in _files(lesson.folder / "variants")]


def mutants(lesson: Lesson) -> list[Attempt]:
    """Wrong answers, each wrong for one reason."""
    return [_read("mutant", path) for path in _files(lesson.folder / "mutants")]


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.py") if path.name != "__init__.py")


def _read(kind: str, path: Path) -> Attempt:
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source, str(path))
    story = ast.get_docstring(tree) or ""
    if not story:
        raise LessonError(f"{path}: has no docstring; its first line tells what this attempt is")
    if kind != "mutant":
        return Attempt(kind, path.stem, path, source, story)
    caught_by, dies_on = _constant(tree, "CAUGHT_BY", path), tuple(_constant(tree, "DIES_ON", path))
    unknown = set(dies_on) - set(DEVICES)
    if unknown or not dies_on:
        raise LessonError(
            f"{path}: DIES_ON must name devices of {', '.join(DEVICES)}, not {', '.join(unknown) or 'none'}"
        )
    return Attempt(kind, path.stem, path, source, story, caught_by, dies_on)


def _constant(tree: ast.Module, name: str, path: Path):
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            return ast.literal_eval(node.value)
    raise LessonError(f"{path}: a mutant states {name} at module level")
