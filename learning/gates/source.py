"""What the source of a kernel says of gate 05: no stride written as a number, no store through a fixed narrow type, no
accumulator in the tensors' own type.

Read from the syntax tree, and cautious: what it names is a fault, what it cannot follow is left to the checks, where other
shapes and layouts show a wrong stride by its values. A number that is the width of a ``tl.arange`` of the same function is a
tile's extent and no stride; one up to ``RECORD`` may be the number of parts in what a call lays out for itself, such as pairs of
a maximum and a sum. Standard library only.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from learning.judge.reading import is_jitted

NARROW = ("float16", "bfloat16", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
RECORD = 4
_POINTED = ("load", "store", "atomic_add", "atomic_max", "atomic_min", "atomic_xchg", "atomic_cas", "atomic_and",
            "atomic_or", "atomic_xor")  # fmt: skip
_LAID_OUT = {"make_block_ptr": 2, "make_tensor_descriptor": 2, "TensorDescriptor": 2}
"""Calls that are told strides, and the position of that argument."""
_WIDE = ("arange", "zeros", "full", "range", "static_range", "cdiv")


@dataclass
class Kernel:
    """A jitted function: its parameters, and what each name in it was assigned."""

    node: ast.FunctionDef
    numbers: dict[str, int]
    assigned: dict[str, list[ast.expr]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        arguments = self.node.args
        self.parameters = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
        for statement in ast.walk(self.node):
            for name, value in _assignments(statement):
                self.assigned.setdefault(name, []).append(value)
        self.extents = set()
        self.widths = set()
        for call in ast.walk(self.node):
            if isinstance(call, ast.Call) and _called(call) in _WIDE:
                for argument in call.args:
                    self.widths |= {n.id for n in ast.walk(argument) if isinstance(n, ast.Name)}
                    self.extents |= {number for n in ast.walk(argument) if (number := self.number(n)) is not None}

    def number(self, node: ast.AST) -> int | None:
        """The whole number that ``node`` is written as, by way of names that are given nothing else; None for none."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.number(node.operand)
            return None if inner is None else -inner
        if isinstance(node, ast.Constant):
            return node.value if type(node.value) is int else None
        if isinstance(node, ast.Name) and node.id not in self.parameters:
            given = self.assigned.get(node.id)
            if given is None:
                return self.numbers.get(node.id)
            found = {_constant(value) for value in given}
            return found.pop() if len(found) == 1 else None
        return None

    def products(self) -> Iterator[tuple[list[ast.expr], ast.Call]]:
        """(factors, the load or store) of every product that an address of this function adds up, names followed to what
        they were assigned. What is multiplied by a tile's extent counts tiles, so the products in it are no strides."""
        for call in ast.walk(self.node):
            if isinstance(call, ast.Call) and _called(call) in _POINTED and _of_language(call) and call.args:
                for factors in self._terms(call.args[0], set()):
                    yield factors, call

    def _terms(self, node: ast.expr, seen: set[str]) -> Iterator[list[ast.expr]]:
        if isinstance(node, ast.Subscript):  # rows[:, None]
            yield from self._terms(node.value, seen)
        elif isinstance(node, ast.Name):
            if node.id not in seen:
                seen.add(node.id)
                for value in self.assigned.get(node.id, []):
                    yield from self._terms(value, seen)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            factors = _factors(node)
            yield factors
            if not any(self.is_extent(factor) for factor in factors):
                for factor in factors:
                    yield from self._terms(factor, seen)
        elif isinstance(node, (ast.BinOp, ast.IfExp, ast.UnaryOp, ast.Tuple)):
            divided = isinstance(node, ast.BinOp) and isinstance(node.op, (ast.FloorDiv, ast.Mod, ast.Div))
            for child in () if divided else ast.iter_child_nodes(node):
                if isinstance(child, ast.expr):
                    yield from self._terms(child, seen)

    def is_extent(self, node: ast.expr) -> bool:
        """Whether ``node`` is how wide a tile of this function is."""
        return (isinstance(node, ast.Name) and node.id in self.widths) or self.number(node) in self.extents

    def is_index(self, node: ast.expr) -> bool:
        """Whether ``node`` counts lanes, programs or steps: it comes from ``tl.arange``, ``tl.program_id`` or a loop."""
        seen, waiting = set(), [node]
        while waiting:
            for part in ast.walk(waiting.pop()):
                if isinstance(part, ast.Call) and _called(part) in ("arange", "program_id", "range", "static_range"):
                    return True
                if isinstance(part, ast.Name) and part.id not in seen:
                    seen.add(part.id)
                    waiting += self.assigned.get(part.id, [])
        return False

    def strides(self) -> Iterator[tuple[int, ast.expr]]:
        """(number, the expression it stands in) wherever an index is multiplied by a number alone on its way to an address."""
        for factors, call in self.products():
            others = [factor for factor in factors if self.number(factor) is None]
            total = math.prod(number for factor in factors if (number := self.number(factor)) is not None)
            if others and all(self.is_index(f) for f in others) and abs(total) > RECORD and total not in self.extents:
                yield total, call
        for call in ast.walk(self.node):
            for item in _stated_strides(call):
                number = self.number(item)
                if number is not None and abs(number) > RECORD:
                    yield number, call

    def strided(self) -> set[str]:
        """Parameters that an index is multiplied by on its way to an address, tile extents left out."""
        found = set()
        for factors, _ in self.products():
            if any(self.number(f) is None and self.is_index(f) for f in factors):
                found |= {f.id for f in factors if isinstance(f, ast.Name) and f.id in self.parameters}
        for call in ast.walk(self.node):
            found |= {i.id for i in _stated_strides(call) if isinstance(i, ast.Name) and i.id in self.parameters}
        return found - self.widths

    def stores(self) -> Iterator[tuple[str, ast.expr]]:
        """(type, the store) of every store whose value ends in a cast to a narrow type written out."""
        for call in ast.walk(self.node):
            if isinstance(call, ast.Call) and _called(call) == "store" and len(call.args) > 1:
                for value in self._endings(call.args[1], frozenset()):
                    kind = _fixed_cast(value)
                    if kind:
                        yield kind, call

    def accumulators(self) -> Iterator[tuple[str, ast.expr]]:
        """(name, what it is given) of every variable that a loop adds to, from step to step, and that is kept in the tensors'
        element type or in a narrow type. What a step makes anew, whatever it is cast to, is no such variable."""
        for loop in ast.walk(self.node):
            if not isinstance(loop, (ast.For, ast.While)):
                continue
            made: set[str] = set()
            inside = (
                statement for part in loop.body for statement in ast.walk(part) if isinstance(statement, ast.stmt)
            )
            for statement in sorted(inside, key=lambda node: (node.lineno, node.col_offset)):
                for name, value in _assignments(statement):
                    kinds, core = _casts(value)
                    if name in made or not _adds(core, name):
                        made |= {name} - _names(value)
                        continue
                    if any(self._is_narrow(kind, name) for kind in kinds):
                        yield name, value
                    for given in self.assigned[name]:
                        if _called_any(given, ("zeros", "full")) and self._is_narrow(_dtype(given), name):
                            yield name, given

    def _is_narrow(self, kind: ast.expr | None, name: str) -> bool:
        """Whether ``kind`` names fewer than 32 bits, or the element type that the tensors happen to have."""
        if not isinstance(kind, ast.Attribute):
            return False
        if kind.attr == "element_ty":
            return True
        if kind.attr == "dtype":
            owner = kind.value.id if isinstance(kind.value, ast.Name) else name
            return owner != name and any(_called_any(value, ("load",)) for value in self.assigned.get(owner, ()))
        return kind.attr in NARROW[:2] or kind.attr.startswith("float8")

    def _endings(self, value: ast.expr, seen: frozenset[str]) -> Iterator[ast.expr]:
        if isinstance(value, ast.Name) and value.id in self.assigned and value.id not in seen:
            for given in self.assigned[value.id]:
                yield from self._endings(given, seen | {value.id})
        else:
            yield value


def faults(source: str) -> list[str]:
    """Sentences about the jitted functions of ``source``, a module, and about what its launches hand to them; each fault
    once, in the order of the source. Source that cannot be parsed has none: it cannot run either."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    numbers = {name: number for statement in tree.body for name, value in _assignments(statement)
               if (number := _constant(value)) is not None}  # fmt: skip
    kernels = {node.name: Kernel(node, numbers) for node in ast.walk(tree) if is_jitted(node)}
    found: list[str] = []
    for name, kernel in kernels.items():
        found += [_stride(number, name, where) for number, where in kernel.strides()]
        found += [
            f"{name} casts what it stores to tl.{kind}, whatever the output holds: `{_line(where)}`; "
            "cast by the output's element type, .to(out_ptr.dtype.element_ty)"
            for kind, where in kernel.stores()
        ]
        found += [
            f"{name} keeps {variable} in fewer than 32 bits from step to step: `{_line(where)}`; let it be tl.float32, and cast "
            "once, at the store"
            for variable, where in kernel.accumulators()
        ]
    for wrapper in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        found += _handed(wrapper, tree, kernels, numbers)
    return list(dict.fromkeys(found))


def _handed(wrapper: ast.FunctionDef, tree: ast.Module, kernels: dict, numbers: dict[str, int]) -> Iterator[str]:
    """Numbers that a function hands to a kernel, or to a jitted helper, where that multiplies an index by them."""
    local = Kernel(wrapper, numbers)
    renamed = {name: inner for statement in tree.body for name, value in _assignments(statement)
               for inner in _names(value) if inner in kernels and name not in kernels}  # fmt: skip
    for call in ast.walk(wrapper):
        if not isinstance(call, ast.Call):
            continue
        target = call.func.value if isinstance(call.func, ast.Subscript) else call.func
        name = target.id if isinstance(target, ast.Name) else ""
        kernel = kernels.get(renamed.get(name, name))
        if kernel is None:
            continue
        strided = kernel.strided()
        for parameter, value in _bound(call, kernel.parameters):
            number = local.number(value)
            if parameter in strided and number is not None and abs(number) > RECORD:
                yield _stride(number, kernel.node.name, call, f" for {parameter}")


def _stride(number: int, kernel: str, where: ast.AST, parameter: str = "") -> str:
    return (
        f"{kernel} has a stride written as a number, {number}{parameter}: `{_line(where)}`; take it from the tensor or its "
        "shape, x.stride(0), and hand it over"
    )


def _line(node: ast.AST) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 100 else text[:99] + "…"


def _called(call: ast.Call) -> str:
    """The last word of what is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _of_language(call: ast.Call) -> bool:
    """``tl.load(…)``, not the method of a descriptor, whose argument is coordinates."""
    return (
        isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id in _MODULES
    )


_MODULES = ("tl", "language", "triton_language")


def _constant(value: ast.expr) -> int | None:
    """A whole number written out, ``tl.constexpr(…)`` around it or not."""
    if isinstance(value, ast.Call) and _called(value) == "constexpr" and len(value.args) == 1:
        value = value.args[0]
    return value.value if isinstance(value, ast.Constant) and type(value.value) is int else None


def _assignments(statement: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """(name, what it is given) of one statement; a loop's variable is given what it runs over."""
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            yield from _unpacked(target, statement.value)
    elif isinstance(statement, (ast.AnnAssign, ast.NamedExpr)) and statement.value is not None:
        yield from _unpacked(statement.target, statement.value)
    elif isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
        before = ast.Name(statement.target.id, ast.Load())
        yield statement.target.id, ast.BinOp(before, statement.op, statement.value)
    elif isinstance(statement, ast.For):
        yield from _unpacked(statement.target, statement.iter)


def _unpacked(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, (ast.Tuple, ast.List)):
        same = isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts)
        for place, part in enumerate(target.elts):
            yield from _unpacked(part, value.elts[place] if same else value)


def _factors(node: ast.expr) -> list[ast.expr]:
    while isinstance(node, ast.Subscript):  # rows[:, None]
        node = node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return [*_factors(node.left), *_factors(node.right)]
    return [node]


def _stated_strides(call: ast.AST) -> list[ast.expr]:
    if not isinstance(call, ast.Call) or _called(call) not in _LAID_OUT:
        return []
    named = next((keyword.value for keyword in call.keywords if keyword.arg == "strides"), None)
    place = _LAID_OUT[_called(call)]
    given = named if named is not None else call.args[place] if len(call.args) > place else None
    return list(given.elts) if isinstance(given, (ast.Tuple, ast.List)) else []


def _fixed_cast(value: ast.expr) -> str:
    """The narrow type that ``value`` is cast to last, where it is written out; "" otherwise."""
    if not isinstance(value, ast.Call) or _called(value) not in ("to", "cast"):
        return ""
    place = 0 if _called(value) == "to" else 1
    kind = (
        value.args[place]
        if len(value.args) > place
        else next((k.value for k in value.keywords if k.arg == "dtype"), None)
    )
    name = kind.attr if isinstance(kind, ast.Attribute) else ""
    return name if name in NARROW or name.startswith("float8") else ""


def _casts(value: ast.expr) -> tuple[list[ast.expr], ast.expr]:
    """The types that ``value`` is cast to at its end, the last one first, and what is cast."""
    kinds = []
    while isinstance(value, ast.Call) and _called(value) == "to" and isinstance(value.func, ast.Attribute):
        kind = _dtype(value)
        kinds += [] if kind is None else [kind]
        value = value.func.value
    return kinds, value


def _adds(value: ast.expr, name: str) -> bool:
    """Whether ``value`` is a sum, or a product of tiles added to one, in which ``name`` stands."""
    sums = isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Sub))
    return (sums or _called_any(value, ("dot", "fma"))) and name in _names(value)


def _dtype(call: ast.expr) -> ast.expr | None:
    """The type that ``x.to(…)``, ``tl.zeros(…)`` or ``tl.full(…)`` is given."""
    place = {"to": 0, "zeros": 1, "full": 2}[_called(call)]
    named = next((keyword.value for keyword in call.keywords if keyword.arg == "dtype"), None)
    return named if named is not None else call.args[place] if len(call.args) > place else None


def _called_any(value: ast.expr, names: tuple[str, ...]) -> bool:
    return isinstance(value, ast.Call) and _called(value) in names


def _bound(call: ast.Call, parameters: list[str]) -> Iterator[tuple[str, ast.expr]]:
    """(parameter, argument) of a call, as far as positions can be told."""
    for parameter, value in zip(parameters, call.args, strict=False):
        if isinstance(value, ast.Starred):
            break
        yield parameter, value
    for keyword in call.keywords:
        if keyword.arg:
            yield keyword.arg, keyword.value


def _names(value: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
