"""The scopes of Python's names, as far as reading needs them: what a body binds, and what a name then means.

Standard library only.
"""

from __future__ import annotations

import ast
import builtins
from dataclasses import dataclass, field


@dataclass
class Scope:
    """The names a function, comprehension or class binds, and those it declares global (``outside``)."""

    names: set[str]
    outside: set[str] = field(default_factory=set)
    of_a_class: bool = False


def is_local(scopes: list[Scope], name: str) -> bool:
    """Whether ``name`` means a local inside ``scopes``, the outermost first.

    A class's own names are seen in its body alone, where one that it has not bound yet is looked for among the globals, past
    the locals of any function around it.
    """
    for depth, scope in enumerate(reversed(scopes)):
        if scope.of_a_class:
            if depth == 0 and name in scope.names:
                return False
        elif name in scope.names or name in scope.outside:
            return name in scope.names
    return False


def bound(body: list) -> set[str]:
    """Names that statements of a function bind in that function: not in functions, classes or comprehensions inside
    it, and not those it declares global."""
    found, elsewhere, queue = set(), set(), list(body)
    while queue:
        node = queue.pop()
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            elsewhere |= set(node.names)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            found |= _walrus(node)
        elif not isinstance(node, ast.Lambda):
            queue.extend(ast.iter_child_nodes(node))
    return found - elsewhere


def declared_global(body: list) -> set[str]:
    """Names that the statements of a function, or of a class, declare global in it."""
    found, queue = set(), list(body)
    while queue:
        node = queue.pop()
        if isinstance(node, ast.Global):
            found |= set(node.names)
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            queue.extend(ast.iter_child_nodes(node))
    return found


def _walrus(node: ast.AST) -> set[str]:
    """Names that a comprehension binds in the function around it: not those a lambda inside it binds for itself."""
    if isinstance(node, ast.Lambda):
        return set()
    found = {node.target.id} if isinstance(node, ast.NamedExpr) else set()
    return found.union(*map(_walrus, ast.iter_child_nodes(node)))


def annotations(arguments: ast.arguments) -> list[ast.expr]:
    """The annotations of a signature."""
    names = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return [name.annotation for name in names if name is not None and name.annotation is not None]


def defaults(arguments: ast.arguments) -> list[ast.expr]:
    """The defaults of a signature."""
    return [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]


def plain_names(node: ast.expr) -> set[ast.Name]:
    """The names in an annotation that are handed to nobody: alone, in ``a | b`` and in brackets of Python's own types."""
    if isinstance(node, ast.Name):
        return {node}
    if isinstance(node, (ast.Tuple, ast.List)):
        return set().union(*map(plain_names, node.elts))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr) and _plain(node.left) and _plain(node.right):
        return plain_names(node.left) | plain_names(node.right)
    if isinstance(node, ast.Subscript) and _plain(node):
        return plain_names(node.value) | plain_names(node.slice)
    return set()


def _plain(node: ast.expr) -> bool:
    """None, one of Python's own types by its name, with brackets or in ``a | b``."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.BitOr) and _plain(node.left) and _plain(node.right)
    base = node.value if isinstance(node, ast.Subscript) else node
    return (isinstance(base, ast.Name) and base.id in _CLASSES) or (
        isinstance(node, ast.Constant) and node.value is None
    )


def makes_a_class(node: ast.Call) -> bool:
    """Whether a call of ``type`` makes a class, or is handed something whose type makes classes as it stands there."""
    if len(node.args) != 1 or node.keywords or isinstance(node.args[0], ast.Starred):
        return True
    inner = node.args[0]
    kinds = isinstance(inner, ast.Call) and isinstance(inner.func, ast.Name) and inner.func.id == "type"
    return kinds or (isinstance(inner, ast.Name) and inner.id in _CLASSES)


_CLASSES = frozenset(name for name, value in vars(builtins).items() if isinstance(value, type))
