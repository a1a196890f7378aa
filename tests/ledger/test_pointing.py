"""A failed check points to the trap its author named, and only where the values are what is wrong."""

import pytest

from learning.judge import Finding, WrongAnswer, check
from learning.judge import setting as settings
from learning.judge.score import report_lines


def outcome(finding):
    @check(points=1, trap=8)
    def keeps_the_sum(add, trial):
        raise WrongAnswer(finding)

    with settings.use(settings.Setting(lesson="vector_add", device="cpu")):
        return keeps_the_sum(lambda: None).result


@pytest.mark.parametrize("rule", ["wrong values", "precision", "law", "repeat"])
def test_wrong_values_point_to_the_checks_trap(rule):
    lines = report_lines(outcome(Finding(rule)))
    assert any("trap 8, sums in 16 bits lose their tail (learning/ledger)" in line for line in lines)


@pytest.mark.parametrize("rule", ["memory", "contract", "fault", "house rule"])
def test_another_story_is_not_blamed_on_it(rule):
    assert outcome(Finding(rule)).finding.trap is None


def test_a_finding_that_names_its_own_trap_keeps_it():
    assert outcome(Finding("memory", trap=5)).finding.trap == 5
    assert outcome(Finding("wrong values", trap=3)).finding.trap == 3
