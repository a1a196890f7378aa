"""Paired timing: equal functions cannot be told apart, slower ones are, drift and noise fall on both sides."""

from __future__ import annotations

import gc
import random

import pytest
import torch

from learning.judge import timing
from learning.judge.finding import LearnerFault
from learning.lens import nvml, roofline

QUICK = timing.Protocol(block_seconds=0.002, pairs=10)
OFTEN = timing.Protocol(block_seconds=0.001, pairs=30, audits=30)


class Clock:
    """A clock that only work moves: ``takes(µs)`` makes a function that costs so much, a crossing costs 150 µs more."""

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
    assert sure.pairs == timing.Protocol().pairs and unsure.pairs == timing.Protocol().most_pairs


def test_slow_crossings_stop_at_the_budget(clock):
    verdict = timing.compare(clock.takes(2e6), clock.takes(2e6), (1,), {})
    assert verdict.pairs <= timing.Protocol().fewest_pairs + 1  # one more where no audit had its turn yet


def test_the_collector_is_off_while_timing_and_on_again_after(clock):
    seen = set()

    def looks(x):
        seen.add(gc.isenabled())
        clock.now += 1e-3

    timing.compare(looks, looks, (1,), {})
    assert False in seen and gc.isenabled()


def test_real_functions_are_timed_by_the_real_clock():
    verdict = timing.compare(lambda x: sum(range(8_000)), lambda x: sum(range(400)), (1,), {}, protocol=QUICK)
    assert verdict.ratio > 5


def test_a_fault_while_timing_is_the_learners():
    with pytest.raises(LearnerFault, match="ZeroDivisionError"):
        timing.compare(lambda x: x / 0, lambda x: x, (1,), {})


def test_a_fault_of_the_anchor_is_not_the_learners():
    with pytest.raises(RuntimeError, match=r"our own answer.*ZeroDivisionError"):
        timing.compare(lambda x: x, lambda x: x / 0, (1,), {})


def test_noise_of_its_own_making_earns_by_its_90th_percentile(clock):
    """Three calls in ten blocks are fast by design: the median says 1.0, the points say 2.4."""

    def moody(x):
        clock.now += 100e-6 if int(clock.now / 0.05) % 10 < 7 else 240e-6

    verdict = timing.compare(moody, clock.takes(100), (1,), {}, bars=(1.25, 2.0))
    assert verdict.ratio < 1.1 and verdict.graded > 2.0
    assert verdict.points(full=1.25, half=2.0)[0] == 0.0 and "scatter" in verdict.points(full=1.25, half=2.0)[1]


def test_an_unsteady_machine_is_doubted(clock):
    """A machine that slows down every other block: nobody can tell two equal functions apart on it."""
    steps = [0]

    def work(x):
        steps[0] += 1
        clock.now += (
            100e-6 * (1.0 if clock.source.random() < 0.5 else 4.0) if steps[0] % 200 else 30e-3 * clock.source.random()
        )

    verdict = timing.compare(work, work, (1,), {})
    assert not verdict.control.steady and "anchor against itself" in verdict.doubt


def test_a_clock_that_fell_is_doubted():
    pairs = timing.Pairs(clocks=[nvml.Clock(1980)] * 20 + [nvml.Clock(1200, ("power cap",))])
    assert "1200 MHz" in pairs.doubt(None)
    assert timing.Pairs(clocks=[nvml.Clock(1980), nvml.Clock(1700)]).doubt(None) == ""


def cold(answer, anchor):
    return timing.Verdict(1.0, 1.0, 1.0, answer, anchor, 50, 100, mode="graph", copies=9, cold=True)


def test_a_time_below_the_floor_is_impossible_unless_the_anchor_has_it_too():
    roof = roofline.roof(roofline.Work(268.4e6), "h200")  # 63.3 µs
    assert cold(20e-6, 70e-6).impossible(roof) and not cold(60e-6, 70e-6).impossible(roof)
    assert not cold(20e-6, 21e-6).impossible(roof), "then the floor is wrong here, not the answer"
    warm = timing.Verdict(1.0, 1.0, 1.0, 20e-6, 70e-6, 50, 100)
    assert not warm.impossible(roof), "inputs that stay in L2 may beat memory"


def test_a_matmul_may_run_faster_than_the_day_it_was_measured_but_not_than_its_data_sheet():
    roof = roofline.roof(roofline.Work(100e6, flops=2 * 4096**3, tensor_cores=True), "h200")
    assert not roof.impossible(160e-6) and roof.impossible(120e-6)


ONES = [["torch.float32", [4], torch.ones(4)]]


@pytest.mark.parametrize(
    ("mine", "words"),
    [
        (None, "did not return"),
        ([], "did not return"),
        ([["torch.float16", [4], torch.ones(4)]], "not torch.float32"),
        ([["torch.float32", [4], torch.ones(3)]], "without its values"),
        ([["torch.float32", [4], torch.tensor([1.0, 1.0, 0.0, 1.0])]], "1 of 4"),
        ([["torch.float32", [4], torch.full((4,), float("nan"))]], "4 of 4"),
        ([["torch.float32", [4], "forged"]], "no tensor"),
        (["forged"], "no tensor"),
        (ONES, ""),
        ([["torch.float32", [4], torch.ones(4) * 1.001]], ""),
    ],
)
def test_what_was_not_computed_from_the_inputs_is_seen(mine, words):
    found = timing.unlike(mine, ONES)
    assert (words in found) if words else found == ""


def test_an_answer_that_remembers_by_address_is_caught_on_any_machine():
    """It returns what it made of these addresses before: right until the values move."""
    kept = {}

    def remembers(x):
        key = (x.data_ptr(), x.shape)
        if key not in kept:
            kept[key] = x * 2
        return kept[key].clone()

    with pytest.raises(timing.NotComputed, match="values that were read back"):
        timing.compare(remembers, lambda x: x * 2, (torch.arange(1000.0),), {}, protocol=OFTEN)


@pytest.mark.parametrize("share", [0.5, 0.9])
def test_an_answer_that_computes_only_some_of_its_calls_is_caught(share):
    """It knows each address and answers most calls with a copy of what it made there before, within one block too."""
    kept, calls = {}, [0.0]

    def skips(x):
        calls[0] += 1.0 - share
        if calls[0] >= 1.0 or x.data_ptr() not in kept:
            kept[x.data_ptr()] = x * 2
        calls[0] %= 1.0
        return kept[x.data_ptr()].clone()

    with pytest.raises(timing.NotComputed, match="values that were read back"):
        # with one set of inputs, as here, an audit meets a call that was computed with probability 1 - share
        timing.compare(skips, lambda x: x * 2, (torch.randn(1000),), {}, protocol=OFTEN)


def test_an_answer_that_samples_its_inputs_is_caught():
    """It keeps results by eight values spread over the input, which a change in between does not touch."""
    kept = {}

    def samples(x):
        key = (x.data_ptr(), *x[:: x.numel() // 8].tolist())
        if key not in kept:
            kept[key] = x * 2
        return kept[key].clone()

    big = torch.randn(1 << 18)
    with pytest.raises(timing.NotComputed, match="values that were read back"):
        timing.compare(samples, lambda x: x * 2, (big,), {}, protocol=QUICK)


def test_an_honest_answer_passes_the_audits_and_says_how_it_was_timed():
    verdict = timing.compare(lambda x: x + x, lambda x: x * 2, (torch.arange(1000.0),), {}, protocol=QUICK)
    assert verdict.audits == QUICK.audits and verdict.mode == "calls" and "no GPU" in verdict.why
    assert verdict.agreed >= verdict.pairs * 0.8
    assert "agree in" in verdict.sentence() and "against itself" in verdict.sentence()
