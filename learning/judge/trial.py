"""``trial``: what a check function receives, so that its body reads like a sentence.

Standard library at module level; torch is imported when a check first asks for a tensor, so the CPU lesson runs under
``python -S``.
"""

from __future__ import annotations

import contextlib
import logging
import random
from collections.abc import Callable
from typing import Any

from learning.judge import doubles
from learning.judge.describe import call_text, entry_name, is_tensor, parameter_names, value_text
from learning.judge.finding import Finding, LearnerFault, WrongAnswer, fault_rule
from learning.judge.setting import Setting

log = logging.getLogger("learning.judge")


class Trial:
    """One run of one check.

    ``device`` is "cuda", "interpreter" or "cpu"; ``random`` a ``random.Random`` at the case's seed; ``awarded`` the
    fraction of the points (1.0 unless ``award`` lowered it) and ``shortfall`` the finding that says why; ``cases`` counts
    judged calls; ``skipped`` lists what this device cannot grade, with reasons; ``notes`` are shown in the report;
    ``torch_calls`` gathers the torch functions the answer was seen to call.
    """

    def __init__(self, check: Any, setting: Setting):
        self.check, self.setting = check, setting
        self.awarded, self.shortfall = 1.0, None
        self.cases, self.skipped, self.notes = 0, [], []
        self.torch_calls: set[str] = set()
        self.label, self.seed, self._source, self._device = "", 0, None, setting.device
        self.random, self._tried_others = random.Random(), False
        self.case("")

    # ---- where and with which seed

    @property
    def device(self) -> str:
        """ "cuda", "interpreter" or "cpu"; asked of the lesson card and ``learning.lens.device`` where the setting is silent."""
        if not self._device:
            self._device = "cpu" if self._is_plain_python() else _lens().kind
        return self._device

    @property
    def torch_device(self) -> str:
        """Where input tensors live: "cuda" or "cpu"."""
        return "cuda" if self.device == "cuda" else "cpu"

    @property
    def dtypes(self) -> list:
        """fp32, fp16 and bf16 as torch dtypes, but for those this device cannot grade, which are noted as skipped."""
        import torch

        return [d for d in (torch.float32, torch.float16, torch.bfloat16) if self.gradable(d)]

    def gradable(self, dtype: Any) -> bool:
        """Whether ``dtype`` can be graded here; notes the reason once where it cannot."""
        reason = _refusal(self.device, dtype)
        if reason:
            line = f"{str(dtype).removeprefix('torch.')}: {reason}"
            if line not in self.skipped:
                self.skipped.append(line)
        return not reason

    def case(self, label: Any) -> str:
        """Begin the case called ``label``: the inputs that follow are drawn from its own seed. Returns the label."""
        self.label = str(label)
        self.seed = self.setting.seed(self.setting.lesson, self.check.name, self.label)
        self.random.seed(self.seed)
        self._source = None
        return self.label

    # ---- inputs

    def normal(self, *shape: int, dtype: Any = None, scale: float = 1.0, offset: float = 0.0):
        """Normal values times ``scale`` plus ``offset`` in ``dtype`` (fp32), rounded once."""
        inputs, source = self._inputs()
        return inputs.normal(shape, source, scale=scale, offset=offset, **_dtype(dtype)).to(self.torch_device)

    def integers(self, *shape: int, low: int = -8, high: int = 9, dtype: Any = None):
        """Whole numbers from ``low`` up to but not including ``high``, held in ``dtype`` (fp32): for exact checks."""
        inputs, source = self._inputs()
        return inputs.integers(shape, source, low=low, high=high, **_dtype(dtype)).to(self.torch_device)

    def distinct(self, *shape: int, dtype: Any = None):
        """No two values equal, as far as ``dtype`` (fp32) has them: for checks of indexing."""
        inputs, source = self._inputs()
        return inputs.distinct(shape, source, **_dtype(dtype)).to(self.torch_device)

    def pattern(self, kind: str, *shape: int, dtype: Any = None):
        """Awkward values of a named kind: see ``learning.judge.inputs.PATTERNS``."""
        inputs, source = self._inputs()
        return inputs.pattern(kind, shape, source, **_dtype(dtype)).to(self.torch_device)

    def layout(self, x: Any, kind: str):
        """``x`` with other strides: see ``learning.judge.inputs.LAYOUTS``."""
        return self._inputs()[0].layout(x, kind)

    def ragged(self, block: int) -> list[int]:
        """Lengths that expose the edges of a block: 0, 1, B − 1, B, B + 1, a prime, 2B + 3."""
        return self._inputs()[0].ragged(block)

    # ---- verdicts

    def parity(
        self,
        entry: Callable,
        *args: Any,
        reference: Callable,
        oracle: Callable | None = None,
        exact: bool | str = False,
        k: float = 2.0,
        c: float | None = None,
        scale: Any = None,
        working: Any = None,
        terms: int = 0,
        yardstick: Callable | None = None,
        tile: int | tuple[int, ...] | None = None,
        atomics: bool = False,
        repeats: int | None = None,
        names: tuple[str, ...] | str = (),
        outputs: tuple[str, ...] | str = (),
        **options: Any,
    ) -> None:
        """``entry(*args, **options)`` agrees with ``reference`` within rounding, keeps its contract and harms no memory.

        ``oracle`` is the reference in float64 (default: the reference itself on float64 copies; it must not round on the
        way). ``exact`` demands equal values, ``"bits"`` equal bytes. ``k``, ``c``, ``scale``, ``working`` and ``terms`` (0: the longest axis)
        set the bounds (``learning.judge.compare``): give ``scale``, a function of the float64 arguments, wherever sums can cancel: ``|A||B|``
        for a dot. ``tile`` names the owner of a wrong element. Options that ``reference`` does not name are passed to
        ``entry`` alone. ``repeats`` calls must agree bit for bit (10 on a GPU; two on the interpreter, one a poison)
        unless ``atomics`` allows float atomics. Arguments of a dtype that this device cannot grade are skipped and noted.
        Raises ``WrongAnswer``.
        """
        import torch

        tensors = [value for value in (*args, *options.values()) if is_tensor(value)]
        if not all(self.gradable(tensor.dtype) for tensor in tensors):
            return
        from learning.judge.compare import Bounds
        from learning.judge.parity import Case, Parity, runs

        bounds = Bounds(k=k, c=c, exact=exact, working=working or torch.float32, terms=terms)
        case = Case(reference, oracle, yardstick, bounds, scale, tile, atomics, repeats or runs(self.device),
                    _words(names), _words(outputs), traced=self.device == "interpreter",
                    others=self.device == "cuda" or not self._tried_others,
                    first=not self._tried_others)  # fmt: skip
        self.cases += 1
        judged = Parity(entry, args, options, case)
        with self._told():
            try:
                judged.decide()
            finally:
                self._tried_others |= judged.tried
                self._saw(judged.torch_calls)

    def structure(
        self,
        entry: Callable,
        *args: Any,
        reference: Callable,
        names: tuple[str, ...] | str = (),
        outputs: tuple[str, ...] | str = "out",
        **options: Any,
    ) -> Any:
        """One case, traced: a ``learning.judge.structure.Structure``, whose methods say what kernels may ask of memory.

        ``options`` are those of ``parity``, and of the entry. Counts only for an answer that keeps the house rules and is right on
        this case, else it raises their ``WrongAnswer``. On a GPU machine the case runs on CPU copies in a process beside.
        """
        from learning.judge import structure

        self.house_rules(entry_name(entry))
        self.cases += 1
        with self._told():
            return structure.of(self, entry, args, reference, _words(names), _words(outputs), options)

    def rejects(
        self,
        entry: Callable,
        *args: Any,
        names: str | tuple[str, ...] = (),
        limit: str = "",
        errors=None,
        **kwargs: Any,
    ) -> None:
        """``entry(*args, **kwargs)`` must raise one of ``errors`` (``TypeError``, ``ValueError``) and say why.

        The message must hold each word of ``names`` (the argument) and of ``limit`` (what it broke), in any case.
        """
        self.cases += 1
        called = self.called(entry, args, kwargs)
        types = errors or (TypeError, ValueError)
        wanted = " or ".join(e.__name__ for e in types)
        words = [*_words(names), *_words(limit)]
        promise = f"a {wanted}" + (f" that names {', '.join(words)}" if words else "")
        came = self._invoke(entry, args, kwargs)
        fault = came.fault
        if fault is None:
            self.fail("contract", called=called, got=value_text(came.value), expected=promise)
        if fault.kind != "raised" or fault.type not in {e.__name__ for e in types}:
            self.fail("contract", called=called, got=fault.sentence(), expected=promise)
        lacking = [word for word in words if word.lower() not in fault.message.lower()]
        if lacking:
            self.fail(
                "contract", called=called, got=f"{fault.type}: {fault.message}",
                expected=f"{promise}; the message lacks {', '.join(lacking)}",
            )  # fmt: skip

    def returns(self, entry: Callable, *args: Any, **kwargs: Any) -> Any:
        """What ``entry(*args, **kwargs)`` returned, as the judge's own copy; a fault or a broken guard band is a finding."""
        self.cases += 1
        came = self._invoke(entry, args, kwargs)
        called = self.called(entry, args, kwargs)
        if came.fault is not None:
            with self._told():
                raise LearnerFault(came.fault, called, fault_rule(came.fault))
        if came.guards:
            self.fail("memory", called=called, got=came.guards[0], expected="stores only inside what was allocated")
        return came.value

    def expect(
        self, condition: Any, *, called: str = "", got: Any = "", expected: Any = "", where: str = "", trap: int | None = None,
        advice: str = "",
    ) -> None:  # fmt: skip
        """Raise ``WrongAnswer`` with these words unless ``condition`` holds."""
        if not condition:
            got, expected = (v if isinstance(v, str) else value_text(v) for v in (got, expected))
            self.fail("wrong values", called=called, got=got, expected=expected, where=where, trap=trap, advice=advice)

    def close(
        self, got: Any, expected: Any, *, ulps: float | None = None, rel: float | None = None, abs: float = 0.0,
        called: str = "", where: str = "",
    ) -> None:  # fmt: skip
        """Doubles agree: within ``ulps`` units in the last place of ``expected``, or relatively within ``rel``, or ``abs``.

        Tuples are compared part by part. Infinities must be equal and NaN is never close; an ``int`` is not a ``float``
        and neither is a ``bool``.
        """
        problem = doubles.problem(got, expected, ulps=ulps, rel=rel, abs=abs)
        if problem:
            self.fail(
                "wrong values",
                called=called,
                got=value_text(got),
                expected=f"{value_text(expected)} {problem}",
                where=where,
            )

    def same(self, one: Any, other: Any, *, called: str = "", expected: str = "", where: str = "") -> None:
        """Two results are equal bit for bit (tensors, or plain values): for laws an answer must obey."""
        if not (is_tensor(one) and is_tensor(other)):
            if type(one) is tuple and type(other) is tuple and len(one) == len(other):
                for a, b in zip(one, other, strict=True):
                    self.same(a, b, called=called, expected=expected, where=where)
            elif type(one) is not type(other) or not doubles.identical(one, other):
                self.fail(
                    "law", called=called, got=value_text(one), expected=expected or value_text(other), where=where
                )
            return
        from learning.judge.compare import differ, places_text

        if one.dtype != other.dtype or one.shape != other.shape:
            self.fail("law", called=called, got=value_text(one), expected=value_text(other), where=where)
        unequal = differ(one, other)
        if unequal is not None:
            places = places_text(unequal)
            self.fail(
                "law", called=called, got="results whose bits differ", expected=expected or "equal bits",
                where=f"{where}: {places}" if where else places,
            )  # fmt: skip

    def interleaved(self, entry: Callable, args: tuple, other: tuple, **options: Any) -> None:
        """``entry(*args)`` gives the same bits where ``entry(*other)`` is called between its kernels (on a GPU on a second
        stream, each waiting for the other), and so does the call that comes between. ``options`` go to both."""
        from learning.judge import between

        with self._told():
            between.judge(self, entry, args, other, options)

    def house_rules(self, entry: Callable | str, *args: Any, forbidden: tuple[str, ...] = (), **kwargs: Any) -> None:
        """The learner's cells keep the printed rules, read from the syntax tree from ``entry`` on.

        ``forbidden`` names torch calls refused besides those that the card ``forbids`` ("contiguous"). Where ``args`` are given the entry is also
        called once, and the torch functions it was seen to call are held against the same list.
        """
        from learning.judge import rules

        name = entry if isinstance(entry, str) else entry_name(entry)
        seen = self.torch_calls | (self.setting.torch_calls or set())
        if args and not isinstance(entry, str):
            came = self._invoke(entry, args, kwargs)
            if came.fault is not None:
                with self._told():
                    raise LearnerFault(came.fault, self.called(entry, args, kwargs), fault_rule(came.fault))
            seen |= set(came.torch_calls)
        lesson = self._card()
        imports = lesson.imports if lesson is not None else rules.IMPORTS
        kernel = self.device != "cpu" and (lesson is None or lesson.kind == "gpu")
        forbidden = tuple(dict.fromkeys([*(lesson.forbids if lesson is not None else ()), *forbidden]))
        cells = self.setting.cells()
        told = sorted(seen, key=lambda call: (call.startswith("aten."), call))
        broken = rules.broken(cells, name, imports=imports, kernel=kernel, forbidden=forbidden, seen=told,
                              given=self.setting.setups, answers=self.setting.answers())  # fmt: skip
        self.cases += 1
        if broken:
            first = broken[0]
            others = f"; {len(broken) - 1} more below it" if len(broken) > 1 else ""
            self.fail(
                "house rule",
                called=name,
                got=first.got,
                expected=first.rule,
                where=first.where + others,
                advice=first.advice,
            )

    def award(self, fraction: float, why: str) -> None:
        """Lower the check's points to ``fraction`` (0 … 1) of what it has, saying ``why``; a later call can only lower it."""
        if not 0.0 <= fraction <= 1.0:
            raise ValueError(f"an award is a fraction between 0 and 1, not {fraction}")
        if fraction < self.awarded:
            self.awarded = fraction
            self.shortfall = Finding(rule="partly", got=why, case=self.label, seed=self.seed)

    def faster(
        self,
        entry: Callable,
        args: tuple,
        *,
        anchor: Callable | str | None = None,
        full: float = 1.25,
        half: float = 2.0,
        **kwargs,
    ):
        """``entry(*args)`` takes at most ``full`` × the anchor's time for all points, ``half`` × for half of them.

        The anchor is the lesson's own answer unless given; a name stands for that function of its answer or set-up cells. Counts only for an answer that keeps the house rules, else it raises
        their ``WrongAnswer``. A time that the lesson's ``work`` (``benchmark.py``) makes impossible, and one in which results
        were not computed, earn nothing. Raises ``NeedsDevice`` where there is no GPU
        or no anchor, and where the machine is too unsteady to decide, twice in a row.
        """
        from learning.judge import timed

        timed.decide(self, entry, args, kwargs, anchor=anchor, full=full, half=half)

    # ---- words and plumbing

    def called(self, entry: Callable, args: tuple, kwargs: dict | None = None) -> str:
        """The call as the learner could type it."""
        return call_text(entry_name(entry), args, kwargs or {}, parameter_names(entry))

    def fail(self, rule: str, **fields: Any) -> None:
        """Raise ``WrongAnswer`` for this case."""
        raise WrongAnswer(Finding(rule=rule, case=self.label, seed=self.seed, **fields))

    def remember(self, broken: BaseException) -> None:
        """Log the judge's own exception with its traceback: it is a fault to report, never the learner's."""
        log.error("check %s, case %r, seed %d broke", self.check.name, self.label, self.seed, exc_info=broken)

    @contextlib.contextmanager
    def _told(self):
        """Whatever finding leaves the block carries this case and its seed."""
        try:
            yield
        except WrongAnswer as wrong:
            wrong.finding.case, wrong.finding.seed = self.label, self.seed
            raise

    def _saw(self, torch_calls: Any) -> None:
        self.torch_calls.update(torch_calls)
        if self.setting.torch_calls is not None:
            self.setting.torch_calls.update(torch_calls)

    def _invoke(self, entry: Callable, args: tuple, kwargs: dict):
        from learning.judge import call
        from learning.judge.call import Called

        try:
            came = call.invoke(entry, args, kwargs, poison=0)
        except LearnerFault as fault:
            return Called(
                value=None,
                outputs=[],
                storages=[],
                guards=[],
                torch_calls=[],
                printed="",
                seconds=0.0,
                fault=fault.fault,
            )
        self._saw(came.torch_calls)
        return came

    def _inputs(self):
        from learning.judge import inputs

        if self._source is None:
            self._source = inputs.generator(self.seed)
        return inputs, self._source

    def _card(self):
        from learning import lesson

        try:
            return lesson.load(self.setting.lesson) if self.setting.lesson else None
        except lesson.UnknownLesson:
            return None

    def _is_plain_python(self) -> bool:
        card = self._card()
        return card is not None and card.kind == "cpu"


def _lens():
    from learning.lens import device

    return device.current()


def _refusal(device: str, dtype: Any) -> str | None:
    if device == "cpu":
        return None
    return _lens().refuses(dtype)


def _dtype(dtype: Any) -> dict:
    return {} if dtype is None else {"dtype": dtype}


def _words(text: str | tuple[str, ...]) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").split()) if isinstance(text, str) else tuple(text)
