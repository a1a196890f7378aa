"""Read one top-level statement of an answer against the house rules. Standard library only."""

# ruff: noqa: SIM905 (word lists read better as words)

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from learning.judge import torch_calls
from learning.judge.meanings import dotted
from learning.judge.modules import (
    INSIDE_TORCH,
    NEVER_HELD,
    STARRED,
    SYSTEM,
    is_inside_triton,
    is_module,
    strange,
)
from learning.judge.names import (
    FILES,
    FRAMES,
    MAKES_CODE,
    MAKES_SUBCLASSES,
    OF_A_STORAGE,
    RUN_TIME,
    SAYS_NOTHING,
    TENSOR_HOOKS,
    is_dunder,
)
from learning.judge.reach import Piece, root_name
from learning.judge.scopes import (
    Scope,
    annotations,
    bound,
    declared_global,
    defaults,
    is_local,
    makes_a_class,
    plain_names,
)

ALWAYS = ("learning.contract", "__future__", "triton.tools.tensor_descriptor", "triton.testing")
"""Modules an answer may import in every GPU lesson besides the card's own list; ``learning.contract`` in all."""

COURSES_OWN = ("learning.contract", "learning.lens.device.current", "learning.lessons.")
"""What of the course an answer may name, besides the constants of its lesson."""

LITERAL = frozenset("getattr setattr hasattr delattr".split())
LOCKED = ("_reference", "_oracle")

HANDED_ON = "a module handed on as a value could be asked for anything"

Report = Callable[..., None]


def is_jitted(node: ast.AST) -> bool:
    """A function with ``triton.jit`` (called or not) among its decorators."""
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return False
    for decorator in node.decorator_list:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        if (target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")) == "jit":
            return True
    return False


class Reader(ast.NodeVisitor):
    """Reads ``piece`` and calls ``report(rule, text, where, advice)`` for what breaks a rule.

    ``refused`` names torch calls the lesson refuses (``None``: a lesson without torch); torch calls are judged only in
    ``work``, the pieces that the entry reaches.
    """

    def __init__(
        self, piece: Piece, known: dict[str, str], imports: tuple[str, ...], refused, work: bool, report: Report
    ):
        self.piece, self.known, self.imports, self.refused, self.work = piece, known, imports, refused, work
        self._report = report
        self.scopes: list[Scope] = []
        self.tensors: list[set[str]] = []
        self.in_kernel = False
        self.plain: set[ast.Name] = set()

    def read(self) -> None:
        """Read the whole statement."""
        self.visit(self.piece.node)

    def read_definition(self) -> None:
        """Read what of a function runs where it is defined: decorators, defaults, annotations."""
        self._definition(self.piece.node)

    def report(self, rule: str, node: ast.AST, advice: str = "") -> None:
        """Report the line on which ``node`` stands."""
        where = f"line {node.lineno} of cell {self.piece.cell}"
        self._report(rule, self.piece.text(node.lineno), where, advice)

    # ---- imports

    def visit_Import(self, node: ast.Import) -> None:
        for name in node.names:
            self._imported(name.name, node)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        module = node.module or ""
        if node.level:
            self.report("imports", node)
            return
        if module.startswith("learning.lessons.") and all(name.name.isupper() for name in node.names):
            return  # a lesson's constants
        if f"{module}.{node.names[0].name}" not in self.imports:
            self._imported(module, node)
        for name in node.names:
            if name.name == "*" and module not in STARRED:
                self.report("imports", node, "name what you import")
            self._path(f"{module}.{name.name}", node)

    def _imported(self, module: str, node: ast.AST) -> None:
        always = ALWAYS if self.refused is not None else ("learning.contract", "__future__")
        allowed = module in self.imports or module in always
        allowed |= module.startswith("triton.language.") and "triton.language" in self.imports
        allowed |= module == "torch.cuda" and "torch" in self.imports
        if not allowed:
            self.report("system" if module.partition(".")[0] in SYSTEM else "imports", node)

    # ---- functions and classes

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.name in TENSOR_HOOKS:
            self.report("tensors" if node.name.startswith("__torch") else "private", node)
        self._definition(node)
        before, self.in_kernel = self.in_kernel, self.in_kernel or is_jitted(node)
        self._scope(node, node.body)
        self.in_kernel = before

    visit_AsyncFunctionDef = visit_FunctionDef

    def _definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for outer in [*node.decorator_list, *getattr(node, "type_params", ()), *defaults(node.args)]:
            self.visit(outer)
        for annotation in [*annotations(node.args), *([node.returns] if node.returns else [])]:
            self._annotation(annotation)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._annotation(node.annotation)
        for part in [node.target, *([node.value] if node.value else [])]:
            self.visit(part)

    def _annotation(self, node: ast.expr) -> None:
        """Computed like any other expression, but ``type`` may stand in it by its name."""
        self.plain |= plain_names(node)
        self.visit(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for outer in defaults(node.args):
            self.visit(outer)
        self._scope(node, [node.body])

    def _scope(self, node, body: list) -> None:
        arguments = node.args
        names = {a.arg for a in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]}
        names |= {a.arg for a in (arguments.vararg, arguments.kwarg) if a is not None}
        names |= bound(body)
        for statement in body:
            names -= {t.id for n in ast.walk(statement) if isinstance(n, ast.Assign) and dotted(n.value, self.known)
                      for t in n.targets if isinstance(t, ast.Name)}  # fmt: skip
        self.scopes.append(Scope(names, declared_global(body)))
        self.tensors.append(
            set() if self.in_kernel else self._tensors(body) | (self.tensors[-1] if self.tensors else set())
        )
        for statement in body:
            self.visit(statement)
        self.scopes.pop()
        self.tensors.pop()

    def _comprehension(self, node: Any) -> None:
        """Its first iterable is read outside; its names are its own."""
        self.visit(node.generators[0].iter)
        targets = (n for generator in node.generators for n in ast.walk(generator.target))
        self.scopes.append(Scope({n.id for n in targets if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}))
        for number, generator in enumerate(node.generators):
            for part in [generator.target, *generator.ifs, *([generator.iter] if number else [])]:
                self.visit(part)
        for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
            self.visit(part)
        self.scopes.pop()

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for base in node.bases:
            path = dotted(base, self.known)
            if path.startswith("torch.") and ("Tensor" in path or "Parameter" in path or "overrides" in path):
                self.report("tensors", node)
        if any(keyword.arg == "metaclass" for keyword in node.keywords):
            self.report("dynamic", node)
        for outer in [*node.decorator_list, *getattr(node, "type_params", ()), *node.bases, *node.keywords]:
            self.visit(outer)
        self.scopes.append(Scope(bound(node.body) | declared_global(node.body), of_a_class=True))
        for statement in node.body:
            self.visit(statement)
        self.scopes.pop()

    def _local(self, name: str) -> bool:
        return is_local(self.scopes, name)

    def _tensors(self, body: list) -> set[str]:
        """Names that reading shows to be tensors: asked for a shape or stride, or made by an allocation."""
        found = set()
        for statement in body:
            for node in ast.walk(statement):
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    if node.attr in torch_calls.TENSOR_MARKS and node.value.id not in self.known:
                        found.add(node.value.id)
                elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                    path = self._dotted(node.value.func)
                    if path.startswith("torch.") and path.removeprefix("torch.") in torch_calls.ALLOCATE:
                        found |= {t.id for t in node.targets if isinstance(t, ast.Name)}
        return found

    # ---- names and attributes

    def visit_Name(self, node: ast.Name) -> None:
        name = node.id
        if isinstance(node.ctx, ast.Load) and self._local(name):
            return
        if not isinstance(node.ctx, ast.Load):
            if name.startswith("__") and name.endswith("__") and name not in SAYS_NOTHING:
                self.report("private", node)
        else:
            if name in RUN_TIME:
                self.report("dynamic", node)
            elif name in FILES:
                self.report("system", node)
            elif is_dunder(name):
                self.report("private", node)
            elif self.work and name.endswith(LOCKED):
                self.report("reference", node)
            elif name in LITERAL:
                self.report("names", node, "handed on, it could be given any name")
            elif name == "type" and node not in self.plain:
                self.report("dynamic", node, "handed on, it could be given three arguments")
            else:
                path = self.known.get(name, "")
                if path != "torch" and is_module(path):
                    self.report("modules", node, HANDED_ON)
                elif "." in path:
                    self._path(path, node)
                elif path == "torch" and self.work and self.refused is not None:
                    self.report("torch", node, HANDED_ON)

    def visit_Assign(self, node: ast.Assign) -> None:
        """``lib = tl.math`` only gives a module another name, by which it is known from there on."""
        path = self._dotted(node.value)
        plain = len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
        if plain and path != "torch" and is_module(path) and self.known.get(node.targets[0].id) == path:
            self._path(path, node.value)
            self.visit(node.targets[0])
        else:
            self.generic_visit(node)

    def visit_MatchClass(self, node: ast.MatchClass) -> None:
        """``case object(__globals__=g)`` reads an attribute with no dot before its name."""
        for name in node.kwd_attrs:
            read = ast.Attribute(ast.Name("_", ast.Load()), name, ast.Load())
            self.visit_Attribute(ast.fix_missing_locations(ast.copy_location(read, node)))
        self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        path = self._dotted(node)
        if isinstance(node.ctx, (ast.Store, ast.Del)) and path:
            self.report("modules", node)
        if is_dunder(node.attr) or node.attr in FRAMES:
            self.report("private", node)
        elif self._makes(node.attr, node):
            pass
        elif self.work and node.attr.endswith(LOCKED):
            self.report("reference", node)
        elif is_module(path) and isinstance(node.ctx, ast.Load):
            self.report("modules", node, HANDED_ON)
        elif path:
            self._path(path, node)
        elif node.attr in NEVER_HELD:
            self.report("system" if node.attr in SYSTEM else "imports", node)
        if not path:
            self._method(node, called=False)
            if _is_storage(node.value) and node.attr in OF_A_STORAGE:
                self.visit(node.value.func.value)
            else:
                self.visit(node.value)

    def _makes(self, name: str, node: ast.AST) -> bool:
        """Report an attribute that makes code or tensor subclasses, or holds what the interpreter computes with."""
        if name in MAKES_CODE:
            self.report("dynamic", node)
        elif name in MAKES_SUBCLASSES:
            self.report("tensors", node)
        elif name == "handle" and self.work and self.refused is not None:
            self.report("kernel", node, "what a handle holds is the interpreter's own: on a GPU it has no values")
        else:
            return False
        return True

    def _dotted(self, node: ast.AST) -> str:
        """``dotted``, but a local of the same name is no module."""
        if self._local(root_name(node)):
            return ""
        return dotted(node, self.known)

    def _path(self, path: str, node: ast.AST) -> None:
        """Judge a dotted use of a module."""
        parts = path.split(".")
        ours = parts[0] in ("torch", "triton", "math", "learning")
        if ours and strange(parts):
            self.report("system" if any(part in SYSTEM for part in parts[1:]) else "imports", node)
            return
        if parts[0] == "learning" and not path.startswith(COURSES_OWN):
            self.report("imports", node)
            return
        if parts[0] == "torch" and len(parts) > 1 and (parts[1] in INSIDE_TORCH or parts[1].startswith("_")):
            self.report("torch", node, "it can replace what torch's own functions do")
            return
        if parts[0] == "triton" and is_inside_triton(parts):
            self.report("modules", node, "it can replace what Triton's own functions do")
            return
        if any(is_dunder(part) for part in parts[1:-1]):
            self.report("private", node)
            return
        if parts[0] != "torch" or len(parts) == 1 or self.refused is None or not self.work:
            return
        name = ".".join(parts[1:])
        if torch_calls.refused(name, self.refused):
            self.report("lesson" if name in self.refused else "torch", node)

    def _method(self, node: ast.Attribute, *, called: bool) -> None:
        """``x.softmax`` where ``x`` is no module: a computing method, or one the lesson refuses.

        ``float``, ``half``, ``type`` and ``to`` are attributes of other things too, and count where they are called.
        """
        if not self.work or self.refused is None:
            return
        if node.attr == "untyped_storage":
            self.report("torch", node, "of a storage an answer may ask the address and the size")
        if self.in_kernel:
            return
        certain = isinstance(node.value, ast.Name) and any(node.value.id in names for names in self.tensors)
        if node.attr in self.refused and (called or node.attr not in torch_calls.CAST):
            if certain or node.attr not in torch_calls.SHARED:
                self.report("lesson", node)
        elif node.attr in torch_calls.COMPUTES or (certain and node.attr in torch_calls.SHARED):
            self.report("torch", node)

    # ---- calls and operators

    def visit_Call(self, node: ast.Call) -> None:
        called = node.func.id if isinstance(node.func, ast.Name) else ""
        if called in LITERAL:
            literal = len(node.args) > 1 and isinstance(node.args[1], ast.Constant)
            if not literal:
                self.report("names", node)
            else:
                self._literal(called, node)
                for part in node.args[1:] if self._dotted(node.args[0]) else node.args:
                    self.visit(part)
                return
        elif called == "type" and not self._local("type"):
            if makes_a_class(node):
                self.report("dynamic", node)
            for part in [*node.args, *node.keywords]:
                self.visit(part)
            return
        elif called in ("isinstance", "issubclass") and not self._local(called):
            for part in node.args:
                if not (isinstance(part, ast.Name) and part.id == "type"):
                    self.visit(part)
            return
        elif isinstance(node.func, ast.Attribute) and not self._dotted(node.func):
            self._method(node.func, called=True)
        self.generic_visit(node)

    def _literal(self, called: str, node: ast.Call) -> None:
        """``getattr(torch, "softmax")`` is read as ``torch.softmax``."""
        name, path = str(node.args[1].value), self._dotted(node.args[0])
        if called in ("setattr", "delattr") and path:
            self.report("modules", node)
        elif is_dunder(name) or name in FRAMES:
            self.report("private", node)
        elif self._makes(name, node):
            pass
        elif path:
            self._path(f"{path}.{name}", node)
        elif name in NEVER_HELD:
            self.report("system" if name in SYSTEM else "imports", node)
        else:
            self._method(ast.copy_location(ast.Attribute(node.args[0], name, ast.Load()), node), called=True)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self._operator(node, node.left, node.right)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        self._operator(node, *([] if isinstance(node.op, ast.Not) else [node.operand]))

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._operator(node, node.target, node.value)

    def _operator(self, node: ast.AST, *operands: ast.expr) -> None:
        if self.work and self.refused is not None and not self.in_kernel:
            for operand in operands:
                inner = operand.value if isinstance(operand, ast.Subscript) else operand
                if isinstance(inner, ast.Name) and any(inner.id in names for names in self.tensors):
                    self.report("torch", node, "an operator on a tensor is a call of torch too")
                    break
        self.generic_visit(node)


def _is_storage(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "untyped_storage"
