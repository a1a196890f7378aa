"""Which modules the names in a learner's cells mean, by the imports and assignments in them. Standard library only."""

from __future__ import annotations

import ast

from learning.judge.reach import Piece

ALIASES = {"torch": "torch", "triton": "triton", "tl": "triton.language", "math": "math"}
"""What these names mean where the learner's cells do not import them: the locked set-up cell does."""


def aliases(pieces: list[Piece]) -> list[dict[str, str]]:
    """Names → dotted modules, from every import in the cells and from plain assignments of one to a name.

    More than one where imports give a name several meanings: which of them holds where, and whether an import runs at all,
    reading cannot tell, so what is read must keep the rules with each.
    """
    given: dict[str, list[str]] = {name: [path] for name, path in ALIASES.items()}
    for piece in pieces:
        for node in piece.naming:
            if isinstance(node, ast.Import):
                for name in node.names:
                    root = name.name.partition(".")[0]
                    _gives(given, name.asname or root, name.name if name.asname else root)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                for name in node.names:
                    _gives(given, name.asname or name.name, f"{node.module}.{name.name}")
    most = max(map(len, given.values()))
    return [
        _assigned(pieces, {name: paths[min(turn, len(paths) - 1)] for name, paths in given.items()})
        for turn in range(most)
    ]


def _gives(given: dict[str, list[str]], name: str, path: str) -> None:
    if path not in given.setdefault(name, []):
        given[name].append(path)


def _assigned(pieces: list[Piece], known: dict[str, str]) -> dict[str, str]:
    """``known``, and what plain assignments of its modules to a name add."""
    for piece in pieces:
        for node in piece.naming:
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                path = dotted(node.value, known)
                name = node.targets[0].id
                if path and (name not in known or path.partition(".")[0] == "torch"):
                    known[name] = path
    return known


def dotted(node: ast.AST, known: dict[str, str]) -> str:
    """``torch.cuda.Event`` for a chain of attributes whose root names a module; else empty."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in known:
        return ""
    return ".".join([known[node.id], *reversed(parts)])
