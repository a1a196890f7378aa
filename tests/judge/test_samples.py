"""Statistics of paired times: intervals that hold what they promise, verdicts, percentiles, shares."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learning.judge import samples
from learning.judge.samples import Ratio

TIMES = st.lists(st.floats(1e-7, 10.0), min_size=1, max_size=40)


def drawn(source, count, ratio, *, drift=0.0, noise=0.01):
    """``count`` pairs of seconds where both sides drift together."""
    ours, theirs = [], []
    for number in range(count):
        level = 1e-4 * (1 + drift * math.sin(number / 5))
        theirs.append(level * math.exp(source.gauss(0, noise)))
        ours.append(ratio * level * math.exp(source.gauss(0, noise)))
    return ours, theirs


@pytest.mark.parametrize("ratio", [0.5, 1.0, 1.3, 2.5])
def test_a_drifting_clock_does_not_move_the_ratio(ratio):
    found = samples.paired(*drawn(random.Random(1), 50, ratio, drift=0.2))
    assert found.ratio == pytest.approx(ratio, rel=0.01) and found.low <= found.ratio <= found.high


def test_the_interval_holds_the_true_ratio_as_often_as_it_says():
    source = random.Random(2)
    hits = sum(v.low <= 1.1 <= v.high for v in (samples.paired(*drawn(source, 25, 1.1)) for _ in range(120)))
    assert hits >= 105  # 95 % of 120 is 114; fewer than 105 has a chance below one in ten thousand


def test_a_process_that_is_a_little_slower_by_where_it_lies_is_not_called_slower():
    """Each comparison has a bias of its own that more pairs do not average away; seen on an H200 with sd 0.85 %."""
    source, bare, wide, apart = random.Random(5), 0, 0, 0
    for _ in range(100):
        bias = math.exp(max(-0.015, min(0.015, source.gauss(0, 0.0085))))
        found = samples.paired(*drawn(source, 24, bias, noise=0.012))
        bare += found.low <= 1.0 <= found.high
        wide += found.across_processes().low <= 1.0 <= found.across_processes().high
        apart += (
            samples.paired(*drawn(source, 24, 1.05 * bias, noise=0.012)).across_processes().verdict == samples.SLOWER
        )
    assert bare < 80 and wide >= 92 and apart >= 92


def test_one_wild_pair_in_ten_changes_nothing():
    ours, theirs = drawn(random.Random(3), 50, 1.0)
    ours[::10] = [t * 40 for t in ours[::10]]
    assert samples.paired(ours, theirs).ratio == pytest.approx(1.0, rel=0.02)


def test_equal_functions_are_told_apart_hardly_ever_while_the_clock_drifts():
    """Sequential means under a 4 % drift call equal kernels different most of the time; pairs do not."""
    source, wrong = random.Random(4), 0
    for _ in range(60):
        found = samples.paired(*drawn(source, 25, 1.0, drift=0.04, noise=0.005))
        wrong += not found.low <= 1.0 <= found.high
    assert wrong <= 10  # 3 of 60 by its promise; 11 and more has a chance below one in three thousand


@settings(deadline=None, max_examples=20)
@given(TIMES, st.floats(0.2, 5.0), st.floats(1e-3, 1e3))
def test_a_common_factor_scales_the_ratio_and_a_unit_changes_nothing(times, factor, unit):
    ours = [t * factor for t in times]
    found = samples.paired(ours, times)
    assert found.ratio == pytest.approx(factor) and found.low == pytest.approx(factor) == found.high
    again = samples.paired([t * unit for t in ours], [t * unit for t in times])
    assert again.ratio == pytest.approx(found.ratio)


@settings(deadline=None, max_examples=20)
@given(st.lists(st.tuples(st.floats(1e-6, 1.0), st.floats(1e-6, 1.0)), min_size=1, max_size=30))
def test_swapping_the_sides_inverts_the_ratio_and_the_order_inside_is_kept(pairs):
    ours, theirs = zip(*pairs, strict=True)
    one, other = samples.paired(ours, theirs), samples.paired(theirs, ours)
    assert one.low <= one.ratio <= one.high
    assert one.ratio == pytest.approx(1 / other.ratio)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.985, 1.015, samples.AS_FAST),
        (1.001, 1.019, samples.AS_FAST),
        (0.90, 0.97, samples.FASTER),
        (0.90, 0.999, samples.FASTER),
        (1.03, 1.2, samples.SLOWER),
        (1.001, 1.2, samples.SLOWER),
        (0.9, 1.1, samples.CANNOT_TELL),
        (0.97, 1.01, samples.CANNOT_TELL),
    ],
)
def test_the_verdict_needs_the_whole_interval(low, high, verdict):
    assert Ratio((low * high) ** 0.5, low, high).verdict == verdict


@settings(deadline=None)
@given(st.floats(0.1, 10), st.floats(0.1, 10), st.floats(0.1, 10))
def test_against_a_bar_there_are_three_verdicts_and_only_doubt_straddles(a, b, bar):
    low, high = sorted((a, b))
    found = Ratio((low * high) ** 0.5, low, high)
    told = found.against(bar)
    assert told in (samples.AS_FAST, samples.SLOWER, samples.CANNOT_TELL)
    if found.straddles(bar):
        assert told == samples.CANNOT_TELL
    elif told == samples.CANNOT_TELL:
        assert low <= bar < high and low == bar


def test_a_control_pairs_the_neighbours_of_abba_blocks():
    steady = samples.control([1.0, 1.01, 2.0, 2.02, 3.0, 3.03, 9.0])
    assert steady.ratio == pytest.approx(1.01) and steady.steady
    assert not samples.control([1.0, 1.2, 1.2, 1.0] * 6).steady


def test_noise_of_ones_own_making_is_graded_by_its_90th_percentile():
    source = random.Random(5)
    theirs = [1e-4 * math.exp(source.gauss(0, 0.002)) for _ in range(50)]
    ours = [1e-4 * (1.0 if source.random() < 0.7 else 2.6) for _ in range(50)]
    counts, wild = samples.graded(ours, theirs, samples.paired(ours, theirs))
    assert wild and counts == pytest.approx(2.6, rel=0.01)
    quiet = [t * 1.1 for t in theirs]
    assert samples.graded(quiet, theirs, samples.paired(quiet, theirs)) == (pytest.approx(1.1), False)


@pytest.mark.parametrize(
    ("wall", "claimed", "agree"),
    [
        (0.020, 0.0205, True),
        (0.020, 0.0181, True),
        (0.020, 0.0179, False),
        (0.020, 0.0, False),
        (40e-6, 0.0, True),
        (0.02, math.nan, False),
        (0.02, math.inf, False),
        (0.02, -0.02, False),
    ],
)
def test_a_claim_agrees_within_ten_percent_and_fifty_microseconds(wall, claimed, agree):
    assert samples.agrees(wall, claimed) is agree


@settings(deadline=None)
@given(TIMES, st.floats(0, 1), st.floats(0, 1))
def test_quantiles_are_ordered_and_lie_among_the_values(values, one, other):
    low, high = sorted((one, other))
    assert min(values) <= samples.quantile(values, low) <= samples.quantile(values, high) * (1 + 1e-12)
    assert samples.quantile(values, 1.0) == max(values) and samples.quantile(values, 0.0) == min(values)
    assert samples.scatter(values) >= -1e-12


def test_shares_carry_wilsons_interval():
    """Against the worked values of Newcombe (1998), Statistics in Medicine 17, table I, method 3."""
    for k, n, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        found = samples.share(k, n)
        assert (found.low, found.high) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


@given(st.integers(1, 500), st.data())
def test_a_share_lies_in_its_interval(n, data):
    found = samples.share(data.draw(st.integers(0, n)), n)
    assert 0.0 <= found.low <= found.k / n <= found.high <= 1.0
    assert f"{found.k} of {n}" in found.text()


@pytest.mark.parametrize("bad", [([], []), ([1.0], []), ([0.0], [1.0]), ([math.nan], [1.0]), ([1.0], [math.inf])])
def test_times_that_are_none_are_refused(bad):
    with pytest.raises(ValueError):
        samples.paired(*bad)
