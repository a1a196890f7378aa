"""A second call between the kernels of a call: shared scratch shows, scratch of its own does not; here and through a worker."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from learning.judge import setting
from learning.judge.call import guarded, invoke
from learning.judge.check import check
from learning.judge.engine import Limits
from learning.judge.entry import Entry
from learning.judge.finding import LearnerFault, WrongAnswer
from learning.judge.line import Line
from learning.judge.trial import Trial
from learning.lens import device

opened = device.current()

from tests.judge import sharing  # noqa: E402 - kernels are made once the device is open


def rows(start, shape=(3, 150)):
    values = torch.arange(shape[0] * shape[1], dtype=torch.float32).reshape(shape) % 13 + start
    return values.to(opened.torch_device)


@pytest.fixture
def trial():
    @check(points=1)
    def keeps_calls_apart(entry, trial):
        """Two calls."""

    with setting.use(setting.Setting(lesson="", device=opened.kind)) as here:
        yield Trial(keeps_calls_apart, here)


@pytest.mark.parametrize("shape", [(3, 150), (5, 700)])
def test_calls_with_scratch_of_their_own_do_not_meet(trial, shape):
    trial.interleaved(sharing.own_scratch, (rows(0),), (rows(7, shape),))


def test_scratch_that_is_kept_for_the_next_call_shows(trial):
    with pytest.raises(WrongAnswer) as wrong:
        trial.interleaved(sharing.scratch_kept_for_each_shape, (rows(0),), (rows(7),))
    said = wrong.value.finding
    assert said.rule == "memory" and "and between its kernels" in said.called
    assert "3 of 3 elements" in said.where and "Each call needs its own" in said.advice


def test_scratch_kept_for_each_shape_is_only_met_by_a_call_of_that_shape(trial):
    """So a check that hunts for it makes both calls of one shape."""
    trial.interleaved(sharing.scratch_kept_for_each_shape, (rows(0),), (rows(7, (3, 300)),))


def test_what_the_visiting_call_raises_is_the_learners_fault(trial):
    with pytest.raises(LearnerFault, match="one call at a time"):
        trial.interleaved(sharing.raises_when_it_is_visited, (rows(0),), (rows(7),))


def test_the_visiting_call_is_watched_and_given_back():
    came = guarded(sharing.own_scratch, (rows(0),), between=((rows(7),), {}))
    assert came.fault is None and not came.guards
    assert torch.equal(came.value.cpu(), rows(0).sum(1).cpu())
    assert [torch.equal(value.cpu(), rows(7).sum(1).cpu()) for value in came.again] == [True]


def test_there_is_one_visit_between_two_kernels_and_none_ahead_of_the_first():
    counting = sharing.Counting()
    guarded(counting, (rows(0),), between=((rows(7),), {}))
    assert counting.calls == 2
    guarded(counting, (rows(0),))
    assert counting.calls == 3


def test_an_answer_without_kernels_is_not_visited(trial):
    assert guarded(sharing.launches_nothing, (rows(0),), between=((rows(7),), {})).again == []
    trial.interleaved(sharing.launches_nothing, (rows(0),), (rows(7),))


def test_an_answer_that_returns_nothing_keeps_no_calls_apart(trial):
    with pytest.raises(WrongAnswer, match="None"):
        trial.interleaved(lambda x: None, (rows(0),), (rows(7),))


def test_a_worker_is_visited_as_a_call_here_is(servers):
    """The same two answers, in a process of their own: arguments of both calls cross, and both results come back."""
    source = Path(sharing.__file__).read_text(encoding="utf-8")
    line = Line(servers, opened.place, [("answer", source, "answer")], Limits(), 1)
    try:
        line.begin()
        for name, apart in (("own_scratch", True), ("scratch_kept_for_each_shape", False)):
            came = invoke(Entry(name, line), (rows(0),), {}, between=((rows(7),), {}))
            assert came.fault is None, came.fault
            assert torch.equal(came.again[0].cpu(), rows(7).sum(1).cpu())
            assert torch.equal(came.value.cpu(), rows(0).sum(1).cpu()) == apart
    finally:
        line.close()
