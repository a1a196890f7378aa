"""The parity protocol: contract, memory, then numbers, on the judge's own copies.

One call of ``parity`` is one case. The learner's object is never touched: ``call.invoke`` gives tensors rebuilt from
bytes, and facts about what came back.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from learning.judge import torch_calls
from learning.judge.compare import Bounds, Miss, compare, differ, places_text
from learning.judge.describe import (
    call_text,
    dtype_name,
    entry_name,
    missing_result,
    parameter_names,
    shape_text,
    value_text,
)
from learning.judge.finding import Finding, LearnerFault, WrongAnswer, fault_rule
from learning.judge.moat import Moated
from learning.judge.seen import DOUBLE_WRITE, OUT_OF_BOUNDS_LOAD, OUT_OF_BOUNDS_STORE, RACE, UNINITIALISED, Trace

GPU_RUNS = 10
POISONS = 2
OTHER_VALUES = "the same shapes, called again with other values: is anything kept from the call before?"
_EXPECTED = {
    OUT_OF_BOUNDS_LOAD: "loads of elements that exist",
    OUT_OF_BOUNDS_STORE: "stores only inside the tensor that was allocated",
    UNINITIALISED: "loads of memory that something wrote",
    RACE: "no program that touches what another writes",
}
OTHERS_BYTES, OTHERS_SECONDS = 64 << 20, 0.25
"""Other values are tried where the arguments are no larger and the call took no longer; in a check's first case however
long it took, so that nobody escapes by being slow."""
STIR = 1_000_003
ALONE = 1 << 18
"""Inputs of fewer elements are judged on one thread: waking others costs more than they save, far more on a busy
machine."""


@dataclass
class Case:
    """What a case needs beside its arguments.

    ``reference(*args)`` is eager torch; ``oracle`` the same in float64 (default: the reference on float64 copies);
    ``yardstick`` replaces the reference as the source of eager's error; ``scale`` is the condition of each element: a
    tensor, or a function of the float64 arguments giving one (a tuple for several outputs); ``tile`` the extents a
    program owns; ``atomics`` lets repeats differ within the bounds; ``runs`` counts calls (two at least, one a poison);
    ``names`` label arguments, ``outputs`` the results; ``traced`` where kernels are interpreted, so that they can be watched;
    ``others`` calls once more with other values in the same shapes, where that is cheap; ``first``: where it is not, too.
    """

    reference: Callable
    oracle: Callable | None = None
    yardstick: Callable | None = None
    bounds: Bounds = field(default_factory=Bounds)
    scale: Any = None
    tile: int | tuple[int, ...] | None = None
    atomics: bool = False
    runs: int = POISONS
    names: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    traced: bool = False
    others: bool = False
    first: bool = False


def runs(device: str) -> int:
    """How many calls must agree bit for bit: ten on a GPU, else one a poison."""
    return GPU_RUNS if device == "cuda" else POISONS


class Parity:
    """One case under judgement: ``decide()`` raises ``WrongAnswer`` or ``LearnerFault``, or returns.

    ``torch_calls`` holds the torch functions the answer was seen to call, ``trace`` what its kernels were seen to do, ``tried``
    whether it was called with other values too.
    """

    def __init__(self, entry: Callable, args: tuple, kwargs: dict, case: Case):
        self.entry, self.case = entry, case
        self.moated = Moated(args, kwargs)
        self.names = list(case.names) or parameter_names(case.reference) or parameter_names(entry)
        self.called = call_text(entry_name(entry), args, kwargs, self.names)
        self.arguments = [n for n, _ in zip(self.names, args, strict=False)]
        self.arguments += [f"input {i}" for i in range(len(self.arguments), len(args))] + list(kwargs)
        self.torch_calls: set[str] = set()
        self.trace: Trace | None = None
        self.seconds, self.tried = 0.0, False
        self.given = args, kwargs
        self.small = sum(a.numel() for a in (*args, *kwargs.values()) if isinstance(a, torch.Tensor)) < ALONE
        with one_thread(self.small), full_precision():
            self.model = apply(case.reference, self.moated.args, self.moated.kwargs)
        self.models = leaves(self.model)
        self.bounds = case.bounds
        if not self.bounds.terms:
            self.bounds = replace(case.bounds, terms=longest_sum([*args, *kwargs.values()]))

    def decide(self) -> None:
        """Run the whole protocol, cheapest and most telling finding first."""
        with one_thread(self.small):
            self._decide()

    def _decide(self) -> None:
        # Watched first: a tracer keeps a far overrun from killing the process. Then with its programs in reverse and nobody
        # watching, so that what a forged trace hides still meets the moats, the bands and the other poison.
        traced = self.case.traced
        first = self.run(0, look="faults" if traced else "")
        second = self.run(1, order="reversed" if traced else "")
        if not self.case.atomics:
            self.equal(first, second, poisoned=True)
        self.numbers(first)
        if self.case.atomics:
            self.numbers(second)
        if self.case.others and (self.seconds <= OTHERS_SECONDS or self.case.first):
            self.tried = self._other_values()
        for turn in range(POISONS, self.case.runs - self.tried):
            again = self.run(turn % POISONS, order=turn if traced else "")
            if not self.case.atomics:
                self.equal(first, again, poisoned=False)

    def _other_values(self) -> bool:
        """One call on other values of the same shapes, held to the same bounds; False where there are none to be had.

        Half of the values change places, so what the case promises of them still holds, and whoever knows an input by a few
        of its values may find them where they were.
        """
        from learning.judge.held import Held, held_bytes

        args, kwargs = self.given
        known = callable(self.case.scale) or self.case.scale is None
        if not known or not 0 < held_bytes(args, kwargs) <= OTHERS_BYTES:
            return False
        held = Held(args, kwargs, copies=2)
        held.stir(1, STIR, share=0.5)
        other = Parity(self.entry, *held.sets[1], replace(self.case, bounds=self.bounds, names=tuple(self.names)))
        try:
            other.numbers(other.run(0))
        except WrongAnswer as wrong:
            wrong.finding.advice = wrong.finding.advice or OTHER_VALUES
            raise
        finally:
            self.torch_calls |= other.torch_calls
        return True

    def run(self, poison: int, *, look: str = "", order: str | int = "") -> list[torch.Tensor]:
        """One call on fresh arguments; its outputs once contract and memory hold."""
        from learning.judge import call

        args, kwargs = self.moated.fresh()
        try:
            came = call.invoke(self.entry, args, kwargs, poison=poison, look=look, order=order)
        except LearnerFault as fault:
            raise LearnerFault(fault.fault, self.called, fault.finding.rule) from None
        if came.fault is not None:
            raise LearnerFault(came.fault, self.called, fault_rule(came.fault))
        self.torch_calls.update(came.torch_calls)
        self.seconds = came.seconds
        if came.trace is not None:
            self.trace = came.trace
            self.watched(came.trace)
        self.contract(came)
        harm = self.moated.damage(came.storages, self.arguments)
        if harm is not None:
            self.fail("memory", got=harm[0], expected="inputs and what surrounds them unchanged", where=harm[1])
        if came.guards:
            self.fail("memory", got=came.guards[0], expected="stores only inside the tensor that was allocated")
        return leaves(came.value)

    def watched(self, trace: Trace) -> None:
        """Fail for what a tracer saw that no GPU would have reported. That two programs wrote one element fails only where it
        changes the result (``equal``): equal values written twice are waste, and right."""
        for problem in trace.problems:
            if problem.kind != DOUBLE_WRITE:
                self.fail("memory", got=problem.sentence, expected=_EXPECTED[problem.kind], where=problem.words,
                          advice=problem.advice)  # fmt: skip

    def contract(self, came) -> None:
        """Type, structure, shape, dtype, device, layout and storage of what came back (RIGOR: contract first)."""
        problem = structure(came.value, self.model)
        if problem is not None or len(came.outputs) != len(self.models):
            launched = came.trace is not None and bool(came.trace.launches)
            worked = launched or any(name.rpartition(".")[2] in torch_calls.ALLOCATE for name in came.torch_calls)
            self.fail("contract", got=value_text(came.value), expected=problem or wanted_text(self.model),
                      advice=missing_result(came.value, worked))  # fmt: skip
        told = zip(leaves(came.value), came.outputs, self.models, strict=True)
        for number, (value, fact, model) in enumerate(told):
            which = self.output_name(number)
            wanted = shape_text(model.dtype, model.shape)
            if not fact.exact_type or not fact.plain:
                self.fail("contract", got=f"{which}a subclass of torch.Tensor or one with attributes or marks of its own",
                          expected="a plain torch.Tensor")  # fmt: skip
            if dtype_name(fact.dtype) != dtype_name(model.dtype) or tuple(fact.shape) != tuple(model.shape):
                self.fail("contract", got=f"{which}{shape_text(fact.dtype, fact.shape)}", expected=wanted)
            if value.dtype != model.dtype or value.shape != model.shape:  # bytes count, whatever was said of them
                self.fail("contract", got=f"{which}{shape_text(value.dtype, value.shape)}", expected=wanted)
            if not same_device(fact.device, model.device):
                self.fail("contract", got=f"{which}a tensor on {fact.device}", expected=f"one on {model.device}")
            if value.device.type != model.device.type:
                self.fail("contract", got=f"{which}a tensor on {value.device.type}", expected=f"one on {model.device}")
            if not contiguous(fact.shape, fact.strides):
                self.fail("contract", got=f"{which}strides {tuple(fact.strides)}", expected=f"a contiguous {wanted}")
            if fact.overlaps:
                self.fail("contract", got=f"{which}memory shared with an input", expected="a fresh tensor")
            if fact.reused:
                self.fail("contract", got=f"{which}the memory that the call before handed out",
                          expected="a fresh tensor from each call")  # fmt: skip
            if fact.shares_with:
                other = self.output_name(fact.shares_with[0]) or "another output"
                self.fail("contract", got=f"{which}memory shared with {other.rstrip(': ')}",
                          expected="storage of its own for each output")  # fmt: skip
            if fact.requires_grad or value.requires_grad:
                self.fail("contract", got=f"{which}a tensor that requires grad", expected="one outside autograd")

    def equal(self, first: list[torch.Tensor], again: list[torch.Tensor], *, poisoned: bool) -> None:
        """Two calls on equal inputs must give equal bits."""
        for number, (one, other) in enumerate(zip(first, again, strict=True)):
            unequal = differ(one, other)
            if unequal is None:
                continue
            where = f"{self.output_name(number)}{places_text(unequal, self.case.tile)}"
            if poisoned and self.case.traced:
                self.explain(first, number, where)
            if poisoned:
                self.fail("memory", where=where, expected="every element written, from values the call itself wrote",
                          got="values that change with what fresh memory held before the call",
                          advice="nothing was stored there, or what was stored came from memory nobody wrote: "
                                 "which program owns the first of them?")  # fmt: skip
            self.fail("repeat", got="another result for the same inputs", expected="equal bits each time", where=where)

    def explain(self, first: list[torch.Tensor], number: int, where: str) -> None:
        """Why a call in reverse order, on other poison, gave other bits: fail where it was the order, or where the tracer
        saw what was never written."""
        twice = next((p for p in self.trace.problems if p.kind == DOUBLE_WRITE), None) if self.trace else None
        if differ(first[number], self.run(1)[number]) is None:
            self.fail("memory", where=f"{where}; {twice.words}" if twice else where,
                      got=twice.sentence if twice else "another result when the programs run in reverse order",
                      expected="one result, whichever program runs first", advice=twice.advice if twice else
                      "what do two programs share? On a GPU they run at once, in no order you can rely on")  # fmt: skip
        told = self.trace.outputs if self.trace is not None and not self.trace.hurried else []
        if number < len(told) and told[number].untouched:
            counts, name = told[number], self.output_name(number)
            self.fail("memory", where=where, expected="every element of the result written",
                      got=f"{name}{counts.untouched} of {counts.elements} elements that nothing wrote, the first at "
                          f"{counts.untouched_first}, the last at {counts.untouched_last}",
                      advice="which program owns the first of them, and does its store reach it?")  # fmt: skip

    def numbers(self, answers: list[torch.Tensor]) -> None:
        """Compare with the float64 oracle within the case's bounds."""
        for number, (answer, (oracle, eager, scale)) in enumerate(zip(answers, self.truth(), strict=True)):
            miss = compare(answer, oracle, eager, self.bounds, scale, self.case.tile)
            if miss is not None:
                self.miss(miss, number)

    def truth(self) -> list[tuple[torch.Tensor, torch.Tensor, torch.Tensor | None]]:
        """Oracle, yardstick and condition of each output, computed once."""
        if not hasattr(self, "_truth"):
            case, (args, kwargs) = self.case, self.moated.map_floats(lambda tensor: tensor.double())
            oracle = leaves(apply(case.oracle or case.reference, args, kwargs))
            for one, model in zip(oracle, self.models, strict=True):
                if (model.is_floating_point() and one.dtype != torch.float64) or one.shape != model.shape:
                    raise ValueError(
                        f"the oracle gave {shape_text(one.dtype, one.shape)} where the reference gave "
                        f"{shape_text(model.dtype, model.shape)}; pass oracle= a float64 function"
                    )
            eager = self.models
            if case.yardstick is not None:
                with full_precision():
                    eager = leaves(apply(case.yardstick, self.moated.args, self.moated.kwargs))
            scale = apply(case.scale, args, kwargs) if callable(case.scale) else case.scale
            scales = list(scale) if isinstance(scale, (tuple, list)) else [scale] * len(oracle)
            self._truth = list(zip(oracle, eager, scales, strict=True))
        return self._truth

    def output_name(self, number: int) -> str:
        """``normed: `` where the call has several outputs, else nothing."""
        if len(self.models) == 1:
            return ""
        return f"{self.case.outputs[number] if number < len(self.case.outputs) else f'output {number}'}: "

    def miss(self, miss: Miss, number: int) -> None:
        """Raise the finding of a numeric ``miss`` in output ``number``."""
        name = self.output_name(number)
        self.fail(miss.rule, got=name + miss.got, expected=miss.expected, where=miss.where, advice=miss.advice)

    def fail(self, rule: str, **fields) -> None:
        """Raise ``WrongAnswer`` for this call."""
        raise WrongAnswer(Finding(rule=rule, called=self.called, **fields))


@contextlib.contextmanager
def one_thread(small: bool) -> Iterator[None]:
    """Keep torch's CPU work on this thread while ``small`` inputs are judged."""
    before = torch.get_num_threads()
    if not small or before == 1:
        yield
        return
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def full_precision() -> Iterator[None]:
    """IEEE fp32 products for eager torch, whatever the process was set to (RIGOR point 8)."""
    before = torch.get_float32_matmul_precision()
    if before == "highest":
        yield
        return
    torch.set_float32_matmul_precision("highest")
    try:
        yield
    finally:
        torch.set_float32_matmul_precision(before)


def apply(function: Callable, args: tuple, kwargs: dict) -> Any:
    """Call ``function`` with those of ``kwargs`` that its signature names (an option of the kernel is none of its)."""
    parameters = inspect.signature(function).parameters if kwargs else {}
    if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        kwargs = {key: value for key, value in kwargs.items() if key in parameters}
    with torch.no_grad():
        return function(*args, **kwargs)


def longest_sum(values: list[Any]) -> int:
    """Terms of the longest sum that arguments of these shapes suggest: the longest axis where any has two axes or more,
    else 1 (element by element)."""
    tensors = [value for value in values if isinstance(value, torch.Tensor)]
    if all(tensor.dim() < 2 for tensor in tensors):
        return 1
    return max(1, *(size for tensor in tensors for size in tensor.shape))


def leaves(value: Any) -> list[torch.Tensor]:
    """The tensors of a value that is one tensor or a tuple or list of such values, in order."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in leaves(item)]
    return []


def structure(value: Any, model: Any) -> str | None:
    """What was expected where ``value`` has another structure than ``model``, else ``None``."""
    if isinstance(model, torch.Tensor):
        return None if isinstance(value, torch.Tensor) else wanted_text(model)
    if type(value) is not tuple or len(value) != len(model):
        return wanted_text(model)
    return next((problem for v, m in zip(value, model, strict=True) if (problem := structure(v, m))), None)


def wanted_text(model: Any) -> str:
    """``a tensor float32[4, 7]`` or ``a tuple of 2: …``."""
    if isinstance(model, torch.Tensor):
        return f"a tensor {shape_text(model.dtype, model.shape)}"
    return f"a tuple of {len(model)}: " + ", ".join(wanted_text(item) for item in model)


def same_device(told: str, device: torch.device) -> bool:
    """``"cuda"`` and ``"cuda:0"`` are one device; other indices are not."""
    kind, _, index = str(told).partition(":")
    return kind == device.type and (index or "0") == str(device.index or 0)


def contiguous(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Row-major and dense, as torch defines it: axes of one element may have any stride, empty tensors any strides."""
    if 0 in tuple(shape):
        return True
    if len(shape) != len(strides):  # no tensor has such; what is told of one may
        return False
    expected = 1
    for size, stride in zip(reversed(tuple(shape)), reversed(tuple(strides)), strict=True):
        if size != 1 and stride != expected:
            return False
        expected *= size
    return True
