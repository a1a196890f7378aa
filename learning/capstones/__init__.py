"""Capstones: open tasks with a contract, checks, a demonstration and our own worked entry; no notebook, no hidden check.

A capstone is a folder like a lesson's: card, ``given.py`` (what its set-up holds: oracle, helpers, drivers), ``checks.py``,
``answer.py``, ``trace_case.py``, ``mutants/``, ``variants/``, ``demonstration.py``; where it is timed, ``benchmark.py``, and ``baseline.py`` for
what a check names as its anchor. The judge takes notebooks, so ``notebook`` makes one of these files, in memory. Standard library only.
"""

from __future__ import annotations

import ast

from learning.lesson import Lesson, LessonError

TOOLS = """\
import torch
import triton
import triton.language as tl

from learning.judge import check
from learning.lens import device

DEVICE = device.current().torch_device"""
"""What every set-up begins with, as in a lesson's notebook."""
STATES = "states_the_reference_first"
"""The check of the learner's own reference, which proves gate 01."""


def notebook(card: Lesson) -> dict:
    """The capstone's folder as an instructor's notebook: set-up, the worked entry, a cell for each check.

    Raises ``LessonError`` naming the file that is missing, is not Python, or holds what no cell can take.
    """
    given, judged = _File(card, "given.py"), _File(card, "checks.py")
    cells = [
        _cell("setup", "tools", TOOLS),
        _cell("setup", "given", "\n\n\n".join(["\n".join([*given.imports, *judged.imports]), given.body])),
        _cell("answer", "entry", _File(card, "answer.py").body),
    ]
    if (card.folder / "baseline.py").is_file():
        baseline = _cell("show", "baseline", _File(card, "baseline.py").body)
        baseline["metadata"]["learning"]["anchor"] = True
        cells.append(baseline)
    for node in judged.kept:
        made = _check(node)
        if made is None:
            raise LessonError(f"{judged.where}: line {node.lineno} is no check; move it to given.py")
        points, entries = made
        text = f"{judged.text(node)}\n\n\n{node.name}({', '.join(entries)})"
        cells.append(_cell("check", node.name, text, points))
    metadata = {"learning": {"lesson": card.slug, "version": card.version}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _cell(role: str, name: str, source: str, points: float | None = None) -> dict:
    graded = {} if points is None else {"nbgrader": {"grade_id": name, "points": points}}
    metadata = {"learning": {"role": role}, **graded}
    return {"cell_type": "code", "id": name.replace("_", "-"), "metadata": metadata, "source": source}


class _File:
    """A file of the folder without its docstring: ``imports`` of other packages as lines, ``kept`` statements, ``body`` their text."""

    def __init__(self, card: Lesson, name: str):
        self.where = f"learning/capstones/{card.slug}/{name}"
        try:
            source = (card.folder / name).read_text(encoding="utf-8").replace("\r\n", "\n")
            tree = ast.parse(source)
        except FileNotFoundError:
            raise LessonError(f"{self.where} is missing") from None
        except SyntaxError as error:
            raise LessonError(f"{self.where} line {error.lineno} is not Python: {error.msg}") from None
        self._lines, docstring = source.split("\n"), ast.get_docstring(tree)
        statements = tree.body[1:] if docstring is not None else tree.body
        imports = [node for node in statements if isinstance(node, (ast.Import, ast.ImportFrom))]
        own = f"learning.capstones.{card.slug}"
        self.imports = [
            ast.unparse(node) for node in imports if not (getattr(node, "module", "") or "").startswith(own)
        ]
        self.kept = [node for node in statements if node not in imports]
        out = {line for node in (tree.body[:1] if docstring is not None else []) + imports for line in _rows(node)}
        self.body = "\n".join(line for row, line in enumerate(self._lines) if row not in out).strip("\n")

    def text(self, node: ast.stmt) -> str:
        """The source lines of one statement, decorators included."""
        return "\n".join(self._lines[row] for row in _rows(node))


def _rows(node: ast.stmt) -> range:
    first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
    return range(first - 1, node.end_lineno)


def _check(node: ast.stmt) -> tuple[float, list[str]] | None:
    """Points and entries of a function decorated with ``@check(points=…)``; None for anything else."""
    for decorator in getattr(node, "decorator_list", []):
        if isinstance(decorator, ast.Call) and getattr(decorator.func, "id", "") == "check":
            told = {keyword.arg: ast.literal_eval(keyword.value) for keyword in decorator.keywords}
            return float(told["points"]), [argument.arg for argument in node.args.args[:-1]]
    return None
