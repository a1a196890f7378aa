"""What of a learner's cells the entry point reaches: top-level statements, followed by name from the entry on.

Free variables come from Python's own symbol tables, so that a local called ``x`` never drags in a global of that name.
Standard library only.
"""

from __future__ import annotations

import ast
import functools
import symtable
from dataclasses import dataclass, field

from learning.judge.cells import neutralise

_FILLS = frozenset(("update", "append", "setdefault", "extend", "insert", "add"))


@dataclass
class Piece:
    """One top-level statement: what it binds, what it needs, whose attributes or items it stores into."""

    node: ast.stmt
    cell: str
    lines: list[str] = field(repr=False)
    binds: frozenset[str]
    needs: frozenset[str]
    stores: frozenset[str]
    certain: bool

    @functools.cached_property
    def naming(self) -> tuple[ast.Import | ast.ImportFrom | ast.Assign, ...]:
        """The imports and the assignments in it, breadth first: what can give a module a name."""
        return tuple(n for n in ast.walk(self.node) if isinstance(n, (ast.Import, ast.ImportFrom, ast.Assign)))

    @property
    def span(self) -> range:
        """Its lines, those of its decorators included."""
        decorators = getattr(self.node, "decorator_list", [])
        return range(min([self.node.lineno, *(d.lineno for d in decorators)]), self.node.end_lineno + 1)

    def text(self, line: int) -> str:
        """The source line, stripped."""
        return self.lines[line - 1].strip() if 0 < line <= len(self.lines) else ""


def pieces(cells: list[tuple[str, str]]) -> list[Piece]:
    """The top-level statements of all cells that parse and can be read, in order."""
    return [piece for name, source in cells for piece in _pieces_of(name, source)]


@functools.lru_cache(maxsize=64)  # the rules and the worker's load read the same cells several times a submission
def _pieces_of(name: str, source: str) -> tuple[Piece, ...]:
    source = neutralise(source)[0]
    lines = source.split("\n")
    try:
        return tuple(_piece(node, name, lines) for node in ast.parse(source).body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # what is nested without end cannot be read either
        return ()


def unreadable(cells: list[tuple[str, str]]) -> list[str]:
    """Names of the cells that parse, and so may run, and are nested too deeply to be read."""
    return [name for name, source in cells if not _pieces_of(name, source) and _parses(neutralise(source)[0])]


def _parses(source: str) -> bool:
    try:
        return bool(ast.parse(source).body)
    except (SyntaxError, ValueError):
        return False
    except (RecursionError, MemoryError):
        return True


def reachable(
    all_pieces: list[Piece], entry: str, modules: frozenset[str], held: frozenset[str] = frozenset()
) -> tuple[list[Piece], Piece | None]:
    """The pieces that ``entry`` needs, in order, and the one that defines it (``None``: nothing does).

    ``held`` are places ("line cell") of functions that the entry was seen to hold, by whatever name.

    Stores into the attributes of ``modules`` (``torch.backends.… = …``) are not followed: they are nobody's helper.
    """
    wanted, seen, chosen = [entry], {entry}, set()
    defining = _definitions(all_pieces, entry)
    for piece in all_pieces if held else ():
        if id(piece) not in chosen and any(f"{line} {piece.cell}" in held for line in piece.span):
            chosen.add(id(piece))
            wanted += piece.needs - seen
            seen |= piece.needs
    while wanted:
        name = wanted.pop()
        stored = [] if name in modules else [piece for piece in all_pieces if name in piece.stores]
        for piece in [*_definitions(all_pieces, name), *stored]:
            if id(piece) in chosen:
                continue
            chosen.add(id(piece))
            for need in piece.needs:
                if need not in seen:
                    seen.add(need)
                    wanted.append(need)
    return [piece for piece in all_pieces if id(piece) in chosen], (defining[0] if defining else None)


def run_at_load(
    cells: list[tuple[str, str]], own: list[bool], entries: tuple[str, ...], modules: frozenset[str] = frozenset()
) -> list[list[list[int]] | None]:
    """Which top-level statements of each cell the worker runs, as ``[line, column]`` pairs; ``None``: all of them.

    Cells marked in ``own`` (answers) run whole. Of the others runs what binds or fills a name that the ``entries`` or
    an answer's statements need, earlier definitions of it included; of a cell that cannot be read nothing does.
    """
    groups = [pieces([cell]) for cell in cells]
    everything = [piece for group in groups for piece in group]
    roots = [piece for group, mine in zip(groups, own, strict=True) if mine for piece in group]
    chosen = _needed(everything, {*entries, *(name for piece in roots for name in piece.needs)}, modules)
    return [
        None if mine else [[p.node.lineno, p.node.col_offset] for p in group if id(p) in chosen]
        for group, mine in zip(groups, own, strict=True)
    ]


def loaded(
    all_pieces: list[Piece], own: frozenset[str], entry: str, modules: frozenset[str]
) -> tuple[list[Piece], list[Piece]]:
    """What runs while the cells are loaded: the pieces of the cells named in ``own`` and what these need of others; and of
    those the ones whose bodies run then too: statements that are no definition, and whatever they call."""
    run = {id(piece) for piece in all_pieces if piece.cell in own}
    roots = [piece for piece in all_pieces if id(piece) in run]
    run |= _needed(all_pieces, {entry}.union(*(piece.needs for piece in roots)), modules)
    there = [piece for piece in all_pieces if id(piece) in run]
    waits = (*DEFINITIONS, ast.Import, ast.ImportFrom)
    busy = [piece for piece in there if not isinstance(piece.node, waits) or _handed_on(piece.node, modules)]
    names = set().union(*(piece.needs for piece in busy), *(_at_definition(piece.node) for piece in there))
    bodies = {id(piece) for piece in busy} | _needed(there, names, modules)
    return there, [piece for piece in there if id(piece) in bodies]


def _needed(all_pieces: list[Piece], names: set[str], modules: frozenset[str]) -> set[int]:
    """Identities of the pieces that bind or fill one of ``names``, or a name that such a piece needs."""
    seen, wanted, chosen = set(names), list(names), set()
    while wanted:
        name = wanted.pop()
        for piece in all_pieces:
            if id(piece) not in chosen and (name in piece.binds or (name in piece.stores and name not in modules)):
                chosen.add(id(piece))
                wanted += piece.needs - seen
                seen |= piece.needs
    return chosen


def _handed_on(node: ast.stmt, modules: frozenset[str]) -> bool:
    """Whether a decorator that no module gave is handed this function: it may call it, or keep it for the entry."""
    decorators = node.decorator_list if isinstance(node, DEFINITIONS) else []
    return any(root_name(d.func if isinstance(d, ast.Call) else d) not in modules for d in decorators)


def _at_definition(node: ast.stmt) -> set[str]:
    """Names that a function's decorators, defaults and annotations use, which run where it is defined."""
    if not isinstance(node, DEFINITIONS):
        return set()
    parts = [*node.decorator_list, node.args, *([node.returns] if node.returns else [])]
    return {n.id for part in parts for n in ast.walk(part) if isinstance(n, ast.Name)}


def superseded(all_pieces: list[Piece], reached: list[Piece]) -> list[tuple[Piece, bool]]:
    """Pieces outside ``reached`` that bind a name it needs and run all the same, before the last definition does.

    With each, whether its body counts too: it may have been called while the cells were loaded.
    """
    ids = {id(piece) for piece in reached}
    needed = {name for piece in reached for name in (*piece.needs, *piece.binds)}
    called = {name for piece in reached if not isinstance(piece.node, DEFINITIONS) for name in piece.needs}
    return [
        (piece, not isinstance(piece.node, DEFINITIONS) or bool(piece.binds & called))
        for piece in all_pieces
        if id(piece) not in ids and piece.binds & needed
    ]


DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _definitions(all_pieces: list[Piece], name: str) -> list[Piece]:
    """The last statement that binds ``name``, and before it those that may be what remains (in an ``if``, a ``try``)."""
    found = []
    for piece in reversed(all_pieces):
        if name in piece.binds:
            found.append(piece)
            if piece.certain and not isinstance(piece.node, ast.AugAssign):
                break
    return found


def _piece(node: ast.stmt, cell: str, lines: list[str]) -> Piece:
    certain = not isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While, ast.Match))
    binds, needs = set(), set()
    _symbols(symtable.symtable(ast.unparse(node), cell, "exec"), binds, needs, top=True)
    return Piece(node, cell, lines, frozenset(binds), frozenset(needs), frozenset(_stores(node)), certain)


def _symbols(table: symtable.SymbolTable, binds: set[str], needs: set[str], *, top: bool) -> None:
    for symbol in table.get_symbols():
        name = symbol.get_name()
        if table.get_type() == "class" and symbol.is_referenced():
            needs.add(name)  # also one that the class binds: before it does, the global of that name is meant
        if top:
            if symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace():
                binds.add(name)
            if symbol.is_referenced():
                needs.add(name)
        elif symbol.is_global():
            needs.add(name)
            if symbol.is_declared_global() and symbol.is_assigned():
                binds.add(name)
    for child in table.get_children():
        _symbols(child, binds, needs, top=False)


def _stores(node: ast.stmt) -> set[str]:
    """Names at the root of targets with a dot or brackets (``f.x = …``, ``table[k] = …``) outside functions, and of
    methods that fill a container, in a statement of their own (``table.update(…)``)."""
    found: set[str] = set()
    queue: list[ast.AST] = [node]
    while queue:
        item = queue.pop()
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(item, (ast.Attribute, ast.Subscript)) and isinstance(item.ctx, (ast.Store, ast.Del)):
            found.add(root_name(item))
        call = item.value if isinstance(item, ast.Expr) and isinstance(item.value, ast.Call) else None
        if call is not None and isinstance(call.func, ast.Attribute) and call.func.attr in _FILLS:
            found.add(root_name(call.func))
        queue.extend(ast.iter_child_nodes(item))
    return found - {""}


def root_name(node: ast.AST) -> str:
    """``a`` of ``a.b[c].d``; empty where the root is no name."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
