"""How long an answer takes beside an anchor, by the judge's own clock: ABBA pairs, medians of log ratios.

The inputs are sent to each side's worker once and held there. A block is one small request for n calls, timed around the
whole exchange; the time of a call is (wall time of the block − what an exchange costs) / n. What an exchange costs is read
off the anchor alone, for both: an answer whose lone calls dawdle gains nothing. Times that the worker claims are never read. This is the first form of the
timing protocol: wall time of calls, launches included, caches warm. Both sides are timed alike.
"""

from __future__ import annotations

import gc
import math
import random
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

from learning.judge.finding import LearnerFault, fault_rule

BLOCK_SECONDS = 0.020
"""A block's calls take at least this long: the clock and a scheduler's hiccup weigh little against it."""

MOST_CALLS = 20_000
PAIRS = 15
MOST_PAIRS = 60
FEWEST_PAIRS = 7
BUDGET_SECONDS = 8.0
"""After this long the pairs measured so far decide, from ``FEWEST_PAIRS`` on: an answer may be very slow."""

BOOTSTRAP = 2_000


@dataclass(frozen=True)
class Verdict:
    """``ratio`` answer/anchor (median), ``low`` and ``high`` its bootstrap 95 % interval, seconds a call of both
    (medians), ``pairs`` measured and ``calls`` in a block."""

    ratio: float
    low: float
    high: float
    answer_seconds: float
    anchor_seconds: float
    pairs: int
    calls: int

    def sentence(self) -> str:
        """The measurement in one line."""
        return (
            f"{self.answer_seconds * 1e6:.1f} µs a call, the anchor {self.anchor_seconds * 1e6:.1f} µs: {self.ratio:.3f} × "
            f"its time (95 % interval {self.low:.3f} to {self.high:.3f}; {self.pairs} pairs of {self.calls} calls, wall "
            "time with the launch)"
        )

    def points(self, *, full: float, half: float) -> tuple[float, str]:
        """(1.0, 0.5 or 0.0, why): at most ``full`` × the anchor's time earns all, at most ``half`` × half."""
        told = f"{self.ratio:.2f} × the anchor's time"
        if self.ratio <= full:
            return 1.0, told
        if self.ratio <= half:
            return 0.5, f"{told}; all points up to {full:g} ×"
        return 0.0, told


def compare(answer: Callable, anchor: Callable, args: tuple, kwargs: dict, *, bars: tuple[float, ...] = ()) -> Verdict:
    """Time ``answer(*args, **kwargs)`` and ``anchor(*args, **kwargs)`` in interleaved blocks.

    Both are warmed up first (compilation, autotuning, allocator). ``n`` is set so that an anchor's block takes at least
    20 ms. Order alternates ABBA, so that a drift of the clock falls on both alike. While the interval holds one of
    ``bars`` the pairs are doubled, up to 60 and within 8 s; then the median decides. Raises ``LearnerFault`` where a call faults.
    """
    from learning.judge import call

    runs = {id(side): call.hold(side, args, kwargs) for side in (answer, anchor)}
    for side in (answer, anchor, answer, anchor):
        _wall(runs[id(side)], 2)
    calls = _calls(runs[id(anchor)])
    exchange = _exchange(runs[id(anchor)], calls)

    def block(side: Callable) -> float:
        return max(_wall(runs[id(side)], calls) - exchange, 1e-9) / calls

    ours: list[float] = []
    theirs: list[float] = []
    collecting = gc.isenabled()
    gc.disable()
    try:
        wanted, started = PAIRS, time.perf_counter()

        def late() -> bool:
            return len(ours) >= FEWEST_PAIRS and time.perf_counter() - started > BUDGET_SECONDS

        while True:
            while len(ours) < wanted and not late():
                first, second = (answer, anchor) if len(ours) % 2 == 0 else (anchor, answer)
                times = {id(first): block(first)}
                times[id(second)] = block(second)
                ours.append(times[id(answer)])
                theirs.append(times[id(anchor)])
            verdict = judged(ours, theirs, calls)
            straddles = any(verdict.low < bar < verdict.high for bar in bars)
            if not straddles or wanted >= MOST_PAIRS or late():
                return verdict
            wanted = min(2 * wanted, MOST_PAIRS)
    finally:
        if collecting:
            gc.enable()


def judged(ours: list[float], theirs: list[float], calls: int = 1) -> Verdict:
    """The verdict of paired seconds: median of log ratios, percentile bootstrap (seeded: the same samples, the same
    interval)."""
    logs = [math.log(a / b) for a, b in zip(ours, theirs, strict=True)]
    source = random.Random(0)
    medians = sorted(statistics.median(source.choices(logs, k=len(logs))) for _ in range(BOOTSTRAP))
    low, high = medians[int(0.025 * BOOTSTRAP)], medians[int(0.975 * BOOTSTRAP) - 1]
    return Verdict(
        ratio=math.exp(statistics.median(logs)),
        low=math.exp(low),
        high=math.exp(high),
        answer_seconds=statistics.median(ours),
        anchor_seconds=statistics.median(theirs),
        pairs=len(logs),
        calls=calls,
    )


def _calls(run: Callable) -> int:
    """How many calls make a block last 20 ms beyond what one call with its exchange takes."""
    single = min(_wall(run, 1) for _ in range(3))
    calls = 2
    while calls < MOST_CALLS:
        spent = _wall(run, calls) - single
        if spent >= BLOCK_SECONDS:
            return calls
        growth = BLOCK_SECONDS / spent * 1.2 if spent > 0 else 4.0
        calls = min(MOST_CALLS, max(calls + 1, math.ceil(calls * min(growth, 8.0))))
    return calls


def _exchange(anchor: Callable, calls: int) -> float:
    """Seconds of an exchange beside its calls: a block of one call less the slope between one and ``calls`` calls."""
    single = statistics.median(_wall(anchor, 1) for _ in range(5))
    slope = (statistics.median(_wall(anchor, calls) for _ in range(3)) - single) / (calls - 1)
    return max(0.0, single - max(0.0, slope))


def _wall(run: Callable, calls: int) -> float:
    """Seconds on the judge's clock for one exchange that makes ``calls`` calls."""
    started = time.perf_counter()
    came = run(calls)
    seconds = time.perf_counter() - started
    if came.fault is not None:
        raise LearnerFault(came.fault, rule=fault_rule(came.fault))
    return seconds
