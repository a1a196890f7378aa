"""How long an answer takes beside an anchor, by the judge's own clock: ABBA pairs of blocks, medians of log ratios.

The inputs are sent to each side's worker once and lie there in as many equal sets as defeat the L2 cache. Calls are
captured into a CUDA graph where both sides' can be, else made one by one. A block is one small request for so many calls,
timed around the whole exchange; the time of a call is (wall time of the block − what an empty exchange costs) / calls, and
the anchor's empty exchange is taken off both. What a worker claims about its own time decides nothing: how often it agrees
with the clock is told. At blocks chosen at random the values of some sets of inputs are moved about at the same addresses,
wholly, in part or not at all, the calls are captured anew, and within the block a window of each chosen set holds other
values until the set's last call. What that last call made is read back on both sides: what was not computed anew differs.

Standard library at module level.
"""

from __future__ import annotations

import gc
import math
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from learning.judge import samples
from learning.judge.finding import LearnerFault, fault_rule
from learning.judge.samples import Ratio

SLOW_CLOCK = 0.75
"""A clock below this share of the run's median makes the run doubtful (RIGOR: more than 25 % below)."""
UNEQUAL = 0.05
"""Relative L2 distance between the two sides' results above which the answer's were not computed from its inputs."""
PLACES = 4096
AUDITED = 3
"""Sets of inputs that one audit changes and reads back, where there are so many."""


@dataclass(frozen=True)
class Protocol:
    """How a comparison is made. A block's calls last at least ``block_seconds``; ``pairs`` blocks of each side, doubled up to
    ``most_pairs`` while the interval straddles a bar; after ``budget_seconds`` the pairs so far decide, from ``fewest_pairs``
    on; ``audits`` times the results are read back; at most ``most_captured`` calls in a graph, none with ``graph`` False."""

    block_seconds: float = 0.020
    pairs: int = 50
    most_pairs: int = 200
    fewest_pairs: int = 7
    budget_seconds: float = 12.0
    audits: int = 8
    most_captured: int = 512
    most_calls: int = 20_000
    graph: bool = True


@dataclass(frozen=True)
class Verdict:
    """``ratio`` answer/anchor (median), ``low`` and ``high`` its bootstrap 95 % interval, widened by what two
    processes differ by (``samples.PROCESSES``), seconds a call of both
    (medians), ``pairs`` measured and ``calls`` in a block.

    ``mode`` "graph" or "calls", ``why`` the latter; ``copies`` sets of inputs, ``cold`` whether they exceed 5 × L2;
    ``control`` the anchor against itself; ``graded`` the ratio that counts, where it is not the median; ``agreed`` of
    ``pairs`` answer blocks whose claimed time agrees with the clock; ``audits`` results read back; ``clock`` lowest, median
    and highest MHz and ``throttled`` why it was held down, where readable; ``doubt`` why the machine is not trusted, or "";
    ``torch_calls`` what the answer was seen to call of torch in calls whose time counts.
    """

    ratio: float
    low: float
    high: float
    answer_seconds: float
    anchor_seconds: float
    pairs: int
    calls: int
    mode: str = "calls"
    why: str = ""
    copies: int = 1
    cold: bool = False
    control: Ratio | None = None
    graded: float | None = None
    agreed: int = 0
    audits: int = 0
    clock: tuple[int, int, int] | None = None
    throttled: tuple[str, ...] = ()
    doubt: str = ""
    torch_calls: tuple[str, ...] = ()

    def sentence(self) -> str:
        """The measurement in one line."""
        how = "replayed from a CUDA graph" if self.mode == "graph" else f"wall time with the launch ({self.why})"
        if not self.why and self.mode != "graph":
            how = "wall time with the launch"
        inputs = f"{self.copies} sets of inputs in turn{', beyond the L2 cache' if self.cold else ''}"
        told = (
            f"{self.answer_seconds * 1e6:.1f} µs a call, the anchor {self.anchor_seconds * 1e6:.1f} µs: {self.ratio:.3f} × "
            f"its time, {Ratio(self.ratio, self.low, self.high).verdict} (95 % interval {self.low:.3f} to {self.high:.3f}; {self.pairs} pairs of {self.calls} calls, {how}, "
            f"{inputs}"
        )
        if self.control is not None:
            told += f"; the anchor against itself {self.control.text()}"
        told += f"; the worker's own times agree in {self.agreed} of {self.pairs} blocks"
        if self.clock is not None:
            told += f"; clock {self.clock[0]} to {self.clock[2]} MHz"
            told += f", held down: {', '.join(self.throttled)}" if self.throttled else ""
        return told + ")"

    def points(self, *, full: float, half: float) -> tuple[float, str]:
        """(1.0, 0.5 or 0.0, why): at most ``full`` × the anchor's time earns all, at most ``half`` × half."""
        counts = self.ratio if self.graded is None else self.graded
        told = f"{counts:.2f} × the anchor's time"
        if self.graded is not None:
            told += " (the 90th percentile: its times scatter over 3 × as widely as the anchor's)"
        if counts <= full:
            return 1.0, told
        if counts <= half:
            return 0.5, f"{told}; all points up to {full:g} ×"
        return 0.0, told

    def impossible(self, roof: Any) -> bool:
        """Whether the answer's time lies under 0.9 × the floor of ``roof`` while the anchor's does not."""
        return self.cold and roof.impossible(self.answer_seconds) and not roof.impossible(self.anchor_seconds)


class NotComputed(Exception):
    """What a timed block returned was not computed from the inputs it was given; the message says how far off it is."""


@dataclass
class Pairs:
    """Blocks in the order they were measured: seconds a call of the answer (``ours``) and the anchor (``theirs``), whether
    the claims agreed, the clocks seen."""

    ours: list[float] = field(default_factory=list)
    theirs: list[float] = field(default_factory=list)
    agreed: int = 0
    clocks: list[Any] = field(default_factory=list)

    def doubt(self, control: Ratio | None) -> str:
        """Why this machine is not to be trusted now, or ""."""
        if control is not None and not control.steady:
            return f"the anchor against itself reads {control.text()}, wider than {samples.STEADY:g} ×"
        speeds = [clock.mhz for clock in self.clocks]
        if speeds and min(speeds) < SLOW_CLOCK * statistics.median(speeds):
            return f"the GPU's clock fell to {min(speeds)} MHz, its median is {statistics.median(speeds):.0f}"
        return ""


def compare(
    answer: Callable,
    anchor: Callable,
    args: tuple,
    kwargs: dict,
    *,
    bars: tuple[float, ...] = (),
    protocol: Protocol | None = None,
) -> Verdict:
    """Time ``answer(*args, **kwargs)`` and ``anchor(*args, **kwargs)`` in interleaved blocks.

    Both are warmed up first (compilation, autotuning, allocator). The order alternates ABBA, so that a drift of the clock
    falls on both alike. While the interval holds one of ``bars`` the pairs are doubled. Raises ``LearnerFault`` where the
    answer faults, ``NotComputed`` where its timed results are not its inputs', ``RuntimeError`` where the anchor fails.
    """
    from learning.lens import nvml

    collecting = gc.isenabled()
    with nvml.Watch() as watch:
        duel = Duel(answer, anchor, args, kwargs, protocol or Protocol())
        gc.disable()
        try:
            return duel.fight(bars, watch.look)
        finally:
            if collecting:
                gc.enable()


class Duel:
    """Two held functions, ready to be timed block by block."""

    def __init__(self, answer: Callable, anchor: Callable, args: tuple, kwargs: dict, protocol: Protocol):
        from learning.judge import call

        self.protocol, self.source = protocol, random.SystemRandom()
        self.copies, self.cold = _rotation(args, kwargs)
        self.ours = Side(call.hold(answer, args, kwargs, self.copies), _learners)
        self.theirs = Side(call.hold(anchor, args, kwargs, self.copies), _our_own)
        for side in (self.ours, self.theirs, self.ours, self.theirs):
            side.wall(2)
        self.captured, self.why = self._capture()
        self.exchange = statistics.median(self.theirs.wall(0)[0] for _ in range(5))
        self.units = self._units()
        self.calls = self.units * (self.captured or 1)

    def _capture(self) -> tuple[int, str]:
        """Calls captured on both sides, or 0 and why there is no graph."""
        protocol = self.protocol
        if not protocol.graph:
            return 0, ""
        one = max(1e-7, (self.theirs.wall(8)[0] - self.theirs.wall(0)[0]) / 8)
        calls = min(protocol.most_captured, max(self.copies, math.ceil(protocol.block_seconds / one)))
        for side, who in ((self.theirs, "the anchor"), (self.ours, "the answer")):
            reason = side.capture(calls)
            if reason:
                self.theirs.capture(0)
                return 0, reason if "no GPU" in reason else f"{who} cannot be captured: {reason}"
        return calls, ""

    def _units(self) -> int:
        """How many replays, or calls, make a block of the anchor last ``block_seconds``."""
        wanted, units = self.protocol.block_seconds, 1 if self.captured else 2  # an audit needs a call before the last
        while units < self.protocol.most_calls:
            spent = min(self.theirs.wall(units)[0] for _ in range(2)) - self.exchange
            if spent >= wanted:
                return units
            growth = wanted / spent * 1.2 if spent > 0 else 4.0
            units = min(self.protocol.most_calls, max(units + 1, math.ceil(units * min(growth, 8.0))))
        return units

    def block(self, side: Side) -> tuple[float, bool]:
        """Seconds a call by the judge's clock, and whether what the worker claims agrees.

        An empty exchange comes first, untimed: it wakes the worker, and turns the GPU from the other side's context to its own."""
        side.wall(0)
        wall, claimed = side.wall(self.units)
        spent = max(wall - self.exchange, 1e-9)
        return spent / self.calls, samples.agrees(spent, claimed)

    def fight(self, bars: tuple[float, ...], look: Callable[[], Any]) -> Verdict:
        """Measure until the bars are decided or the protocol's limits are reached."""
        protocol, pairs, started = self.protocol, Pairs(), time.perf_counter()
        audited = set(self.source.sample(range(protocol.pairs), min(protocol.audits, protocol.pairs)))
        wanted, audits = protocol.pairs, 0

        def late() -> bool:
            return len(pairs.ours) >= protocol.fewest_pairs and time.perf_counter() - started > protocol.budget_seconds

        while True:
            while len(pairs.ours) < wanted and not late():
                audit = self._stir() if len(pairs.ours) in audited else None
                self._pair(pairs)
                seen = look()
                pairs.clocks += [seen] if seen is not None else []
                if audit is not None:
                    self._read_back(audit)
                    audits += 1
            if audits == 0 and protocol.audits:  # the pairs ended before their turn came
                audit = self._stir()
                self._pair(pairs)
                self._read_back(audit)
                audits = 1
            found = samples.paired(pairs.ours, pairs.theirs).across_processes()
            if not any(found.straddles(bar) for bar in bars) or wanted >= protocol.most_pairs or late():
                return self._verdict(found, pairs, audits)
            wanted = min(2 * wanted, protocol.most_pairs)

    def _pair(self, pairs: Pairs) -> None:
        if len(pairs.ours) % 2 == 0:
            mine, agreed = self.block(self.ours)
            theirs, _ = self.block(self.theirs)
        else:
            theirs, _ = self.block(self.theirs)
            mine, agreed = self.block(self.ours)
        pairs.ours.append(mine)
        pairs.theirs.append(theirs)
        pairs.agreed += agreed

    def _stir(self) -> tuple[list[int], float]:
        """Change some sets' values on both sides alike; returns which, and where in a tensor they change during a run."""
        chosen = self.source.sample(range(min(self.copies, self.calls)), min(AUDITED, self.copies, self.calls))
        shift, at = self.source.randrange(1 << 30), self.source.random()
        share = self.source.choice((0.0, 1.0, 2.0 ** -self.source.uniform(2, 8)))
        for side in (self.ours, self.theirs):
            side.asked(side.handle.stir(chosen[0], shift, share))
        for side in (self.ours, self.theirs):  # after both: in one process they may hold the same tensors
            side.asked(side.handle.mark(chosen, at))
        extra = self.source.randrange(1, 32)  # so that a pattern kept by counting calls ends elsewhere in every audit
        if not self.captured:
            self.ours.wall(extra)
        elif reason := self.theirs.capture(self.captured):
            raise RuntimeError(f"the anchor's calls can no longer be captured into a graph: {reason}")
        elif reason := self.ours.capture(self.captured, extra):
            raise NotComputed(f"its calls can no longer be captured into a graph: {reason}")
        return chosen, at

    def _read_back(self, audit: tuple[list[int], float]) -> None:
        chosen, at = audit
        for copy in chosen:
            places = [self.source.randrange(1 << 62) for _ in range(PLACES)]
            mine = self.ours.asked(self.ours.handle.show(copy, places, at))
            truth = self.theirs.asked(self.theirs.handle.show(copy, places, at))
            problem = unlike(mine, truth)
            if problem:
                raise NotComputed(problem)

    def _verdict(self, found: Ratio, pairs: Pairs, audits: int) -> Verdict:
        control = samples.control(pairs.theirs) if len(pairs.theirs) >= 4 else None
        counts, wild = samples.graded(pairs.ours, pairs.theirs, found)
        speeds = sorted(clock.mhz for clock in pairs.clocks)
        reasons = dict.fromkeys(name for clock in pairs.clocks for name in clock.reasons if name != "idle")
        return Verdict(
            ratio=found.ratio,
            low=found.low,
            high=found.high,
            answer_seconds=statistics.median(pairs.ours),
            anchor_seconds=statistics.median(pairs.theirs),
            pairs=len(pairs.ours),
            calls=self.calls,
            mode="graph" if self.captured else "calls",
            why=self.why,
            copies=self.copies,
            cold=self.cold,
            control=control,
            graded=counts if wild else None,
            agreed=pairs.agreed,
            audits=audits,
            clock=(speeds[0], int(statistics.median(speeds)), speeds[-1]) if speeds else None,
            throttled=tuple(reasons),
            doubt=pairs.doubt(control),
            torch_calls=tuple(self.ours.torch_calls),
        )


class Side:
    """One side's handle, and what to raise where it faults."""

    def __init__(self, handle: Any, faulted: Callable[[Any], Exception]):
        self.handle, self.faulted = handle, faulted
        self.torch_calls: dict[str, None] = {}

    def wall(self, units: int) -> tuple[float, float]:
        """(seconds on the judge's clock for one exchange that makes ``units`` calls or replays, seconds claimed)."""
        started = time.perf_counter()
        came = self.handle(units)
        seconds = time.perf_counter() - started
        self.asked(came)
        return seconds, came.claimed

    def capture(self, calls: int, before: int = 0) -> str:
        """Why ``calls`` calls cannot be captured, after ``before`` plain ones; "" where they were."""
        value = self.asked(self.handle.capture(calls, before))
        return value if isinstance(value, str) else "it did not say whether it was captured"

    def asked(self, came: Any) -> Any:
        """The value of an exchange; raises for a fault."""
        if came.fault is not None:
            raise self.faulted(came.fault)
        self.torch_calls |= dict.fromkeys(came.torch_calls)
        return came.value


def _learners(fault: Any) -> Exception:
    return LearnerFault(fault, rule=fault_rule(fault))


def _our_own(fault: Any) -> Exception:
    return RuntimeError(f"the anchor, our own answer, failed while it was timed: {fault.sentence()}")


def _rotation(args: tuple, kwargs: dict) -> tuple[int, bool]:
    """Sets of inputs, and whether they exceed 5 × L2; one where nothing is a tensor, so that torch is not needed."""
    import sys

    if "torch" not in sys.modules:
        return 1, False
    from learning.judge.held import rotation

    return rotation(args, kwargs)


def unlike(mine: Any, truth: Any) -> str:
    """How an audited result differs from the anchor's, "" where it does not: both as ``Held.show`` lists them.

    Values are compared as a whole (relative L2 distance up to 5 %): this asks whether they were computed at all; that they
    are right within rounding is decided by the parity checks.
    """
    if truth is None:  # the anchor returns no tensors: there is nothing to hold the answer's against
        return ""
    if not isinstance(mine, list) or len(mine) != len(truth):
        return "it did not return the tensors it returned before"
    for number, (got, wanted) in enumerate(zip(mine, truth, strict=True)):
        try:
            if not isinstance(got, list):
                raise TypeError(got)
            (dtype, shape, *values), (true_dtype, true_shape, *true_values) = got, wanted
            if [dtype, shape] != [true_dtype, true_shape]:
                return f"result {number} is {dtype} {shape}, not {true_dtype} {true_shape}"
            for read, truly in zip(values, true_values, strict=True):
                a, b = read.double().cpu(), truly.double().cpu()
                if a.shape != b.shape:
                    return f"result {number} came without its values"
                distance, size = float((a - b).norm()), float(b.norm())
                if not distance <= UNEQUAL * size and not distance == size == 0.0:
                    wrong = int((~((a - b).abs() <= UNEQUAL * b.abs().clamp(min=1e-30))).sum())
                    return f"{wrong} of {a.numel()} values that were read back are not those of the inputs"
        except (ValueError, TypeError, AttributeError, RuntimeError):
            return f"result {number} is no tensor"
    return ""
