"""The interpreted twin of a jitted function: its source, rewritten for the interpreter, with private globals.

Triton's own rewriter executes a kernel in the globals of the learner's notebook and adds some forty names to them, which
hides a missing import, and it cannot see closures. A twin gets a dictionary of its own that holds the names its source
uses and nothing else, read anew at every launch.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
import types
import weakref
from dataclasses import dataclass
from typing import Any

import triton.language as tl
from triton.runtime import interpreter as triton_interpreter


@dataclass(frozen=True)
class Template:
    """What is the same for every launch: compiled code, the names the source uses, those that rewriting added."""

    code: types.CodeType
    names: frozenset[str]
    added: frozenset[str]


# Keyed by the plain Python function: redefining a kernel in a notebook makes a new one.
_templates: weakref.WeakKeyDictionary[types.FunctionType, Template] = weakref.WeakKeyDictionary()


def plain(function: Any) -> types.FunctionType:
    """The Python function under ``@triton.jit`` (and under ``autotune`` or ``heuristics``, which wrap it)."""
    while not inspect.isfunction(function):
        function = function.fn
    return function


def source(function: types.FunctionType) -> tuple[list[str], int]:
    """Source lines, decorators included, and the number of the first; ``ValueError`` where there is no file."""
    try:
        return inspect.getsourcelines(function)
    except (OSError, TypeError) as reason:
        raise ValueError(
            f"the source of {function.__name__} cannot be read; a kernel must stand in a file or in a cell that does "
            "not begin with %% magic"
        ) from reason


def template(function: types.FunctionType) -> Template:
    """Rewrite and compile the source of ``function`` once."""
    found = _templates.get(function)
    if found is None:
        lines, first = source(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
        definition = next(node for node in tree.body if isinstance(node, ast.FunctionDef))
        definition.decorator_list = []
        definition.returns = None
        for argument in ast.walk(definition.args):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        # Defaults were evaluated where the function was defined; build() copies their values.
        definition.args.defaults = [ast.Constant(None) for _ in definition.args.defaults]
        definition.args.kw_defaults = [d and ast.Constant(None) for d in definition.args.kw_defaults]
        before = _names(definition)
        rewritten = triton_interpreter.ASTTransformer().visit(tree)
        ast.fix_missing_locations(rewritten)
        ast.increment_lineno(rewritten, first - 1)
        code = compile(rewritten, function.__code__.co_filename, "exec")
        found = _templates[function] = Template(code, frozenset(before), frozenset(_names(rewritten) - before))
    return found


def build(function: types.FunctionType) -> types.FunctionType:
    """A fresh twin of ``function`` whose globals are read now from its module and closure."""
    made = template(function)
    scope: dict[str, Any] = {"__name__": function.__module__, "__builtins__": builtins}
    closure = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=False))
    for name in made.names:
        if name in closure:
            scope[name] = _visible(closure[name].cell_contents)
        elif name in function.__globals__:
            scope[name] = _visible(function.__globals__[name])
        elif name in ("min", "max"):
            scope[name] = _extreme(name)
    for name in made.added & vars(triton_interpreter).keys():  # the others are parameters of lambdas it made
        scope[name] = getattr(triton_interpreter, name)
    exec(made.code, scope)
    twin = scope[function.__name__]
    if function.__name__ in function.__globals__ and function.__name__ in made.names:
        scope[function.__name__] = function.__globals__[function.__name__]
    twin.__defaults__, twin.__kwdefaults__ = function.__defaults__, function.__kwdefaults__
    return twin


def _names(tree: ast.AST) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def _visible(value: Any) -> Any:
    """A language function imported by name needs the interpreter's semantics, as those reached through ``tl`` get."""
    if not tl.core.is_builtin(value):
        return value

    def builtin(*args: Any, **kwargs: Any) -> Any:
        kwargs.pop("_semantic", None)
        return value(*args, **kwargs, _semantic=triton_interpreter.interpreter_semantic)

    return builtin


def _extreme(name: str) -> Any:
    """The compiler reads ``min`` and ``max`` over tensors as ``tl.minimum`` and ``tl.maximum``."""
    plain_function, elementwise = getattr(builtins, name), {"min": "minimum", "max": "maximum"}[name]

    def extreme(*values: Any, **options: Any) -> Any:
        if not any(isinstance(value, tl.tensor) for value in values):
            return plain_function(*values, **options)
        best, *rest = values
        for value in rest:
            best = getattr(tl, elementwise)(best, value)
        return best

    return extreme
