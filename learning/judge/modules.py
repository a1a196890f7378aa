"""Which names mean modules: what an answer may not walk through, nor hand on as a value. Standard library only.

A module reached by a dotted name brings along all that it has imported itself: ``triton.runtime.jit.re.enum.bltns`` is
``builtins``, with ``exec`` in it.
"""

# ruff: noqa: SIM905 (word lists read better as words)

from __future__ import annotations

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
INSIDE_TRITON = frozenset("build interpreter code_generator backends knobs profiler ir libtriton".split())
"""Parts of Triton that compile what they are given as text, or replace what its launches do."""
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


@functools.cache
def is_module(path: str) -> bool:
    """Whether the dotted ``path`` is a module: one of ``MODULES``, or a file of Triton as it is installed here."""
    return path in MODULES or (path.startswith("triton.") and _is_file(path.split(".")))


def _is_file(parts: list[str]) -> bool:
    for home in _homes(parts[0]):
        place = os.path.join(home, *parts[1:])
        if os.path.isfile(f"{place}.py") or os.path.isfile(os.path.join(place, "__init__.py")):
            return True
    return False


@functools.cache
def _homes(package: str) -> tuple[str, ...]:
    """The folders of an installed package, found without importing it."""
    try:
        found = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return ()
    return tuple(found.submodule_search_locations or ()) if found is not None else ()
