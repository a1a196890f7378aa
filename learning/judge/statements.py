"""Compare and take apart cells by their top-level statements; standard library only."""

from __future__ import annotations

import ast
import functools
import re
import warnings

HIDDEN_BEGIN, HIDDEN_END = "BEGIN HIDDEN TESTS", "END HIDDEN TESTS"


def parse(source: str) -> ast.Module | None:
    """The syntax tree of ``source``, or None where it has none (a syntax error, Markdown, nesting without end)."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


@functools.lru_cache(maxsize=512)
def squeezed(source: str) -> str:
    """``source`` without blank lines and the white space at line ends: what survives editors and converters."""
    return "\n".join(line.rstrip() for line in source.strip().splitlines() if line.strip())


def same_text(one: str, other: str) -> bool:
    return squeezed(one) == squeezed(other)


def forms(source: str) -> list[str]:
    """The forms a locked cell may have in a release: as it stands, and with its hidden region cut out."""
    return [source, _cut(source, HIDDEN_BEGIN, HIDDEN_END)]


def _cut(source: str, begin: str, end: str) -> str:
    lines, inside = [], False
    for line in source.split("\n"):
        if begin in line:
            inside = True
        elif end in line:
            inside = False
        elif not inside:
            lines.append(line)
    return "\n".join(lines)


@functools.lru_cache(maxsize=512)
def defined(source: str) -> frozenset[str]:
    """Names that the top-level statements of ``source`` define or assign; imports do not count."""
    tree = parse(source)
    if tree is None:
        return frozenset(re.findall(r"^(?:async\s+def|def|class)\s+(\w+)", source, re.MULTILINE))
    names: set[str] = set()
    for statement in tree.body:
        names |= _targets(statement)
    return frozenset(names)


def _targets(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return {node.id for target in targets for node in ast.walk(target) if isinstance(node, ast.Name)}
    return set()


def _dump(node: ast.stmt) -> object:
    """The statement's form; for one nested without end, something that equals no other."""
    try:
        return ast.dump(node)
    except RecursionError:
        return object()


@functools.lru_cache(maxsize=256)  # the same locked cells are taken out of every submission of a class
def _dumps(source: str) -> frozenset[object]:
    """The top-level statements of a locked cell's ``source``, in each form it may have in a release."""
    return frozenset(_dump(node) for form in forms(source) for node in getattr(parse(form), "body", []))


def without(source: str, others: list[str], only_new: set[str] | None = None) -> str:
    """``source`` with the statements that also stand in ``others`` blanked out, so that line numbers stay.

    Imports stay. With ``only_new`` just definitions and assignments are kept, and of those none whose name is in it.
    Where ``source`` does not parse, it comes back unchanged (or, with ``only_new``, empty).
    """
    tree = parse(source)
    if tree is None:
        return source if only_new is None else ""
    known = frozenset().union(*map(_dumps, others))
    lines = source.split("\n")
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            continue
        drop = _dump(node) in known
        if only_new is not None:
            names = _targets(node)
            drop = drop or not names or bool(names & only_new)
        if drop:
            decorators = getattr(node, "decorator_list", [])
            first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
            for number in range(first - 1, node.end_lineno):
                lines[number] = ""
    return "\n".join(lines)
