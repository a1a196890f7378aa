"""The exhibits, a file a trap: ``<number>_<name>.py`` holds kernels and the cases that run them.

This module reads the files without running them: what a page shows of an exhibit. ``learning.ledger.run`` runs them.
Standard library only.
"""

from __future__ import annotations

import ast
import functools
import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
_NAME = re.compile(r"^(\d\d)_\w+\.py$")


@dataclass(frozen=True)
class CaseText:
    """A case as its file tells it: ``name``, ``claim`` (the docstring's first paragraph) and the ``modes`` it is run in."""

    name: str
    claim: str
    modes: tuple[str, ...]


@dataclass(frozen=True)
class Exhibit:
    """One file: the trap's ``number``, its ``path``, its ``story`` (the docstring), its ``kernels`` as text by name, and
    its ``cases``, the trap's own claim first. Kernels whose names begin with ``wrong_`` or ``right_`` are what those words say."""

    number: int
    path: Path
    story: str
    kernels: dict[str, str]
    cases: tuple[CaseText, ...]

    @property
    def module(self) -> str:
        """The name it is imported by."""
        return f"{__name__}.{self.path.stem}"


@functools.cache
def exhibits(folder: Path = FOLDER) -> tuple[Exhibit, ...]:
    """Every exhibit by number. Raises ``ValueError`` for a case without a claim, or two files of one number."""
    found = [_read(path) for path in sorted(folder.glob("*.py")) if _NAME.match(path.name)]
    numbers = [exhibit.number for exhibit in found]
    twice = {number for number in numbers if numbers.count(number) > 1}
    if twice:
        raise ValueError(f"{folder}: two exhibits of trap {min(twice)}; give one of them another number")
    return tuple(found)


def exhibit(number: int) -> Exhibit:
    """The exhibit of a trap; raises ``LookupError`` where it has none."""
    for found in exhibits():
        if found.number == number:
            return found
    raise LookupError(f"trap {number} has no exhibit in {FOLDER.name}/")


def _read(path: Path) -> Exhibit:
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source, str(path))
    constants = {"COMPILED": "compiled", "INTERPRETER": "interpreter"}
    kernels, cases = {}, []
    for node in tree.body:
        if not isinstance(node, ast.FunctionDef):
            continue
        marks = [ast.unparse(decorator) for decorator in node.decorator_list]
        if "triton.jit" in marks:
            kernels[node.name] = _text(source, node)
        for mark in node.decorator_list:
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "case":
                claim = (ast.get_docstring(node) or "").split("\n\n")[0].replace("\n", " ")
                if not claim:
                    raise ValueError(f"{path}: case {node.name} has no docstring, which is its claim")
                cases.append(CaseText(node.name, claim, tuple(constants[ast.unparse(arg)] for arg in mark.args)))
    story = " ".join((ast.get_docstring(tree) or "").split())
    return Exhibit(int(path.name[:2]), path, story, kernels, tuple(cases))


def _text(source: str, node: ast.FunctionDef) -> str:
    lines = source.split("\n")
    return "\n".join(lines[node.decorator_list[0].lineno - 1 : node.end_lineno])
