"""Scored structure: what a right answer's kernels ask of memory, and in which element type they add.

``trial.structure(entry, *args, reference=…)`` runs one case where kernels are interpreted (on a GPU machine on CPU copies, in a
process beside) and returns a ``Structure``; its methods are what a lesson may demand. All of it is told by a tracer in the
learner's process, so it counts only for an answer that keeps the house rules and is right on that very case.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from learning.judge.compare import Bounds
from learning.judge.describe import entry_name
from learning.judge.finding import Finding, WrongAnswer
from learning.judge.parity import Case, Parity
from learning.judge.seen import Counts, Trace

SLACK = 0.05
"""Passes may exceed what is asked for by this fraction: an edge read twice is no second pass."""
COUNT_THE_LOADS = 15
SIXTEEN_BITS_LOSE_THEIR_TAIL = 8
FIRST_CALL_IS_A_BENCHMARK = 10
NARROW = ("fp16", "bf16", "fp8e5", "fp8e4nv", "fp8e4b8", "fp8e5b16", "fp8e4b15")


@dataclass
class Structure:
    """One traced case of a right answer.

    ``called`` is the call in words; ``trace`` what was seen; ``inputs`` and ``outputs`` map the contract's names to counts;
    ``again`` judges parity on other arguments (``padding_never_matters``); ``args`` are the case's own; ``note`` tells a line.
    """

    called: str
    trace: Trace
    inputs: dict[str, Counts]
    outputs: dict[str, Counts]
    args: tuple = ()
    again: Callable[[tuple], None] | None = None
    note: Callable[[str], None] = print

    def passes(
        self,
        *,
        slack: float = SLACK,
        scratch: float = 0.0,
        trap: int = COUNT_THE_LOADS,
        **most: float | tuple[float, float],
    ) -> None:
        """Bytes requested ÷ the tensor's bytes is at most this, by the contract's names: ``passes(x=1, out=1)``.

        Loads and stores both count, so that an output read back costs a pass. ``x=(1, 2)``: two are accepted, and who needs more
        than one is told that one would do. Every named input must be read to its last element by the kernels themselves.
        ``scratch`` is what may go to and come from memory that is neither input nor output, as a fraction of the bytes of all
        named tensors.
        """
        limits = {name: limit if isinstance(limit, tuple) else (limit, limit) for name, limit in most.items()}
        self.note("passes requested: " + ", ".join(f"{name} {self._counts(name).passes:.2f}" for name in limits))
        for name, (best, worst) in limits.items():
            counts = self._counts(name)
            if name in self.inputs and counts.read < counts.elements:
                unread = counts.elements - counts.read
                self.fail(
                    got=f"{unread} of the {counts.elements} elements of {name} that no kernel of yours loads",
                    expected=f"kernels that read {name} themselves, and each element of it",
                    advice=f"a copy that PyTorch made of {name} is other memory: hand {name} itself to the kernel",
                )
            if counts.passes > worst * (1 + slack):
                self.fail(
                    got=f"{counts.passes:.2f} passes over {name}: {_moved(counts)} requested, and {name} has "
                    f"{counts.elements * counts.itemsize} bytes",
                    expected=f"at most {worst:g}",
                    where=" and ".join(
                        f"one element was {what} {_times(most)}"
                        for what, most in (("loaded", counts.most_loaded), ("stored", counts.most_stored))
                        if most
                    ),
                    trap=trap,
                    advice="the values are right; the kernel asks memory for more than it needs. On hardware a cache may absorb "
                    "part of that, so count requests, not microseconds: which load or store can go?",
                )
            if counts.passes > best * (1 + slack):
                self.note(
                    f"{name} crosses memory {counts.passes:.2f} times where {best:g} would do: accepted, though it asks for more "
                    "bytes; on hardware a cache may absorb some of them"
                )
        size = sum(counts.elements * counts.itemsize for counts in map(self._counts, limits))
        if self.trace.scratch > (scratch + slack) * size:
            self.fail(
                got=f"{self.trace.scratch} bytes that go to memory which is neither input nor output, and come from it",
                expected=f"at most {scratch:g} times the {size} bytes of {', '.join(limits)}"
                if scratch
                else "none of that",
                trap=trap,
                advice="the values are right; what is stored only to be loaded again costs both ways. Can it stay in registers?",
            )

    def writes_once(self, *names: str) -> None:
        """Each element of the outputs (all, unless named) is stored exactly once, by one program."""
        for name in names or self.outputs:
            counts = self._counts(name)
            if counts.written < counts.elements:
                self.fail(
                    got=f"{counts.elements - counts.written} of the {counts.elements} elements of {name} that no kernel stores",
                    expected=f"every element of {name} stored by a kernel, once",
                )
            if counts.most_stored > 1:
                self.fail(
                    got=f"{counts.stored} stores to the {counts.elements} elements of {name}, one of them stored "
                    f"{_times(counts.most_stored)}",
                    expected="each element stored exactly once",
                    advice="the values are right, as all writers agree; which program owns the element, and why does another store it?",
                )

    def shares_out(self, *, programs: int, most: float) -> None:
        """Of the launch that loads most: at least so many programs, and none that asks for more than ``most`` times what
        they ask for on average."""
        heaviest = max(self.trace.launches, key=lambda launch: launch.loaded)
        mean = heaviest.loaded / max(1, heaviest.programs)
        self.note(f"{heaviest.programs} programs load {mean:.0f} elements on average, the busiest {heaviest.busiest}")
        if heaviest.programs < programs:
            self.fail(
                got=f"{heaviest.programs} programs of {heaviest.kernel}",
                expected=f"at least {programs}",
                advice="what one program does alone, the rest of the card watches",
            )
        if heaviest.busiest > most * mean:
            self.fail(
                got=f"a program of {heaviest.kernel} that loads {heaviest.busiest} elements, where {heaviest.programs} programs "
                f"load {mean:.0f} on average",
                expected=f"at most {most:g} times the average",
                advice="the values are right; the last program to end decides how long the launch takes. Who could take what is "
                "short together with what is long?",
            )

    def adds_in_float32(self) -> None:
        """No sum, dot, float atomic or running sum has partial sums of 16 bits or fewer (one addition of two numbers may)."""
        for found in self.trace.sums:
            if found.dtype in NARROW and found.how != "+":
                self.fail(
                    got=f"{found.how} with partial sums in {found.dtype}",
                    expected="partial sums in fp32, cast once at the end",
                    where=found.words,
                    trap=SIXTEEN_BITS_LOSE_THEIR_TAIL,
                    advice="widen with .to(tl.float32) before adding; tl.dot takes its type from out_dtype and the accumulator",
                )

    def multiplies_in_float32(self) -> None:
        """No ``tl.dot`` of float32 operands is left to TF32, which is what Triton takes unless told; whether this machine would
        show it or not."""
        for found in self.trace.sums:
            if found.how == "tl.dot in TF32":
                self.fail(
                    got="tl.dot of float32 operands that is to multiply in TF32, with ten of their 24 bits, on cards from sm_80 on",
                    expected='input_precision="ieee"',
                    where=found.words,
                    advice="a T4 and the interpreter multiply float32 whole either way, so the values are right here and wrong on newer cards",
                )

    def autotunes(self, *, configs: tuple[int, int] = (4, 8), key: str = "") -> None:
        """An autotuner chose: between ``configs`` configurations, a key that holds the words of ``key`` (a name at least, where
        none is given), and a grid that is a function of the configuration."""
        tuned = self.trace.tuned
        if not tuned:
            self.fail(
                got="no autotuner in what ran",
                expected="@triton.autotune above @triton.jit",
                trap=FIRST_CALL_IS_A_BENCHMARK,
            )
        low, high = configs
        for one in tuned:
            lacking = [word for word in key.replace(",", " ").split() if word not in one.key]
            if not low <= one.configs <= high:
                got, expected = f"{one.configs} configurations of {one.kernel}", f"{low} to {high}"
            elif lacking or not one.key:
                got = f"the key {one.key or 'of no name'} of {one.kernel}"
                expected = (
                    f"a key that names {', '.join(lacking)}"
                    if lacking
                    else "a key that names what the best tile depends on"
                )
            elif not one.grid_is_function:
                got, expected = (
                    f"a grid of {one.kernel} that is fixed",
                    "a grid that is a function of the configuration",
                )
            else:
                continue
            self.fail(got=got, expected=expected, trap=FIRST_CALL_IS_A_BENCHMARK)

    def padding_never_matters(self, *names: str, limit: float = float("inf"), most: int = 2) -> None:
        """What stands in masked-off lanes stays without effect where the values themselves lie below it, and above it.

        The finite numbers that the answer's own loads of the named inputs (all, unless named) pad with become the measure of
        further cases: a case whose values all lie below one, a case above. Padding with an infinity, and padding replaced after the
        load, are not concerned. Numbers beyond ``limit`` and more than ``most`` a tensor are left out.
        """
        for name in names or self.inputs:
            place = list(self.inputs).index(name)
            finite = [
                value for value in self._counts(name).others if abs(value) <= min(limit, torch.finfo(torch.float32).max)
            ]
            for value in finite[:most]:
                for side in (-1.0, 1.0):
                    try:
                        self.again(_moved_past(self.args, place, value, side))
                    except WrongAnswer as wrong:
                        if wrong.finding.rule in ("wrong values", "precision"):
                            wrong.finding.advice = (
                                f"here every value of {name} lies {'below' if side < 0 else 'above'} {value:g}, which your load "
                                "pads with: what do lanes that own nothing then do to a maximum, a minimum or a sum?"
                            )
                        raise

    def _counts(self, name: str) -> Counts:
        found = self.inputs.get(name) or self.outputs.get(name)
        if found is None:
            raise ValueError(f"no tensor is called {name!r}; they are {', '.join([*self.inputs, *self.outputs])}")
        return found

    def fail(self, **fields: Any) -> None:
        """Raise ``WrongAnswer`` about this call's structure."""
        raise WrongAnswer(Finding(rule="structure", called=self.called, **fields))


OF_A_CASE = ("oracle", "yardstick", "scale", "tile")
OF_BOUNDS = ("k", "c", "exact", "working", "terms")


def of(
    trial: Any, entry: Callable, args: tuple, reference: Callable, names: tuple, outputs: tuple, options: dict
) -> Structure:
    """The structure of ``entry(*args)``: see ``Trial.structure``. Raises ``WrongAnswer`` where the answer is wrong."""
    given, keywords = dict(options), {}
    for name in (*OF_A_CASE, *OF_BOUNDS):
        if name in given:
            keywords[name] = given.pop(name)
    own = entry, args
    if trial.device == "cuda":
        if "apart" not in trial.setting.resources:
            raise RuntimeError("no lesson is open here that could run the entry where kernels are interpreted")
        entry = trial.setting.resources["apart"](entry_name(entry))
        args, given = cpu(args), dict(zip(given, cpu(tuple(given.values())), strict=True))
    case = Case(reference, names=names, outputs=outputs, traced=True, bounds=Bounds(**{"terms": 0, **_picked(keywords, OF_BOUNDS)}),
                **_picked(keywords, OF_A_CASE))  # fmt: skip
    judged = Parity(entry, args, given, case)
    judged.numbers(judged.run(0, look="traffic"))
    trace = judged.trace
    if trace is None:  # the watching itself broke
        raise RuntimeError("the tracer told nothing of this call")
    if not trace.launches:
        raise WrongAnswer(
            Finding("structure", judged.called, got="no kernel was launched", expected="a kernel of your own")
        )
    tensors = [name for name, arg in zip(judged.arguments, (*args, *given.values()), strict=True) if _is_tensor(arg)]
    results = outputs if len(outputs) == len(trace.outputs) else [f"output {n}" for n in range(len(trace.outputs))]

    def again(other: tuple) -> None:
        trial.parity(own[0], *other, reference=reference, names=names, outputs=outputs, **options)

    return Structure(judged.called, trace, dict(zip(tensors, trace.inputs, strict=True)),
                     dict(zip(results, trace.outputs, strict=True)), own[1], again, trial.notes.append)  # fmt: skip


def cpu(values: tuple) -> tuple:
    """``values`` with tensors copied to the CPU, strides and shared storage kept."""
    storages: dict[int, torch.Tensor] = {}

    def copied(value: Any) -> Any:
        if not _is_tensor(value):
            return value
        storage = value.untyped_storage()
        if storage._cdata not in storages:
            whole = torch.empty(0, dtype=value.dtype, device=value.device)
            count = storage.nbytes() // value.element_size()
            storages[storage._cdata] = whole.set_(storage, 0, (count,), (1,)).cpu()
        return storages[storage._cdata].as_strided(value.shape, value.stride(), value.storage_offset())

    return tuple(map(copied, values))


def _is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


def _picked(options: dict, names: tuple[str, ...]) -> dict:
    return {name: options[name] for name in names if name in options}


def _moved_past(args: tuple, place: int, value: float, side: float) -> tuple:
    """``args`` with its tensor number ``place`` moved wholly to one side of ``value``, as far as its dtype reaches."""
    at = [number for number, arg in enumerate(args) if _is_tensor(arg)][place]
    x = args[at]
    ends = torch.finfo(x.dtype)
    wide = x.double()
    reach = max(1.0, abs(value) / 64)
    beyond = value + side * reach * (1 + wide.abs() / wide.abs().amax().clamp_min(1e-30))
    moved = torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device=x.device)
    moved.copy_(beyond.clamp(ends.min, ends.max))
    return (*args[:at], moved, *args[at + 1 :])


def _moved(counts: Counts) -> str:
    parts = [f"{number * counts.itemsize} bytes of {what}" for what, number in
             (("loads", counts.loaded), ("stores", counts.stored)) if number]  # fmt: skip
    return " and ".join(parts) or "nothing"


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")
