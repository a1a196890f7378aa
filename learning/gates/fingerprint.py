"""The hash of a learner's answer: the entry points and every definition they reach, and nothing else.

Running a scratch cell, a comment or a plot does not change it; changing a helper the answer uses does. The same code
has the same hash in a notebook, in a ``.py`` and in the terminal. Standard library only.
"""

from __future__ import annotations

import ast
import hashlib
import warnings

from learning.judge import reach


def fingerprint(cells: list[tuple[str, str]], entries: tuple[str, ...]) -> str:
    """SHA-256 over the newest definitions of ``entries`` and of all names they use, from ``(name, source)`` cells.

    Oldest cell first; cells that do not parse are left out. "" where an entry is not defined.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a learner's "\d" is not this command's affair
        try:
            return _hash(reach.pieces(cells), entries)
        except (RecursionError, SyntaxError, ValueError):
            return ""


def _hash(pieces: list[reach.Piece], entries: tuple[str, ...]) -> str:
    imported = frozenset(n for p in pieces if isinstance(p.node, (ast.Import, ast.ImportFrom)) for n in p.binds)
    texts: set[tuple[str, ...]] = set()
    for entry in entries:
        reached, defining = reach.reachable(pieces, entry, imported)
        if defining is None:
            return ""
        texts |= {(*sorted(piece.binds), ast.unparse(piece.node)) for piece in reached}
    return hashlib.sha256(repr(sorted(texts)).encode("utf-8", "replace")).hexdigest()
