"""One call of a learner's function under watch: the same code in the worker and in a learner's own kernel.

Standard library only at module level; torch is used only where it has already been imported.
"""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from learning.judge.finding import Fault
from learning.judge.seen import Trace


@dataclass
class Output:
    """Facts about one tensor that came back, read by functions bound before the learner's code ran.

    ``exact_type``: ``type(out) is torch.Tensor``; ``plain``: its ``__dict__`` is empty; ``dtype`` as "float32";
    ``strides`` and ``offset`` in elements (``offset`` counts from where the learner's allocation starts); ``device``
    "cpu" or "cuda"; ``overlaps``: indices of the call's distinct input storages whose memory it shares;
    ``shares_with``: indices of earlier outputs it shares memory with; ``reused``: an earlier call handed out the same
    memory.
    """

    exact_type: bool
    plain: bool
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    device: str
    requires_grad: bool
    overlaps: list[int] = field(default_factory=list)
    shares_with: list[int] = field(default_factory=list)
    reused: bool = False


@dataclass(frozen=True)
class Foreign:
    """Stands in a value for an object of a type that does not cross to the judge; ``type`` is its type's name."""

    type: str


@dataclass
class Called:
    """What one call did.

    ``value``: a tree of tensors (contiguous copies the judge owns), int, float, bool, str, None, tuple, list, and
    ``Foreign`` for anything else. ``outputs``: one ``Output`` per tensor of ``value``, in order. ``storages``: the
    bytes (uint8 tensors) of every distinct input storage after the call, in order of first appearance.
    ``guards``: one sentence per guard band the call's allocations broke. ``torch_calls``: names of torch functions
    called outside torch and Triton ("torch.empty_like", "Tensor.contiguous"), each once, in order. ``printed``: what
    it wrote to stdout and stderr (worker only). ``seconds``: wall time, on the judge's clock where there is a judge;
    ``claimed``: what a timed run says its work took, which decides nothing.
    ``again``: values of repeats two and later, then those of calls made in between. ``fault``: why there is no value, else None. ``trace``: what kernels did to
    memory, where that was asked for (``look``) and kernels are interpreted, else None.
    """

    value: Any = None
    outputs: list[Output] = field(default_factory=list)
    storages: list = field(default_factory=list)
    guards: list[str] = field(default_factory=list)
    torch_calls: list[str] = field(default_factory=list)
    printed: str = ""
    seconds: float = 0.0
    claimed: float = 0.0
    again: list = field(default_factory=list)
    fault: Fault | None = None
    trace: Trace | None = None


def invoke(function: Callable, args: tuple, kwargs: dict | None = None, **how: Any) -> Called:
    """Call an ``Entry`` in its worker, or any other function here; never raises for what the function did. ``how`` are the
    keywords of ``guarded``."""
    from learning.judge.entry import Entry

    return (function.guarded if isinstance(function, Entry) else partial(guarded, function))(args, kwargs or {}, **how)


def guarded(
    function: Callable,
    args: tuple,
    kwargs: dict | None = None,
    *,
    poison: int = 0,
    repeats: int = 1,
    look: str = "",
    order: str | int = "",
    between: tuple[tuple, dict] | None = None,
    locate: Callable[[str], tuple[str, str] | None] | None = None,
) -> Called:
    """Call ``function(*args, **kwargs)`` in this process, ``repeats`` times, and report what it did.

    While it runs, memory that ``torch.empty`` and its like hand out lies between guard bands and is filled with poison
    (0: NaN, or a large integer; 1: a huge finite number, or another integer), and zeros, ones and full lie between
    guard bands. ``locate`` maps a file name to ``(cell name, source)`` for faults; by default a notebook's own cells.
    ``look`` ("faults" or "traffic") and ``order`` of programs are those of ``learning.lens.witness`` and mean nothing where
    kernels are not interpreted; where an autotuner ran, "traffic" calls once more, and tells of the configuration it chose.
    ``between`` are the arguments of another call of the function, made between the kernels of this one
    (``learning.judge.between``); what it gave stands in ``Called.again``.
    Everything the function raises becomes ``Called.fault``. On CUDA the device is synchronised before bytes are read.
    """
    from learning.judge import faults

    torch = sys.modules.get("torch")
    if torch is not None and hasattr(torch, "Tensor"):
        from learning.judge import guard

        watch: Any = guard.Watch(args, kwargs or {}, poison)
    else:
        watch = Plain()
    witness = _witness(look, order)
    visits = _visits(function, between)
    called, collecting = Called(), gc.isenabled()
    started = time.perf_counter()
    try:
        for number in range(max(1, repeats)):
            with witness, watch, visits:
                value = function(*args, **(kwargs or {}))
                gc.disable()  # what the learner left to the collector may not run behind the watch, ahead of the copy
            if look == "traffic" and witness.tuned:  # that call timed every configuration; the next runs the one chosen
                witness = _witness(look, order)
                with witness, watch:
                    value = function(*args, **(kwargs or {}))
                    gc.disable()
            if number == 0:
                called.value, called.outputs = watch.take(value)
                told = witness.told(tensors(args, kwargs), tensors((value,)), locate or faults.notebook_cell)
                called.trace = Trace.of(told)
            else:
                called.again.append(watch.take(value)[0])
            if collecting:
                gc.enable()
        called.again += [watch.take(value)[0] for value in visits.made]
    except BaseException as problem:
        if look and witness.failed(problem):  # what watches broke, not what was watched: look away and ask again
            return guarded(
                function, args, kwargs, poison=poison, repeats=repeats, order=order, between=between, locate=locate
            )
        called.fault = faults.read(problem, locate)
        called.value, called.outputs, called.again = None, [], []
    finally:
        if collecting:
            gc.enable()
    called.seconds = time.perf_counter() - started
    try:
        called.storages = watch.storages()
        called.guards, called.torch_calls = watch.broken_guards(), watch.names()
    except Exception as problem:  # a CUDA error that the call left behind surfaces at the next synchronisation
        called.fault = called.fault or faults.read(problem, locate)
        called.value, called.outputs, called.again = None, [], []
    return called


def _witness(look: str, order: str | int) -> Any:
    """What watches the launches of a call; nothing where none are interpreted in this process."""
    door = sys.modules.get("learning.lens.device")
    if (look or order != "") and door is not None and door.current().kind == "interpreter":
        from learning.lens.witness import Witness

        return Witness(look, order)
    return Blind()


def _visits(function: Callable, between: tuple[tuple, dict] | None) -> Any:
    """What calls ``function`` with the arguments ``between`` whenever kernels of another call of it lie on either side."""
    if between is None:
        return Blind()
    from learning.judge.between import Visits

    return Visits(function, *between)


def tensors(values: tuple, named: dict | None = None) -> list:
    """The tensors among the arguments of a call, or in what it returned, in order: as ``Called.trace`` counts them."""
    guard = sys.modules.get("learning.judge.guard")
    return guard.tensors_in(values, named or {}) if guard is not None else []


def folded(
    function: Callable, state: Any, items: tuple | list, locate: Callable[[str], tuple[str, str] | None] | None = None
) -> Called:
    """Call ``state = function(state, item)`` for each of ``items`` and report the last state; each state is copied to
    plain types before it is handed on, as one that crosses to the judge and back would be. No tensors."""
    from learning.judge import faults

    called = Called()
    started = time.perf_counter()
    try:
        for item in items:
            state = copy_plain(function(state, item))
        called.value = state
    except BaseException as problem:
        called.fault = faults.read(problem, locate)
    called.seconds = time.perf_counter() - started
    return called


def fold(function: Callable, state: Any, items: tuple | list) -> Any:
    """The left fold of ``items``, plain values, by a learner's function: ``state = function(state, item)`` for each.

    For an ``Entry`` all of it happens in its worker in one request, where a long stream would cost a round trip a value.
    Raises ``LearnerFault`` as a call of the entry does.
    """
    from learning.judge.entry import Entry

    if isinstance(function, Entry):
        return function.fold(state, items)
    for item in items:
        state = function(state, item)
    return state


def hold(function: Callable, args: tuple, kwargs: dict | None = None, copies: int = 1) -> Any:
    """Place ``copies`` sets of the arguments beside ``function``, once, and return the ``Handle`` through which it is then
    timed: nothing crosses again but small requests. For an ``Entry`` they lie in its worker."""
    from learning.judge import handle
    from learning.judge.entry import Entry

    if isinstance(function, Entry):
        return function.hold(args, kwargs or {}, copies)
    return handle.here(function, args, kwargs or {}, copies)


class Plain:
    """The watch where torch is not there: values only."""

    def __enter__(self) -> Plain:
        return self

    def __exit__(self, *exc: object) -> None:
        return None

    def take(self, value: Any) -> tuple[Any, list[Output]]:
        return copy_plain(value), []

    def storages(self) -> list:
        return []

    def broken_guards(self) -> list[str]:
        return []

    def names(self) -> list[str]:
        return []


class Blind:
    """The witness where no launch is looked at, and the visits where nobody comes between."""

    tuned: tuple = ()
    made: tuple = ()

    def __enter__(self) -> Blind:
        return self

    def __exit__(self, *exc: object) -> None:
        return None

    def told(self, inputs: list, outputs: list, locate: Callable | None = None) -> None:
        return None

    def failed(self, problem: BaseException) -> bool:
        return False


def copy_plain(value: Any, tensor: Callable[[Any], Any] | None = None, depth: int = 0) -> Any:
    """Copy a tree of exact plain types; other objects become ``Foreign`` unless ``tensor`` returns something for them.

    Types are compared by identity: a subclass that overrides ``==`` is foreign. Raises ``ValueError`` for nesting
    deeper than 32.
    """
    kind = type(value)
    if value is None or kind is int or kind is float or kind is bool or kind is str:
        return value
    if kind is tuple or kind is list:
        if depth >= 32:
            raise ValueError("the returned value is nested more than 32 deep")
        return kind([copy_plain(item, tensor, depth + 1) for item in value])
    if tensor is not None:
        copied = tensor(value)
        if copied is not None:
            return copied
    module, name = type.__getattribute__(kind, "__module__"), type.__getattribute__(kind, "__qualname__")
    return Foreign(name if module == "builtins" else f"{module}.{name}")
