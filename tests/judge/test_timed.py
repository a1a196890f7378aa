"""A timing check decided: points by the bars, doubt that waits, times that are no times, results that were not computed."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from learning.judge import timing
from learning.judge.finding import LearnerFault, NeedsDevice, WrongAnswer
from learning.judge.setting import Setting
from learning.judge.trial import Trial

X = torch.zeros(8192, 1024, dtype=torch.float16)  # 16.8 MB, read and written: 105 µs on a T4 by its data sheet


def verdict(ratio, *, anchor=200e-6, doubt="", cold=True, graded=None):
    return timing.Verdict(
        ratio, ratio * 0.99, ratio * 1.01, ratio * anchor, anchor, 50, 100, mode="graph", copies=9, cold=cold, doubt=doubt, graded=graded
    )  # fmt: skip


@pytest.fixture
def decide(monkeypatch):
    """``decide(*outcomes)``: a softmax's timing check on a card like a T4, whose comparisons come out as told, in turn."""

    def run(*outcomes, rules=lambda self, entry, *args, **kwargs: None):
        left = list(outcomes)

        def compare(*_, **__):
            came = left.pop(0)
            if isinstance(came, Exception):
                raise came
            return came

        monkeypatch.setattr(timing, "compare", compare)
        monkeypatch.setattr(Trial, "house_rules", rules)
        trial = Trial(
            SimpleNamespace(name="is_fast"), Setting(lesson="softmax", device="cuda", resources={"anchor": len})
        )
        trial.case("big")
        trial.faster(len, (X,), full=1.25, half=2.0)
        return trial

    return run


@pytest.mark.parametrize(("ratio", "fraction"), [(0.8, 1.0), (1.25, 1.0), (1.3, 0.5), (2.0, 0.5)])
def test_points_follow_the_ratio_and_the_note_says_how_it_was_measured(decide, ratio, fraction):
    trial = decide(verdict(ratio))
    assert trial.awarded == fraction and "95 % interval" in trial.notes[0] and "9 sets of inputs" in trial.notes[0]


def test_three_words_stand_in_the_note():
    assert (
        "as fast" in verdict(1.0).sentence()
        and "faster" in verdict(0.8).sentence()
        and "slower" in verdict(1.3).sentence()
    )
    assert "cannot tell" in timing.Verdict(1.0, 0.9, 1.1, 1e-4, 1e-4, 50, 100).sentence()


def test_too_slow_is_a_finding_with_its_case(decide):
    with pytest.raises(WrongAnswer) as wrong:
        decide(verdict(2.2))
    assert "2.20 ×" in wrong.value.finding.got and wrong.value.finding.case == "big"


@pytest.mark.parametrize("called", [(), ("torch.empty_like",), ("torch.empty_like", "Tensor.add")])
def test_what_was_called_while_it_was_timed_counts_for_the_house_rules(decide, called):
    heard = []
    timed = replace(verdict(1.0), torch_calls=called)
    trial = decide(timed, rules=lambda self, entry, *args, **kwargs: heard.append((set(self.torch_calls), bool(args))))
    assert heard == [(set(), True)] + [(set(called), False)] * bool(called) and trial.awarded == 1.0


def test_an_unsteady_machine_is_asked_once_more_and_then_waited_for(decide):
    assert decide(verdict(1.0, doubt="the clock fell"), verdict(1.5)).awarded == 0.5
    with pytest.raises(NeedsDevice, match="too unsteady to time on now \\(the clock fell\\)"):
        decide(verdict(1.0, doubt="the clock fell"), verdict(1.0, doubt="the clock fell"))


def test_a_time_below_the_floor_earns_nothing_unless_it_is_the_floor_that_is_wrong(decide):
    with pytest.raises(WrongAnswer) as wrong:
        decide(verdict(0.2))  # 40 µs against a floor of 105
    assert "cannot be a time of this work" in wrong.value.finding.got and "Tesla T4" in wrong.value.finding.expected
    assert decide(verdict(1.0, anchor=40e-6)).awarded == 1.0, "the anchor shows it too"
    assert decide(verdict(0.2, cold=False)).awarded == 1.0, "inputs that stay in L2 may beat memory"


def test_results_that_were_not_computed_earn_nothing(decide):
    with pytest.raises(WrongAnswer) as wrong:
        decide(timing.NotComputed("7 of 4096 values are not those of the inputs"))
    assert "7 of 4096" in wrong.value.finding.got and wrong.value.finding.rule == "time"


def test_noise_of_its_own_making_is_graded_by_the_90th_percentile(decide):
    assert decide(verdict(1.0, graded=1.9)).awarded == 0.5


def test_without_a_gpu_or_an_anchor_it_waits():
    for setting in (
        Setting(lesson="softmax", device="interpreter", resources={"anchor": len}),
        Setting(lesson="softmax", device="cuda"),
    ):
        with pytest.raises(NeedsDevice):
            Trial(SimpleNamespace(name="is_fast"), setting).faster(len, (X,))


def test_faults_keep_their_kind(decide):
    from learning.judge.finding import Fault

    with pytest.raises(LearnerFault):
        decide(LearnerFault(Fault("ValueError", "no"), rule="fault"))
    with pytest.raises(RuntimeError, match="our own"):
        decide(RuntimeError("our own answer failed"))
