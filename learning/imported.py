"""Which files of this package a result depends on: what modules import, directly or not, read from their sources.

Every ``import`` counts, those inside functions too: a module that is imported only on a GPU belongs to what is judged there.
Standard library only.
"""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from learning import sources

PACKAGE = Path(__file__).parent
JUDGING = (
    "learning.judge.engine",
    "learning.judge.server",
    "learning.judge.worker",
    "learning.judge.spawned",
)
"""Where judging starts: the engine, and the modules that a server's and a worker's process begin with by name."""
SUBMISSIONS = ("mutants", "variants")
"""A lesson's folders of files that are handed in and never imported: they count, and what they name does not."""
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
"""Where a statement holds others; a walk over its expressions as well would take ten times as long."""


def judging(lesson: str) -> list[Path]:
    """The files that can change a verdict about ``lesson``: the judge's, the lesson's own, and all that these import."""
    own = sorted(path for room in ("lessons", "capstones") for path in (PACKAGE / room / lesson).rglob("*.py"))
    importing = [path for path in own if path.parent.name not in SUBMISSIONS]
    return sorted({*own, *files(*JUDGING), *(found for path in importing for found in _reached(path))})


def files(*modules: str) -> list[Path]:
    """The files of ``modules`` (dotted names within this package) and of all they import of it, sorted.

    Raises ``LookupError`` for a name that is no module of this package.
    """
    found: set[Path] = set()
    for name in modules:
        path = _file(name)
        if path is None:
            raise LookupError(f"{name} is no module of {PACKAGE.name}")
        found |= {*_packages(path), path, *_reached(path)}
    return sorted(found)


def sha256(paths: Iterable[Path]) -> str:
    """SHA-256 (hex) over the names, within this package, and the bytes of ``paths``."""
    digest = hashlib.sha256()
    for path in paths:
        data = path.read_bytes()
        digest.update(f"{path.relative_to(PACKAGE).as_posix()}\0{len(data)}\0".encode() + data)
    return digest.hexdigest()


def code_sha256(paths: Iterable[Path]) -> str:
    """SHA-256 (hex) over the names of ``paths`` and what is executable of each: comments and docstrings change no verdict, and a
    record that took minutes of a GPU outlives them."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(f"{path.relative_to(PACKAGE).as_posix()}\0{_code_at(path, path.stat().st_mtime_ns)}\0".encode())
    return digest.hexdigest()


@functools.lru_cache(maxsize=1024)
def _code_at(path: Path, _written: int) -> str:
    return sources.code_sha256(path.read_text(encoding="utf-8"))


def _reached(path: Path) -> set[Path]:
    """All files that ``path`` imports, directly or not; ``path`` itself only where it is imported in turn."""
    found: set[Path] = set()
    todo = [path]
    while todo:
        for imported in _imports(todo.pop()):
            if imported not in found:
                found.add(imported)
                todo.append(imported)
    return found


def _imports(path: Path) -> tuple[Path, ...]:
    return _imports_at(path, path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=1024)
def _imports_at(path: Path, _written: int) -> tuple[Path, ...]:
    tree = ast.parse(path.read_bytes(), str(path))
    named = {found for name in _names(tree) if (found := _file(name)) is not None}
    return tuple(sorted({*named, *(package for one in named for package in _packages(one))}))


def _names(tree: ast.Module) -> Iterator[str]:
    """Dotted names that may be modules of this package; ``from a import b`` may name the module ``a.b``."""
    blocks: list[ast.AST] = [tree]
    while blocks:
        block = blocks.pop()
        for part in _BLOCKS:
            for node in getattr(block, part, ()):
                if isinstance(node, ast.Import):
                    yield from (alias.name for alias in node.names)
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    yield node.module
                    yield from (f"{node.module}.{alias.name}" for alias in node.names)
                else:
                    blocks.append(node)


def _file(name: str) -> Path | None:
    first, *rest = name.split(".")
    if first != PACKAGE.name:
        return None
    place = PACKAGE.joinpath(*rest)
    if (place / "__init__.py").is_file():
        return place / "__init__.py"
    return place.with_suffix(".py") if rest and place.with_suffix(".py").is_file() else None


def _packages(path: Path) -> Iterator[Path]:
    """The ``__init__.py`` of every package ``path`` lies in: they run before it does."""
    folder = path.parent
    while folder == PACKAGE or PACKAGE in folder.parents:
        if (folder / "__init__.py").is_file():
            yield folder / "__init__.py"
        folder = folder.parent
