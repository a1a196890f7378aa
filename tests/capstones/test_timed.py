"""What the capstones are timed on, read without a GPU, and the anchor that a check names."""

import pytest

from learning import lesson
from learning.bench import plan
from learning.judge import timed
from learning.judge.check import check
from learning.judge.entry import Entry
from learning.judge.finding import NeedsDevice
from learning.judge.setting import Setting
from learning.judge.trial import Trial

TIMED = [card for card in lesson.discover("capstone") if plan.has_plan(card)]


def test_two_of_them_are_timed_and_one_has_a_bar_against_the_two_pass_kernel():
    assert [card.slug for card in TIMED] == ["causal_schedule", "wide_softmax"]
    (row,) = plan.load(lesson.load("wide_softmax")).rows
    assert (row.versus, row.at_most, row.answer) == ("two passes", 1.0, "")


@pytest.mark.parametrize("card", TIMED, ids=lambda card: card.slug)
def test_work_is_one_read_of_each_input_and_one_write_of_the_result(card):
    pytest.importorskip("torch")
    found = plan.load(card)
    for shape in found.shapes:
        args, kwargs = found.inputs(plan.Draw(0, device="meta"), **shape.sizes)
        size = args[0].numel() * args[0].element_size()
        assert found.work(*args, **kwargs).bytes == (len(args) + 1) * size


class Line:
    """A line that nobody calls through."""


class Asked(Exception):
    """Raised in place of timing; it carries what an answer would be timed beside."""


@pytest.fixture
def asked(monkeypatch):
    """``asked(anchor, resources)``: the name of the entry that a timing check on a GPU would be timed beside."""

    def instead(trial, entry, beside, *_):
        raise Asked(beside.name)

    def made(anchor, resources):
        monkeypatch.setattr(timed, "steady", instead)
        trial = Trial(check(points=1)(lambda softmax, trial: None), Setting(lesson="wide_softmax", device="cuda"))
        trial.house_rules = lambda *_, **__: None
        trial.setting.resources.update(resources)
        with pytest.raises(Asked) as told:
            timed.decide(trial, Entry("softmax", Line()), (), {}, anchor=anchor, full=1.0, half=1.0)
        return str(told.value)

    return made


def test_a_named_anchor_lives_beside_our_answer_and_no_gpu_means_waiting(asked):
    ours = {"anchor": Entry("softmax", Line())}
    assert asked("two_passes", ours) == "two_passes" and asked(None, ours) == "softmax"
    trial = Trial(check(points=1)(lambda softmax, trial: None), Setting(lesson="wide_softmax", device="cuda"))
    with pytest.raises(NeedsDevice, match="anchor"):
        timed.decide(trial, Entry("softmax", Line()), (), {}, anchor="two_passes", full=1.0, half=1.0)
