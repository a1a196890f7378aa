"""The hash of a learner's answer: the entry points and every definition they reach, and nothing else.

Running a scratch cell, a comment or a plot does not change it; changing a helper the answer uses does. The same code
has the same hash in a notebook, in a ``.py`` and in the terminal. Standard library only.
"""

from __future__ import annotations

import ast
import hashlib
import warnings


def fingerprint(cells: list[tuple[str, str]], entries: tuple[str, ...]) -> str:
    """SHA-256 over the newest definitions of ``entries`` and of all names they use, from ``(name, source)`` cells.

    Oldest cell first; cells that do not parse are left out. "" where an entry is not defined.
    """
    statements: dict[str, list[ast.stmt]] = {}
    for _, source in cells:
        for statement in _parse(source):
            for name in bound(statement):
                if isinstance(statement, ast.AugAssign):
                    statements.setdefault(name, []).append(statement)
                else:
                    statements[name] = [statement]
    if any(name not in statements for name in entries):
        return ""
    reached, waiting = set(), list(entries)
    while waiting:
        name = waiting.pop()
        if name in reached or name not in statements:
            continue
        reached.add(name)
        for statement in statements[name]:
            waiting += [node.id for node in ast.walk(statement) if isinstance(node, ast.Name)]
    try:
        texts = [f"{name}\0" + "\n".join(map(ast.unparse, statements[name])) for name in sorted(reached)]
    except RecursionError:
        return ""
    return hashlib.sha256("\0".join(texts).encode("utf-8", "replace")).hexdigest()


def _parse(source: str) -> list[ast.stmt]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []


def bound(statement: ast.stmt) -> set[str]:
    """Names a top-level statement binds in its module."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return {(alias.asname or alias.name).split(".")[0] for alias in statement.names}
    names = {n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for node in ast.walk(statement):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
    return names
