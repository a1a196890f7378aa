"""What paired times say: medians of log ratios, their bootstrap interval, the verdict; and shares with their interval.

Pure functions of numbers. Standard library only.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

BOOTSTRAP = 2_000
FASTER, AS_FAST, SLOWER, CANNOT_TELL = "faster", "as fast", "slower", "cannot tell"
EQUAL = 1.02
"""Two times are called equal where the whole interval of their ratio lies within this factor of 1."""
PROCESSES = 1.01
"""Two processes that run the same code differ by up to this factor, each at a ratio of its own that repeating does not average
away: where their memory lies, which core answers (A/A on an H200, benchmarks/results/timing-protocol.json; the kind of
bias is Mytkowicz et al. 2009, "Producing wrong data without doing anything obviously wrong"). Intervals of two
processes' times are widened by it."""
WILD = 3.0
"""Where the answer's times scatter this many times as widely as the anchor's, its 90th percentile counts (RIGOR)."""
AGREES_SHARE, AGREES_SECONDS = 0.10, 50e-6
"""A claim agrees with the judge's clock within this share of it and this many seconds more (RIGOR)."""
STEADY = 1.05
"""An A/A control whose interval reaches beyond this factor makes the machine doubtful (RIGOR)."""


@dataclass(frozen=True)
class Ratio:
    """A ratio of paired times: the median, and the 95 % bootstrap interval of that median."""

    ratio: float
    low: float
    high: float

    def straddles(self, bar: float) -> bool:
        """Whether ``bar`` lies strictly inside the interval, so that the samples do not decide it."""
        return self.low < bar < self.high

    def against(self, bar: float) -> str:
        """``AS_FAST`` where the whole interval lies at or below ``bar``, ``SLOWER`` where it lies above, else ``CANNOT_TELL``."""
        if self.high <= bar:
            return AS_FAST
        return SLOWER if self.low > bar else CANNOT_TELL

    @property
    def verdict(self) -> str:
        """How the first side compares with the second: ``AS_FAST`` within 2 %, ``FASTER`` or ``SLOWER`` where the interval
        lies on one side of 1, else ``CANNOT_TELL``."""
        if self.low >= 1 / EQUAL and self.high <= EQUAL:
            return AS_FAST
        if self.high < 1:
            return FASTER
        return SLOWER if self.low > 1 else CANNOT_TELL

    @property
    def steady(self) -> bool:
        """Whether an A/A control with this interval speaks for the machine."""
        return self.high <= STEADY and self.low >= 1 / STEADY

    def across_processes(self) -> Ratio:
        """The same ratio, its interval wider by what two processes that run the same code differ by."""
        return Ratio(self.ratio, self.low / PROCESSES, self.high * PROCESSES)

    def text(self) -> str:
        """ "1.013 × (1.010 to 1.017)"."""
        return f"{self.ratio:.3f} × ({self.low:.3f} to {self.high:.3f})"


def paired(ours: Sequence[float], theirs: Sequence[float]) -> Ratio:
    """The ratio of two equally long lists of positive times, pair by pair; the resampling is seeded, so the same times give
    the same interval. Raises ``ValueError`` for lists that are empty, unequal, or hold anything but positive numbers."""
    if len(ours) != len(theirs) or not ours:
        raise ValueError(f"pairs need as many times on either side, and at least one: {len(ours)} and {len(theirs)}")
    if not all(t > 0 and math.isfinite(t) for t in (*ours, *theirs)):
        raise ValueError("times must be positive and finite")
    return _interval([math.log(a) - math.log(b) for a, b in zip(ours, theirs, strict=True)])


def control(theirs: Sequence[float]) -> Ratio:
    """The A/A control that lies in ABBA blocks: the anchor's neighbouring blocks (0 and 1, 2 and 3, …) as ratios.

    Raises ``ValueError`` for fewer than two times."""
    if len(theirs) < 2:
        raise ValueError("a control needs two blocks at least")
    even = len(theirs) // 2 * 2
    return paired(theirs[1:even:2], theirs[0:even:2])


def _interval(logs: list[float]) -> Ratio:
    """Percentile bootstrap (Efron & Tibshirani 1993, ch. 13) of the median of ``logs``, as factors."""
    choose, count, half = random.Random(0).choices, len(logs), len(logs) // 2
    drawn = (sorted(choose(logs, k=count)) for _ in range(BOOTSTRAP))
    medians = sorted(one[half] if count % 2 else (one[half - 1] + one[half]) / 2 for one in drawn)
    found = statistics.median(logs)
    low, high = medians[int(0.025 * BOOTSTRAP)], medians[int(0.975 * BOOTSTRAP) - 1]
    return Ratio(math.exp(found), math.exp(min(low, found)), math.exp(max(high, found)))


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which ``share`` of ``values`` lie, interpolated. ``ValueError`` for none, or a share outside 0 … 1."""
    if not values or not 0.0 <= share <= 1.0:
        raise ValueError("a quantile needs values, and a share between 0 and 1")
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def scatter(values: Sequence[float]) -> float:
    """How widely times scatter: the natural log of their 90th percentile over their 10th; 0 where all are equal."""
    return math.log(quantile(values, 0.9) / quantile(values, 0.1))


def graded(ours: Sequence[float], theirs: Sequence[float], found: Ratio) -> tuple[float, bool]:
    """The ratio that is graded, and whether it is not the median's: where the answer scatters more than 3 × as widely as the
    anchor, its 90th percentile over the anchor's median counts, so noise of one's own making earns nothing."""
    if scatter(ours) > WILD * scatter(theirs):
        wild = quantile(ours, 0.9) / statistics.median(theirs)
        if wild > found.ratio:
            return wild, True
    return found.ratio, False


def agrees(wall: float, claimed: float) -> bool:
    """Whether a claimed time (seconds) agrees with the clock: within 10 % and 50 µs. What is no finite number never does."""
    return math.isfinite(claimed) and abs(wall - claimed) <= AGREES_SHARE * wall + AGREES_SECONDS


@dataclass(frozen=True)
class Share:
    """``k`` of ``n``, with the 95 % interval of the share."""

    k: int
    n: int
    low: float
    high: float

    def text(self) -> str:
        """ "191 of 200 (95 %: 0.915 to 0.977)"."""
        return f"{self.k} of {self.n} (95 %: {self.low:.3f} to {self.high:.3f})"


def share(k: int, n: int) -> Share:
    """``k`` of ``n`` with Wilson's 95 % score interval (Wilson 1927). ``ValueError`` unless 0 ≤ k ≤ n and n ≥ 1."""
    if n < 1 or not 0 <= k <= n:
        raise ValueError(f"{k} of {n} is no share")
    z = 1.959963984540054
    p, spread = k / n, z * z / n
    centre = (p + spread / 2) / (1 + spread)
    half = z / (1 + spread) * math.sqrt(p * (1 - p) / n + spread / (4 * n))
    return Share(k, n, 0.0 if k == 0 else max(0.0, centre - half), 1.0 if k == n else min(1.0, centre + half))
