"""Paired timing: equal functions cannot be told apart, slower ones are, drift and noise fall on both sides."""

from __future__ import annotations

import gc
import math
import random

import pytest

from learning.judge import timing
from learning.judge.finding import LearnerFault


class Clock:
    """A clock that only work moves: ``takes(µs)`` makes a function that costs so much, a crossing costs 300 µs more."""

    def __init__(self):
        self.now, self.source = 0.0, random.Random(0)

    def perf_counter(self):
        self.now += 150e-6
        return self.now

    def takes(self, microseconds):
        def work(x):
            self.now += microseconds * 1e-6 * self.source.uniform(0.98, 1.02)

        return work


@pytest.fixture
def clock(monkeypatch):
    made = Clock()
    monkeypatch.setattr(timing, "time", made)
    return made


def samples(source, count, ratio, drift=0.0, noise=0.01):
    """``count`` pairs of seconds where both sides drift together."""
    ours, theirs = [], []
    for number in range(count):
        level = 1e-4 * (1 + drift * math.sin(number / 5))
        theirs.append(level * math.exp(source.gauss(0, noise)))
        ours.append(ratio * level * math.exp(source.gauss(0, noise)))
    return ours, theirs


@pytest.mark.parametrize("ratio", [0.5, 1.0, 1.3, 2.5])
def test_a_drifting_clock_does_not_move_the_ratio(ratio):
    verdict = timing.judged(*samples(random.Random(1), 50, ratio, drift=0.2))
    assert verdict.ratio == pytest.approx(ratio, rel=0.01) and verdict.low <= verdict.ratio <= verdict.high


def test_the_interval_holds_the_true_ratio_as_often_as_it_says():
    source = random.Random(2)
    hits = sum(v.low <= 1.1 <= v.high for v in (timing.judged(*samples(source, 25, 1.1)) for _ in range(120)))
    assert hits >= 105  # 95 % of 120 is 114; fewer than 105 has a chance below one in ten thousand


def test_one_wild_pair_in_ten_changes_nothing():
    ours, theirs = samples(random.Random(3), 50, 1.0)
    ours[::10] = [t * 40 for t in ours[::10]]
    assert timing.judged(ours, theirs).ratio == pytest.approx(1.0, rel=0.02)


@pytest.mark.parametrize(
    ("ratio", "fraction"), [(0.4, 1.0), (1.0, 1.0), (1.25, 1.0), (1.26, 0.5), (2.0, 0.5), (2.01, 0.0), (30, 0.0)]
)
def test_points_follow_the_bars(ratio, fraction):
    verdict = timing.Verdict(ratio, ratio, ratio, 1e-5, 1e-5, 15, 100)
    assert verdict.points(full=1.25, half=2.0)[0] == fraction


@pytest.mark.parametrize(("ours", "theirs"), [(300, 100), (100, 100), (2, 8), (5000, 4000)])
def test_the_crossing_to_the_worker_is_taken_out(clock, ours, theirs):
    verdict = timing.compare(clock.takes(ours), clock.takes(theirs), (1,), {})
    assert verdict.ratio == pytest.approx(ours / theirs, rel=0.02)
    assert verdict.answer_seconds == pytest.approx(ours * 1e-6, rel=0.05)
    assert verdict.low <= verdict.ratio <= verdict.high and "95 % interval" in verdict.sentence()


def test_dawdling_in_lone_calls_gains_nothing(clock):
    """An answer that tells a block's first call by the pause before it, and makes that call slow."""
    last = [0.0]

    def dawdles(x):
        clock.now += 5e-3 if clock.now - last[0] > 100e-6 else 90e-6
        last[0] = clock.now

    verdict = timing.compare(dawdles, clock.takes(100), (1,), {})
    assert verdict.ratio > 0.9


@pytest.mark.parametrize("microseconds", [3, 50, 9000])
def test_a_block_lasts_20_ms(clock, microseconds):
    verdict = timing.compare(clock.takes(microseconds), clock.takes(microseconds), (1,), {})
    assert 0.018 <= (verdict.calls - 1) * microseconds * 1e-6 <= 0.06


def test_an_interval_that_holds_a_bar_asks_for_more_pairs(clock):
    sure = timing.compare(clock.takes(100), clock.takes(100), (1,), {}, bars=(1.25, 2.0))
    unsure = timing.compare(clock.takes(125), clock.takes(100), (1,), {}, bars=(1.25, 2.0))
    assert sure.pairs == timing.PAIRS and unsure.pairs == timing.MOST_PAIRS


def test_slow_crossings_stop_at_the_budget(clock):
    verdict = timing.compare(clock.takes(2e6), clock.takes(2e6), (1,), {})
    assert verdict.pairs == timing.FEWEST_PAIRS


def test_the_collector_is_off_while_timing_and_on_again_after(clock):
    seen = set()

    def looks(x):
        seen.add(gc.isenabled())
        clock.now += 1e-3

    timing.compare(looks, looks, (1,), {})
    assert False in seen and gc.isenabled()


def test_real_functions_are_timed_by_the_real_clock():
    verdict = timing.compare(lambda x: sum(range(40_000)), lambda x: sum(range(400)), (1,), {})
    assert verdict.ratio > 5


def test_a_fault_while_timing_is_the_learners():
    with pytest.raises(LearnerFault, match="ZeroDivisionError"):
        timing.compare(lambda x: x / 0, lambda x: x, (1,), {})
