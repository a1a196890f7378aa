"""Run one launch in the interpreter: corrected, with private globals, and with nothing left patched afterwards."""

from __future__ import annotations

import linecache
import threading
import traceback
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import triton
import triton.language as tl
from triton.runtime import interpreter as triton_interpreter
from triton.runtime.jit import JITFunction

from learning.lens.interpreter import twin
from learning.lens.interpreter.patches import Patches

Program = tuple[int, int, int]


class KernelFault(RuntimeError):
    """A kernel raised while it ran: what, in which program, on which line of whose code. The cause is the exception."""

    def __init__(self, kernel: str, program: Program, cause: BaseException, file: str, line: int):
        self.kernel, self.program, self.file, self.line = kernel, program, file, line
        self.text = linecache.getline(file, line).strip()
        where = f"{kernel}, program {program}" + (f", line {line}: {self.text}" if self.text else "")
        super().__init__(f"{type(cause).__name__}: {cause}\n  in {where}")


class Observer:
    """What may watch a launch; every method may be left as it is.

    ``begin`` is called inside the patched interpreter before the first program and may add patches of its own; ``order``
    returns the programs in the order they are to run; ``end`` is called after the last, also when one raised.
    """

    def begin(self, launch: Launch, patches: Patches) -> None: ...

    def order(self, programs: list[Program]) -> Iterable[Program]:
        return programs

    def end(self, launch: Launch) -> None: ...


class Launch:
    """One launch: ``kernel`` its name, ``function`` the plain Python function, ``grid`` three integers, ``arguments``
    name to value as the caller gave them, ``constexprs`` the names of compile-time arguments, ``options`` the launch
    options that were given (``num_warps``, ``num_stages``, …), ``metadata`` the compiler's, None where nothing was
    compiled."""

    def __init__(
        self,
        function: Any,
        grid: tuple[int, ...],
        arguments: Mapping[str, Any],
        constexprs: Iterable[str],
        options: Mapping[str, Any] | None = None,
        metadata: Any = None,
    ):
        self.function = twin.plain(function)
        self.kernel = self.function.__name__
        self.grid: Program = check_grid(self.kernel, grid)
        self.arguments, self.constexprs = dict(arguments), frozenset(constexprs)
        self.options = dict(options or {})
        self.metadata = metadata


# The interpreter patches the language for everybody, so one launch at a time.
_lock = threading.RLock()
_observers: list[Observer] = []
_ahead: list[Callable[[], None]] = []


def ahead(act: Callable[[], None]) -> Callable[[], None]:
    """Call ``act`` ahead of every launch from now on, outside the patched interpreter, so that it may launch kernels itself;
    returns the function that ends it."""
    _ahead.append(act)
    return lambda: _ahead.remove(act)


def watch(observer: Observer) -> Callable[[], None]:
    """Let ``observer`` see every launch from now on; returns the function that ends it."""
    _observers.append(observer)
    return lambda: _observers.remove(observer)


def observers() -> tuple[Observer, ...]:
    """Who watches launches now."""
    return tuple(_observers)


def check_grid(kernel: str, grid: Any) -> Program:
    """``grid`` as three integers; ``TypeError`` or ``ValueError`` where a GPU could not launch it."""
    if not isinstance(grid, (tuple, list)):
        raise TypeError(f"the grid of {kernel} must be a tuple such as ({grid!r},), not {type(grid).__name__}")
    if not 1 <= len(grid) <= 3:
        raise ValueError(f"the grid of {kernel} has {len(grid)} axes; a launch has one to three")
    sizes = [int(size) for size in grid] + [1] * (3 - len(grid))
    for axis, (size, most) in enumerate(zip(sizes, (2**31 - 1, 65535, 65535), strict=True)):
        if not 0 <= size <= most:
            raise ValueError(f"axis {axis} of the grid of {kernel} is {size}; a GPU takes 0 to {most} programs there")
    return tuple(sizes)


def execute(launch: Launch) -> None:
    """Run every program of ``launch`` on CPU tensors, in order of x, then y, then z unless an observer reorders them.

    Raises ``KernelFault`` where a kernel's own line raised, and ``ValueError`` for a tensor that is not on the CPU.
    """
    from learning.lens import interpreter

    for act in list(_ahead):
        act()
    with _lock, Patches() as patches, np.errstate(all="ignore"):
        interpreter.correct(patches)
        patch_language(patches)
        twins: dict[Any, Any] = {}

        def call(function: Any, *args: Any, **kwargs: Any) -> Any:
            key = twin.plain(function)
            if key not in twins:
                twins[key] = twin.build(key)
            return twins[key](*args, **kwargs)

        patch_calls(patches, call)
        kernel = twin.build(launch.function)
        builder = triton_interpreter.interpreter_builder
        builder.set_grid_dim(*launch.grid)
        nx, ny, nz = launch.grid
        programs: Iterable[Program] = [(x, y, z) for x in range(nx) for y in range(ny) for z in range(nz)]
        started = list(_observers)
        try:
            for observer in started:
                observer.begin(launch, patches)
                programs = list(observer.order(programs))
            arguments = {
                name: value if name in launch.constexprs else converted(launch.kernel, name, value)
                for name, value in launch.arguments.items()
            }
            for program in programs:
                builder.set_grid_idx(*program)
                try:
                    kernel(**arguments)
                except Exception as cause:
                    raise fault(launch, program, cause) from cause
        finally:
            for observer in started:
                observer.end(launch)


def fault(launch: Launch, program: Program, cause: Exception) -> KernelFault:
    """A ``KernelFault`` that points at the innermost line outside Triton and the course."""
    line, file = 0, launch.function.__code__.co_filename
    for frame in traceback.extract_tb(cause.__traceback__):
        place = frame.filename.replace("\\", "/")
        if frame.filename == file or not ("/triton/" in place or "/learning/lens/" in place):
            file, line = frame.filename, frame.lineno or 0
    return KernelFault(launch.kernel, program, cause, file, line)


def converted(kernel: str, name: str, value: Any) -> Any:
    """A launch argument as the interpreter's tensor; floats become fp32, as a compiled kernel's do."""
    if isinstance(value, float):
        return tl.tensor(triton_interpreter.TensorHandle(np.array([value], dtype=np.float32), tl.float32), tl.float32)
    if isinstance(value, bool):
        return tl.tensor(triton_interpreter.TensorHandle(np.array([value]), tl.int1), tl.int1)
    device = getattr(value, "device", None)
    if device is not None and getattr(device, "type", "cpu") != "cpu":
        raise ValueError(f"argument {name} of {kernel} is on {device}; here kernels run on CPU tensors")
    return triton_interpreter._implicit_cvt(value)


_language: list[tuple[Any, str, Any]] = []


def patch_language(patches: Patches) -> None:
    """Point ``triton.language`` at the interpreter, as Triton's own launcher does for a kernel's globals.

    Finding the three hundred members to change takes milliseconds, so it is done once and replayed afterwards; the
    corrections, which are part of it, never change within a process.
    """
    if not _language:
        with Patches() as recorder:
            _patch_language(recorder)
            _language.extend((owner, name, vars(owner)[name]) for owner, name in recorder.changed())
    for change in _language:
        patches.set(*change)


def _patch_language(patches: Patches) -> None:
    builder = triton_interpreter.interpreter_builder
    for language in (tl, tl.core):
        triton_interpreter._patch_builtin(language, builder, patches)
        triton_interpreter._patch_builtin(language.tensor, builder, patches)
        if language is tl:
            triton_interpreter._patch_builtin(language.math, builder, patches)
        triton_interpreter._patch_lang_tensor(language.tensor, patches)
        triton_interpreter._patch_lang_core(language, patches)
    triton_interpreter._patch_builtin(tl.core.tensor_descriptor_base, builder, patches)


def patch_calls(patches: Patches, call: Callable) -> None:
    """Send calls of jitted functions, free or as a tensor's methods, to ``call(function, *args, **kwargs)``."""
    for kind in (JITFunction, triton_interpreter.InterpretedFunction):
        patches.set(kind, "__call__", lambda self, *args, **kwargs: call(self, *args, **kwargs))
    for name, member in list(vars(tl.tensor).items()):
        if isinstance(member, JITFunction):
            patches.set(tl.tensor, name, _method(member, call))


def _method(function: Any, call: Callable) -> Callable:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return call(function, self, *args, **kwargs)

    return method


def bind(function: Any, args: tuple, kwargs: Mapping[str, Any]) -> tuple[dict[str, Any], frozenset[str], dict]:
    """(arguments by name with defaults, names of constexprs, launch options) of a call ``kernel[grid](*args, **kwargs)``.

    Raises ``UnknownOption`` for a keyword that is neither, ``TypeError`` for a missing or superfluous argument.
    """
    import inspect

    from learning.lens.interpreter import launch

    kernel = twin.plain(function)
    signature = inspect.signature(kernel)
    launch.check(kernel.__name__, list(signature.parameters), kwargs)
    options = {name: value for name, value in kwargs.items() if name not in signature.parameters}
    own = {name: value for name, value in kwargs.items() if name in signature.parameters}
    try:
        bound = signature.bind(*args, **own)
    except TypeError as reason:
        raise TypeError(f"{kernel.__name__}: {reason}") from None
    bound.apply_defaults()
    constexprs = frozenset(
        name
        for name, parameter in signature.parameters.items()
        if "constexpr" in triton.runtime.jit._normalize_ty(parameter.annotation)
        and parameter.annotation is not parameter.empty
    )
    return dict(bound.arguments), constexprs, options
