"""Correction: how a kernel is launched.

The interpreter drops every launch keyword it does not know, so that a misspelt option or argument passes unseen where
the compiler raises ``KeyError``; it runs a kernel that is called without a grid as a Python function, whose error then
speaks of the interpreter's insides; it writes its own names into the kernel's globals, cannot see closures, and prints
numpy's floating-point warnings, which no GPU does.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
from collections.abc import Iterable
from typing import Any

from triton.runtime import interpreter as triton_interpreter

from learning.lens.interpreter.patches import Patches

NAME = "launch options"
SENTENCE = "a launch keyword that is neither an argument nor an option is refused"


class UnknownOption(KeyError):
    """A launch keyword that is neither one of the kernel's parameters nor an option of the compiler."""

    def __str__(self) -> str:
        return str(self.args[0])


class NotLaunched(RuntimeError):
    """A kernel was called like a function; the compiler's launcher raises ``RuntimeError`` too."""


@functools.cache
def options() -> frozenset[str]:
    """Launch keywords the compiler's CUDA backend knows, ``num_warps`` and ``num_stages`` among them."""
    from triton.backends.nvidia.compiler import CUDAOptions

    return frozenset(option.name for option in dataclasses.fields(CUDAOptions))


def check(kernel: str, parameters: Iterable[str], keywords: Iterable[str]) -> None:
    """Raise ``UnknownOption`` for the first of ``keywords`` that is no parameter and no option."""
    known = {*parameters, *options()}
    for keyword in keywords:
        if keyword not in known:
            near = difflib.get_close_matches(keyword, known, n=1, cutoff=0.5)
            hint = f"; did you mean {near[0]}?" if near else f"; its parameters are {', '.join(parameters)}"
            raise UnknownOption(
                f"{kernel} has no parameter called {keyword!r}, and no launch option has that name{hint}"
            )


def right() -> bool:
    """Whether the interpreter in force refuses a misspelt launch keyword."""

    def nothing() -> None:
        pass

    try:
        triton_interpreter.InterpretedFunction(nothing).run(grid=(0,), warmup=True, num_wraps=4)
    except (KeyError, TypeError, ValueError):
        return True
    return False


def apply(patches: Patches) -> None:
    """Send launches of interpreted kernels through the course's own executor, which checks their keywords."""
    from learning.lens.interpreter import execute

    def run(self: Any, *args: Any, grid: Any, warmup: bool, **kwargs: Any) -> None:
        arguments, constexprs, given = execute.bind(self, args, kwargs)
        if warmup:
            return
        for hook in getattr(self, "pre_run_hooks", ()):
            hook(*args, **kwargs)
        size = grid(arguments) if callable(grid) else grid
        execute.execute(execute.Launch(self, size, arguments, constexprs, given))

    def call(self: Any, *args: Any, **kwargs: Any) -> None:
        name = self.fn.__name__
        raise NotLaunched(f"{name} is a kernel, and nothing says how many programs to start: {name}[(programs,)](…)")

    patches.set(triton_interpreter.InterpretedFunction, "run", run)
    patches.set(triton_interpreter.InterpretedFunction, "__call__", call)  # a running kernel's own calls: execute.py
