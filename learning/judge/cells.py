"""Cells and their roles: which cells of a notebook run where, and which of a learner's lines reach the worker.

Standard library only.
"""

from __future__ import annotations

import ast
import functools
import re
from dataclasses import dataclass, field

ROLES = ("bootstrap", "setup", "answer", "check", "hidden", "show", "explain")
SETUP, ANSWER, EXTRA = "setup", "answer", "extra"

_CELL_MAGICS_ON_PYTHON = {"time", "timeit", "capture", "prun", "memit", "mprun"}
_LINE_MAGIC = re.compile(r"\s*(%|!|\?|get_ipython\(\))")
_ASSIGNED_MAGIC = re.compile(r"\s*[\w.,\s]+=\s*(%\w|!)")
_HELP = re.compile(r"\s*[\w.*]+\?{1,2}\s*$")
_BEGIN = re.compile(r"^(\s*)### BEGIN SOLUTION\s*$")
_END = re.compile(r"^\s*### END SOLUTION\s*$")


@dataclass
class Cell:
    """One cell the worker runs: ``name`` as reports show it, ``source`` as the learner typed it, ``role`` one of
    "setup", "answer" (runs whole) and "extra" (only imports, definitions and assignments run)."""

    name: str
    source: str
    role: str = ANSWER


@dataclass
class LearnerCells:
    """What of a submission reaches the worker, in the learner's order; ``notes`` says what was odd about it."""

    cells: list[Cell] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @classmethod
    def from_python(cls, text: str, name: str = "answer.py") -> LearnerCells:
        """A Python file as a submission: one answer cell called ``name``."""
        return cls([Cell(name, text, ANSWER)])

    def sources(self) -> list[tuple[str, str]]:
        """``(name, source)`` of every cell the learner could edit, oldest first: what house rules read."""
        return [(cell.name, cell.source) for cell in self.cells if cell.role != SETUP]

    def answers(self) -> list[str]:
        """Names of the cells that run whole."""
        return [cell.name for cell in self.cells if cell.role == ANSWER]


def text_of(cell: dict) -> str:
    """A notebook cell's source as one string (nbformat also allows a list of lines)."""
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(source)


def role_of(cell: dict) -> str:
    """The role in ``cell.metadata.learning.role``; "" where there is none."""
    metadata = cell.get("metadata")
    learning = metadata.get("learning") if isinstance(metadata, dict) else None
    role = learning.get("role") if isinstance(learning, dict) else None
    return role if isinstance(role, str) else ""


def is_anchor(cell: dict) -> bool:
    """Whether a cell holds what answers are timed beside, besides our own answer: ``cell.metadata.learning.anchor``."""
    return bool(role_of(cell)) and cell["metadata"]["learning"].get("anchor") is True


def roles(notebook: dict) -> list[tuple[dict, str]]:
    """Every cell of an instructor's notebook with its role, in order ("" for plain text cells).

    Raises ``ValueError`` for a role that is not one of ``ROLES``, naming the cell.
    """
    pairs = [(cell, role_of(cell)) for cell in notebook.get("cells", [])]
    for cell, role in pairs:
        if role and role not in ROLES:
            raise ValueError(f"cell {name_of(cell)!r} has the unknown role {role!r}; use one of {', '.join(ROLES)}")
    return pairs


def name_of(cell: dict) -> str:
    """A cell's nbgrader grade id, else its cell id, else ""."""
    metadata = cell.get("metadata") if isinstance(cell.get("metadata"), dict) else {}
    nbgrader = metadata.get("nbgrader") if isinstance(metadata.get("nbgrader"), dict) else {}
    return str(nbgrader.get("grade_id") or cell.get("id") or "")


def starter_of(source: str, stub: str = "...") -> str:
    """An answer cell as released: what lies between the solution markers becomes ``stub`` at the marker's indent."""
    lines, inside = [], False
    for line in source.splitlines():
        begin = _BEGIN.match(line)
        if begin:
            inside = True
            lines.append(begin.group(1) + stub)
        elif _END.match(line):
            inside = False
        elif not inside:
            lines.append(line)
    return "\n".join(lines)


def is_todo(source: str, starter: str) -> bool:
    """Whether ``source`` is still the starter: equal syntax trees, so comments, markers and blank lines do not count.

    A cell that does not parse is compared by its lines without comments.
    """
    return _essence(neutralise(source)[0]) == _essence(neutralise(starter)[0])


@functools.lru_cache(maxsize=64)
def _essence(source: str) -> str:
    try:
        return ast.dump(ast.parse(source))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        lines = (line.split("#")[0].rstrip() for line in source.splitlines())
        return "\n".join(line for line in lines if line)


def neutralise(source: str) -> tuple[str, list[str]]:
    """Turn magics, shell lines and help queries into comments, line for line, so that line numbers stay.

    Returns the new source and one note for each change. Lines inside strings, brackets or continued statements are
    Python's and stay; ``%%time`` and its like leave their cell running, ``%%bash`` and its like comment it whole.
    """
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    lines = source.split("\n")
    notes: list[str] = []
    first = next((i for i, line in enumerate(lines) if line.strip()), None)
    if first is not None and lines[first].startswith("%%"):
        magic = lines[first][2:].split(maxsplit=1)[0] if lines[first][2:].strip() else ""
        notes.append(f"{lines[first].strip()} was left out")
        if magic not in _CELL_MAGICS_ON_PYTHON:
            return "\n".join("# " + line if line.strip() else line for line in lines), notes
        lines[first] = "# " + lines[first]
    elif _parses(source) and "get_ipython" not in source:
        return source, notes
    state, continued, dropping = _Scanner(), False, False
    for number, line in enumerate(lines):
        fresh = not state.open and not continued
        if dropping or (fresh and (_LINE_MAGIC.match(line) or _ASSIGNED_MAGIC.match(line) or _HELP.match(line))):
            indent = line[: len(line) - len(line.lstrip())]
            if not dropping:
                notes.append(f"{line.strip()} was left out")
            lines[number] = f"{indent}pass  # {line.strip()}" if indent and not dropping else f"# {line}"
            dropping = line.endswith("\\")
            continue
        state.feed(line)
        continued = line.endswith("\\")
    return "\n".join(lines), notes


def _parses(source: str) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


class _Scanner:
    """Follows brackets and strings from line to line; ``open`` says whether the next line continues a statement."""

    def __init__(self) -> None:
        self.depth, self.quote = 0, ""

    @property
    def open(self) -> bool:
        return self.depth > 0 or bool(self.quote)

    def feed(self, line: str) -> None:
        i = 0
        while i < len(line):
            if self.quote:
                if line[i] == "\\":
                    i += 1
                elif line.startswith(self.quote, i):
                    i += len(self.quote) - 1
                    self.quote = ""
            elif line[i] == "#":
                break
            elif line[i] in "\"'":
                self.quote = line[i] * 3 if line.startswith(line[i] * 3, i) else line[i]
                i += len(self.quote) - 1
            elif line[i] in "([{":
                self.depth += 1
            elif line[i] in ")]}":
                self.depth = max(0, self.depth - 1)
            i += 1
        if len(self.quote) == 1 and not line.endswith("\\"):
            self.quote = ""


_KEPT = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef,
         ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Pass)  # fmt: skip


def definitions(tree: ast.Module) -> tuple[ast.Module, list[str]]:
    """Keep of an extra cell what can define something: imports, definitions, assignments, and ``if`` or ``try`` made
    of nothing else. Returns the reduced tree (line numbers unchanged) and a note for each statement left out."""
    kept, notes = [], []
    for node in tree.body:
        if _defines(node):
            kept.append(node)
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            text = ast.unparse(node).split("\n")[0]
            notes.append(f"line {node.lineno}: {text[:60]} was left out")
    return ast.Module(kept, tree.type_ignores), notes


def _defines(node: ast.stmt) -> bool:
    if isinstance(node, ast.If):
        return all(map(_defines, node.body + node.orelse))
    if isinstance(node, ast.Try):
        handlers = [line for handler in node.handlers for line in handler.body]
        return all(map(_defines, node.body + handlers + node.orelse + node.finalbody))
    return isinstance(node, _KEPT)
