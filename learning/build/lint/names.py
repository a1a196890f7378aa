"""Every name a cell uses is defined by an earlier cell, is an entry of the lesson, or is a builtin.

Scopes are read by ``symtable``, Python's own: comprehensions, closures and class bodies are told apart as the compiler
does. A name used inside a function counts as used where the function stands.
"""

from __future__ import annotations

import ast
import builtins
import re
import symtable

from learning.build.cells import Cell
from learning.build.finding import Complaint
from learning.judge.cells import neutralise
from learning.lesson import Lesson

_ALWAYS = {*dir(builtins), "__name__", "__file__", "get_ipython", "display", "In", "Out"}


def used(source: str) -> set[str]:
    """The global names a cell reads and does not itself define; raises ``SyntaxError``."""
    top = symtable.symtable(source, "cell", "exec")
    found: set[str] = set()

    def walk(table: symtable.SymbolTable) -> None:
        for symbol in table.get_symbols():
            outside = symbol.is_global() or (table is top and not symbol.is_assigned() and not symbol.is_imported())
            if symbol.is_referenced() and outside:
                found.add(symbol.get_name())
        for child in table.get_children():
            walk(child)

    walk(top)
    return found - defined(source)


def defined(source: str) -> set[str]:
    """The names a cell binds at its top level, imports and loop variables too; raises ``SyntaxError``."""
    top = symtable.symtable(source, "cell", "exec")
    bound = {s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_imported()}
    return {name for name in bound if name != "*"}


def asked_for(source: str) -> set[str]:
    """The names a cell asks for before it uses them: ``if "tuned" in globals():``."""
    return set(re.findall(r"""["'](\w+)["'] in globals\(\)""", source))


def check(lesson: Lesson, cells: list[Cell], file: str) -> list[Complaint]:
    """Complaints about undefined names, star imports, and cells that are not Python."""
    complaints = []
    course: set[str] = set()  # what the judge's namespace holds: set-up cells, then earlier checks
    kernel: set[str] = set()  # what a learner's kernel holds: every earlier cell
    for cell in cells:
        if cell.kind != "code" or cell.role == "bootstrap":
            continue
        try:
            source, _ = neutralise(cell.source)
            names, mine = used(source), defined(source)
        except SyntaxError as error:
            complaints.append(Complaint("syntax", file, cell.id, f"line {error.lineno} is not Python: {error.msg}", ""))
            continue
        if _star(source):
            complaints.append(
                Complaint("names", file, cell.id, "imports *, so nobody can say what is defined", "name the imports")
            )
        known = _ALWAYS | (course if cell.role in ("setup", "check", "hidden") else kernel)
        known |= set(lesson.entries) if cell.role in ("check", "hidden") else set()
        known |= asked_for(source) if cell.role == "show" else set()
        for name in sorted(names - known):
            remedy = (
                "it is the answer's; a locked cell may use the lesson's entries and set-up cells only"
                if name in kernel
                else "import or define it in an earlier set-up cell"
            )
            complaints.append(Complaint("names", file, cell.id, f"uses {name}, which no earlier cell defines", remedy))
        kernel |= mine
        if cell.role in ("setup", "check", "hidden"):
            course |= mine
    return complaints


def _star(source: str) -> bool:
    return any(isinstance(n, ast.ImportFrom) and n.names[0].name == "*" for n in ast.walk(ast.parse(source)))
