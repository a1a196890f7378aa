"""What of a Python source counts where its speed was measured. Standard library only."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import io
import tokenize


def executable(source: str) -> str:
    """Python ``source`` without comments, blank lines, spaces at a line's end, and docstrings that have their lines to themselves:
    what a measurement of it depends on, spelt alike under every Python. Raises ``SyntaxError`` where it is no Python."""
    lines = source.splitlines()
    comments = [t for t in tokenize.generate_tokens(io.StringIO(source).readline) if t.type == tokenize.COMMENT]
    for comment in comments:
        row, column = comment.start
        lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) or not node.body:
            continue
        first = node.body[0]
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            start, end = first.lineno - 1, first.end_lineno
            before, after = lines[start].encode()[: first.col_offset], lines[end - 1].encode()[first.end_col_offset :]
            if not before.strip() and not after.strip():
                lines[start:end] = [""] * (end - start)
    return "\n".join(line.rstrip() for line in lines if line.strip())


def code_sha256(source: str) -> str:
    """SHA-256 (hex) over what is ``executable`` of ``source``, its length before it; what is no Python counts as it stands."""
    with contextlib.suppress(SyntaxError, tokenize.TokenError):
        source = executable(source)
    data = source.encode("utf-8", "surrogatepass")
    return hashlib.sha256(f"{len(data)}\0".encode() + data).hexdigest()
