"""A Python file as definitions that can be taken out, and put back, by name.

Source lines are cut with ``ast``'s help. Its end positions stop at the last statement and would drop a trailing
``### END SOLUTION``, so a definition here ends where the next top-level statement's own text begins.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from learning.build.markers import BEGINS, ENDS


class PullError(LookupError):
    """A name that a cell pulls does not exist, or cannot be told apart; the message says which and where."""


@dataclass
class Definition:
    """A top-level statement that binds ``names``: lines ``first`` to ``last`` (0-based, ``last`` exclusive)."""

    names: tuple[str, ...]
    node: ast.stmt
    first: int
    last: int
    text: str

    @property
    def docstring(self) -> str:
        """The cleaned docstring, '' where there is none."""
        return (ast.get_docstring(self.node) or "") if isinstance(self.node, _DOCUMENTED) else ""


_DOCUMENTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


@dataclass
class Code:
    """A file or a cell: its text, its definitions by name, and what stands at the top level beside them."""

    text: str
    definitions: dict[str, Definition] = field(default_factory=dict)
    others: list[ast.stmt] = field(default_factory=list)
    doubles: list[str] = field(default_factory=list)
    docstring_lines: int = 0

    def body(self) -> str:
        """The whole text without the module's docstring and without blank lines around what is left."""
        return "\n".join(self.text.split("\n")[self.docstring_lines :]).strip("\n")

    def take(self, names: list[str]) -> str:
        """The named definitions' texts, in the order asked for, two blank lines between them."""
        missing = [name for name in names if name not in self.definitions]
        if missing:
            raise PullError(", ".join(missing))
        return "\n\n\n".join(self.definitions[name].text for name in names)

    def put(self, new: dict[str, str]) -> str:
        """The text with each named definition replaced by its new text; everything else stays as it is."""
        lines = self.text.split("\n")
        for name, text in sorted(new.items(), key=lambda item: -self.definitions[item[0]].first):
            definition = self.definitions[name]
            lines[definition.first : definition.last] = text.split("\n")
        return "\n".join(lines)

    def put_body(self, text: str) -> str:
        """The text with everything after the module's docstring replaced."""
        lines = self.text.split("\n")
        head, rest = lines[: self.docstring_lines], "\n".join(lines[self.docstring_lines :])
        return "\n".join([*head, framed(rest, text)])


def framed(old: str, new: str) -> str:
    """``new`` with the blank lines around it that ``old`` has around its text."""
    first, last = len(old) - len(old.lstrip("\n")), len(old.rstrip("\n"))
    return old[:first] + new.strip("\n") + old[max(first, last) :]


def parse(text: str) -> Code:
    """Read Python source; raises ``SyntaxError`` where it is none."""
    text = text.replace("\r\n", "\n")
    if "\0" in text:  # Python places it nowhere, and before 3.12 calls it another kind of error
        raise SyntaxError("a null byte", ("", 1 + text.partition("\0")[0].count("\n"), 1, ""))
    tree = ast.parse(text)
    lines = text.split("\n")
    code = Code(text)
    statements = list(tree.body)
    if statements and _is_docstring(statements[0]):
        code.docstring_lines = statements.pop(0).end_lineno
    ends = code.docstring_lines
    spans = []
    for statement in statements:
        first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", []))]) - 1
        gap = _split(lines, ends, first)
        if spans:
            spans[-1][2] = gap[0]
        spans.append([statement, gap[1], None])
        ends = statement.end_lineno
    if spans:
        spans[-1][2] = _split(lines, ends, len(lines))[0]
    for statement, first, last in spans:
        names = bound(statement)
        definition = Definition(names, statement, first, last, "\n".join(lines[first:last]))
        if not names:
            code.others.append(statement)
        for name in names:
            if name in code.definitions:
                code.doubles.append(name)
            code.definitions[name] = definition
    return code


def _is_docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _split(lines: list[str], after: int, before: int) -> tuple[int, int]:
    """Where, in the lines between two statements, the first one's text ends and the second one's begins.

    To the first belong indented comments and everything up to a closing marker; to the second an opening marker, or
    the comment that stands directly above it. What is left between them belongs to neither.
    """
    gap = range(after, before)
    begins = [i for i in gap if BEGINS.search(lines[i])]
    ends = [i for i in gap if ENDS.search(lines[i]) and not (begins and i > begins[-1])]
    indented = [i for i in gap if lines[i][:1].isspace() and lines[i].strip()]
    end = max([after, *(i + 1 for i in ends), *(i + 1 for i in indented)])
    later = [i for i in begins if i >= end]
    if later:
        return end, later[0]
    start = before
    while start > end and lines[start - 1].startswith("#"):
        start -= 1
    return end, start


def bound(statement: ast.stmt) -> tuple[str, ...]:
    """The names a top-level definition or plain assignment binds; empty for anything else (imports included)."""
    if isinstance(statement, _DOCUMENTED):
        return (statement.name,)
    if isinstance(statement, ast.Assign):
        return tuple(n.id for t in statement.targets for n in ast.walk(t) if isinstance(n, ast.Name))
    if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
        return (statement.target.id,)
    return ()
