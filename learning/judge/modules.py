"""Which names mean modules: what an answer may not walk through, nor hand on as a value. Standard library only.

A module reached by a dotted name brings along all that it has imported itself: ``triton.runtime.jit.re.enum.bltns`` is
``builtins``, with ``exec`` in it.
"""

# ruff: noqa: SIM905 (word lists read better as words)

from __future__ import annotations

import ast
import functools
import importlib.util
import os
import sys

SYSTEM = frozenset(
    """os sys gc inspect time ctypes threading _thread subprocess multiprocessing concurrent asyncio signal socket
    importlib builtins bltns pickle marshal types weakref traceback linecache atexit faulthandler resource mmap shutil
    pathlib tempfile io runpy code codeop dis tracemalloc cffi""".split()
)
"""``bltns`` is what the standard library's ``enum`` calls ``builtins``."""
FOREIGN = frozenset("torch numpy np builtins functools operator itertools".split()) | SYSTEM
"""Modules that hang on others as attributes: ``triton.testing.torch`` is torch, and ``device.sys`` is sys."""
INSIDE_TORCH = frozenset("library overrides utils fx _ops classes hub serialization".split())
"""Parts of torch by which its own operators and calls can be replaced: nobody's scratch work."""
INSIDE_TRITON = frozenset(
    "build interpreter code_generator backends knobs profiler ir libtriton semantic builtin".split()
)
"""Parts of Triton that compile what they are given as text, replace what its launches do, or hand out what computes in them:
under the interpreter that is numpy."""
OF_ITS_RUNTIME = frozenset(
    """runtime runtime.driver runtime.driver.active runtime.errors runtime.JITFunction runtime.Autotuner
    runtime.Heuristics runtime.KernelInterface runtime.OutOfResources runtime.jit runtime.jit.JITFunction
    runtime.jit.KernelInterface runtime.autotuner runtime.autotuner.Autotuner runtime.autotuner.Config
    runtime.autotuner.Heuristics runtime.autotuner.OutOfResources compiler compiler.errors compiler.CompilationError
    compiler.CompiledKernel tools tools.tensor_descriptor""".split()
)
"""What an answer may name below ``triton.runtime``, ``triton.compiler`` and ``triton.tools``: exceptions, types, the device. Of the
rest some functions make code of the text they are given, others write files, start processes or replace the driver."""
_WITH_ALL_BELOW = ("runtime.driver.active.", "runtime.errors.", "compiler.errors.", "tools.tensor_descriptor.")
_STARTS_PROCESSES = frozenset("nvsmi set_gpu_clock cuda_memcheck".split())
MODULES = frozenset(
    """torch torch.cuda math triton triton.language triton.language.core triton.language.standard triton.language.math
    triton.language.semantic triton.language.extra triton.testing triton.runtime triton.runtime.jit triton.runtime.driver
    triton.runtime.autotuner triton.compiler triton.tools triton.tools.tensor_descriptor learning""".split()
)
"""Modules as values, wherever Triton is not installed: one in a list or behind a parameter is asked for parts that no
dotted name shows."""
_GATES = frozenset(
    """abc ast base64 codecs collections contextlib contextvars copyreg dataclasses enum glob hashlib json logging pdb
    pkgutil pprint pydoc re reprlib sysconfig textwrap tokenize typing unittest uuid warnings zipimport""".split()
)
"""More of the standard library, imported by Triton or by what it imports, which no object of an answer's has by name."""
NEVER_HELD = FOREIGN - frozenset("operator time io signal code types resource np socket dis pickle".split()) | _GATES
"""Names of modules that no object of an answer's own has as an attribute."""
_BELOW_TRITON = FOREIGN | frozenset(sys.stdlib_module_names) - frozenset("math random".split())
"""Triton has a ``math`` and a ``random`` of its own, and no other part with a name of the standard library's; torch has many."""
STARRED = ("triton.language",)
"""Modules whose ``import *`` is a list of their own choice; others give away the modules they import."""


def strange(parts: list[str]) -> str:
    """The first part of a dotted name, after its root, that is a module of others, else ""."""
    theirs = _BELOW_TRITON if parts[0] == "triton" else FOREIGN | _GATES
    return next((part for part in parts[1:] if part in theirs), "")


def is_inside_triton(parts: list[str]) -> bool:
    """Whether a dotted name that begins with ``triton`` reaches what makes or replaces code there, is private to it, or is
    what one of its modules has from elsewhere (``triton.language.core.wraps`` copies attributes by their names)."""
    if any(part in INSIDE_TRITON or (part[0] == "_" and part[:2] != "__") for part in parts[1:]):
        return True
    holder = next((end for end in range(len(parts) - 1, 0, -1) if is_module(".".join(parts[:end]))), 0)
    if holder and parts[holder] in _borrowed(tuple(parts[:holder])):
        return True
    if parts[1:2] == ["testing"]:
        return any(part in _STARTS_PROCESSES for part in parts[2:])
    rest = ".".join(parts[1:])
    below = parts[1:2] in (["runtime"], ["compiler"], ["tools"])
    return below and rest not in OF_ITS_RUNTIME and not rest.startswith(_WITH_ALL_BELOW)


@functools.cache
def is_module(path: str) -> bool:
    """Whether the dotted ``path`` is a module: one of ``MODULES``, or a file of Triton as it is installed here."""
    return path in MODULES or (path.startswith("triton.") and _is_file(path.split(".")))


def _is_file(parts: list[str]) -> bool:
    return bool(_file(tuple(parts)))


def _file(parts: tuple[str, ...]) -> str:
    """The file of an installed module, "" where there is none."""
    for home in _homes(parts[0]):
        place = os.path.join(home, *parts[1:])
        for path in (f"{place}.py", os.path.join(place, "__init__.py")):
            if os.path.isfile(path):
                return path
    return ""


@functools.cache
def _borrowed(parts: tuple[str, ...]) -> frozenset[str]:
    """Names that an installed module imports from outside its own package."""
    try:
        with open(_file(parts), encoding="utf-8") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):
        return frozenset()
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").partition(".")[0] != parts[0]:
            found |= {name.asname or name.name for name in node.names}
    return frozenset(found)


@functools.cache
def _homes(package: str) -> tuple[str, ...]:
    """The folders of an installed package, found without importing it."""
    try:
        found = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return ()
    return tuple(found.submodule_search_locations or ()) if found is not None else ()
