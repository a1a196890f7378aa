"""Arguments held in a worker: sent once, called many times, timed by the judge."""

from __future__ import annotations

import pytest
import torch

from learning.judge import call, cells, engine, timing
from learning.judge.entry import Entry, here
from learning.judge.finding import LearnerFault
from learning.judge.line import Line
from learning.lens import device

QUICK = timing.Protocol(block_seconds=0.004, pairs=16)
SOURCE = """
import torch
SEEN = []

def counts(x, *, by=1):
    SEEN.append(float(x.sum()) * by)
    return x

def told(x):
    return torch.tensor(SEEN)

def nine_times_the_work(x):
    for _ in range(9000): len("work")
    return x

def the_work(x):
    for _ in range(1000): len("work")
    return x

def hangs(x):
    while True: pass

def raises(x):
    raise ValueError("no")
"""


@pytest.fixture
def entries(servers):
    """``entries(name)``: a function of SOURCE in a worker that all of them share."""
    limits = engine.Limits(call_seconds=0.7)
    line = Line(servers, device.current().place, [("answer", SOURCE, cells.ANSWER)], limits, checks=1)
    line.begin()
    yield lambda name: Entry(name, line)
    line.close()


def test_held_arguments_are_used_by_every_call_of_every_block(entries):
    run = entries("counts").hold((torch.ones(4),), {"by": 3})
    assert run(2).fault is None and run(3).fault is None
    assert entries("told")(torch.ones(1)).tolist() == [12.0] * 5


def test_a_block_is_an_exchange_of_no_tensor_bytes(entries):
    big = torch.ones(1 << 24)
    run = entries("the_work").hold((big,))
    assert run(1).seconds < 0.25 * entries("the_work").guarded((big,)).seconds


@pytest.mark.parametrize("name, word", [("raises", "no"), ("missing", "define no function"), ("hangs", "0.7 s")])
def test_a_faulty_block_is_a_finding_about_the_learner(entries, name, word):
    with pytest.raises(LearnerFault, match=word):
        timing.compare(entries(name), entries("the_work"), (torch.ones(1),), {})


def test_more_work_shows_through_the_exchange(servers, entries):
    verdict = timing.compare(
        entries("nine_times_the_work"), entries("the_work"), (torch.ones(1 << 22),), {}, protocol=QUICK
    )
    assert verdict.ratio > 2


def test_a_function_of_this_process_is_held_too():
    seen = []
    assert call.hold(here(seen.append), (1,))(3).fault is None
    assert call.hold(seen.append, (2,))(2).fault is None
    assert seen == [1, 1, 1, 2, 2]
