"""What a learner's entry holds when it is first called, by the road of Python's own objects, not of the text.

A name can be hidden from reading: in a class, behind a decorator, by ``setattr`` or in a generator. Objects cannot hide from a
walk over what the entry's code, closure, defaults and attributes refer to. What the walk finds is a worker's claim like any
other: it may cost points, never earn them. Imports torch and Triton at module level; the worker imports it only beside them.
"""

from __future__ import annotations

import dis
import gc
import types
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import torch
import triton
import triton.tools.tensor_descriptor
from triton.runtime.jit import KernelInterface

from learning.judge import guard
from learning.judge.names import FILES, RUN_TIME
from learning.judge.torch_calls import HOLDS, RUNS

MOST = 20_000
"""Objects looked at, plain values not counted."""
LONG = 64
"""Bytes that are no constant's: what is read out of memory that a tensor shares."""
_ATOMS = frozenset((int, float, bool, complex, str, type(None), type(...), type(NotImplemented), range,
                    types.CodeType, types.FrameType, types.TracebackType))  # fmt: skip
_RAW = (bytearray, memoryview)
_THEIRS = ("__globals__", "used_global_vals")
"""Where a kernel keeps the globals of its module, all of them; no answer may name it."""
_ROOTS = ("torch", "triton", "math", "learning")
"""Modules that an answer may hold; which parts of them, the text says."""
_OPEN = ("builtins", "_thread", "collections", "contextlib", "functools", "itertools", "operator", "types", "weakref")
"""Types of these modules tell the collector what they hold."""
_FOREIGN = ("numpy", "ctypes", "_ctypes", "_io", "io", "socket", "_socket", "threading", "mmap", "array")
_SHUT = ("torch.jit.", "torch._ops.", "torch.nn.", "torch.fx.", "torch.storage.", "torch.cuda.graphs.", "torch._dynamo.",
         "torch._C.Script", "torch._C.Graph")  # fmt: skip
"""What computes, or shows values, where nobody watches; a CUDA graph that was captured before the first call, too."""
_FUNCTIONS = {"torch": "torch", "torch.functional": "torch", "torch._tensor": "Tensor", "torch.cuda": "torch.cuda",
              "torch.autograd.grad_mode": "torch"}  # fmt: skip
"""Modules of torch whose functions written in Python are judged by their names, since the watch sees them called."""
_SHOWN = (KernelInterface, triton.Config, triton.language.constexpr, triton.tools.tensor_descriptor.TensorDescriptor)
"""Of Triton's objects those on which a learner hangs, or to which he gives, objects of his own."""


def told(
    entry: Any, module: types.ModuleType, files: dict[str, tuple[str, str]], given: Given | None = None
) -> list[str]:
    """Records of what ``entry`` holds: ``RUNS`` with line and cell for each of the learner's functions, ``HOLDS`` with a name
    for what no answer may, and names of torch's functions as the watch writes them. ``files`` maps a file to its cell; ``given``
    is what the set-up cells left."""
    return _Walk(module, files, given or Given()).over(entry)


class Given:
    """What set-up cells left behind: their ``code``, and the ``names`` of their module with what they meant then. What the course's
    own functions use is theirs, and no answer's; where a name means something else by now, or a list has got longer, the walk goes on."""

    def __init__(self, code: Iterable[types.CodeType] = (), names: Mapping[str, Any] = types.MappingProxyType({})):
        self._names = names  # held, so that no id of these is given to another
        self._ids = {id(value) for value in names.values()}
        self._code = {inner for made in code for inner in _within(made)}

    def hidden(self, code: types.CodeType, space: Mapping[str, Any], home: str) -> list[Any] | None:
        """What the set-up's ``code`` names in ``space`` and a learner can have hidden something in: what the set-up did not leave
        there, and of the rest all but modules, and functions and classes that are not of ``home``. None: the code is not the set-up's."""
        if code not in self._code:
            return None
        named = {name for inner in _within(code) for name in inner.co_names if name in space}
        return [
            space[name] for name in named if id(space[name]) not in self._ids or not _from_elsewhere(space[name], home)
        ]


def _within(code: types.CodeType) -> Iterator[types.CodeType]:
    """``code`` and all code inside it."""
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _within(inner)


def _from_elsewhere(value: Any, home: str) -> bool:
    """Whether ``value`` is a module, or a function or class that is not of the module ``home``."""
    imported = (
        issubclass(type(value), (type, types.FunctionType, types.BuiltinFunctionType)) and value.__module__ != home
    )
    return imported or isinstance(value, types.ModuleType)


class _Walk:
    def __init__(self, module: types.ModuleType, files: dict[str, tuple[str, str]], given: Given):
        self.space, self.name, self.files, self.given = module.__dict__, module.__name__, files, given
        self.found: dict[str, None] = {}
        self.seen = {id(self.space)}
        self.queue: deque[Any] = deque()

    def over(self, entry: Any) -> list[str]:
        self.push(entry)
        looked = 0
        while self.queue:
            looked += 1
            if looked > MOST:
                self.note(f"{HOLDS}more objects than can be looked at")
                break
            self.look(self.queue.popleft())
        return list(self.found)

    def note(self, record: str) -> None:
        self.found.setdefault(record)

    def push(self, *values: Any) -> None:
        for value in values:
            if type(value) not in _ATOMS and id(value) not in self.seen:
                self.seen.add(id(value))
                self.queue.append(value)

    def look(self, value: Any) -> None:
        kind = type(value)
        if kind is types.FunctionType:
            self.function(value)
        elif kind is types.ModuleType or isinstance(value, types.ModuleType):
            if str(vars(value).get("__name__")).partition(".")[0] not in _ROOTS:
                self.note(f"{HOLDS}module {vars(value).get('__name__')}")
        elif issubclass(kind, type):
            self.of_class(value)
        elif kind in _RAW or (kind is bytes and len(value) >= LONG):
            self.note(f"{HOLDS}{kind.__name__}")
        elif issubclass(kind, torch.Tensor):
            self.tensor(value)
        elif kind is types.BuiltinFunctionType or kind in (types.MethodDescriptorType, types.WrapperDescriptorType):
            self.builtin(value)
        else:
            self.other(value, kind)

    def other(self, value: Any, kind: type) -> None:
        home = type.__getattribute__(kind, "__module__")
        home = home if isinstance(home, str) else "builtins"
        full, root = f"{home}.{type.__getattribute__(kind, '__qualname__')}", home.partition(".")[0]
        if root in _FOREIGN or full.startswith(_SHUT):
            self.note(f"{HOLDS}{full}")
        elif issubclass(kind, _SHOWN) or (home.startswith("triton.language.") and hasattr(value, "__dict__")):
            self.push(*(held for name, held in vars(value).items() if name not in _THEIRS))
        elif root == self.name or root in _OPEN:
            self.push(*gc.get_referents(value))

    def function(self, value: types.FunctionType) -> None:
        code = value.__code__
        self.push(value.__dict__)
        if value.__globals__ is not self.space:
            home = str(value.__module__)
            if home.partition(".")[0] == "torch":
                plain = f"{home}.{value.__qualname__}"
                self.note(f"{_FUNCTIONS[home]}.{value.__name__}" if home in _FUNCTIONS else f"{HOLDS}{plain}")
            return
        cell, given = self.files.get(code.co_filename), self.given.hidden(code, self.space, self.name)
        if cell is not None and given is None:
            self.note(f"{RUNS}{code.co_firstlineno} {cell[0]}")
        self.push(*(_named(code, self.space) if given is None else given))
        for held in value.__closure__ or ():
            self.push(*gc.get_referents(held))
        self.push(value.__defaults__, value.__kwdefaults__)

    def of_class(self, value: type) -> None:
        root = str(type.__getattribute__(value, "__module__")).partition(".")[0]
        if root == self.name:
            self.push(*vars(value).values(), *value.__bases__)
        elif root in _FOREIGN:
            self.note(f"{HOLDS}{value.__module__}.{value.__qualname__}")

    def tensor(self, value: torch.Tensor) -> None:
        try:
            if not guard.resizable(value):
                self.note(f"{HOLDS}a tensor over memory that Python holds as well")
        except Exception:  # no storage at all
            pass
        self.push(object.__getattribute__(value, "__dict__"))

    def builtin(self, value: Any) -> None:
        owner = getattr(value, "__self__", getattr(value, "__objclass__", None))
        if type(owner) is types.ModuleType:
            root = owner.__name__.partition(".")[0]
            if root in _FOREIGN or (root == "builtins" and value.__name__ in RUN_TIME | FILES):
                self.note(f"{HOLDS}{owner.__name__}.{value.__name__}")
            elif root == "torch":
                self.note(f"torch.{value.__name__}")
            return
        if owner is None:
            if value.__qualname__.startswith("_VariableFunctions"):
                self.note(f"torch.{value.__name__}")
            return
        of = owner if isinstance(owner, type) else type(owner)
        if str(type.__getattribute__(of, "__module__")).partition(".")[0] == "torch":
            self.note(guard.name_of(value))
        if not isinstance(owner, type):
            self.push(owner)


def _named(code: types.CodeType, space: dict[str, Any]) -> list[Any]:
    """What a function's code, and code inside it, names: globals, and what their dotted names lead to from a module on."""
    found, at = [], None
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            at = space.get(step.argval)
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD") and at is not None:
            at = vars(at).get(step.argval) if isinstance(at, types.ModuleType) else None
            if callable(at) and str(getattr(at, "__module__", "")).partition(".")[0] != "triton":
                at = None  # torch's own function, named where it is used: the text says so
        else:
            at = None
        found += [at] if at is not None else []
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            found += _named(inner, space)
    return found
