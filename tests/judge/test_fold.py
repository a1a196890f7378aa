"""A fold crosses to the worker once, and judges like the calls it stands for."""

from __future__ import annotations

import math

import pytest

from learning.judge import cells, engine, fleet, fold
from learning.judge.entry import Entry, here
from learning.judge.finding import LearnerFault
from learning.judge.line import Line

SOURCE = """
CALLS = []

def push(state, x):
    CALLS.append(x)
    return (max(state[0], x), state[1] + x)

def calls(): return len(CALLS)

class Sly(tuple):
    def __eq__(self, other): return True

def sly(state, x): return Sly((0.0,))

def raises(state, x): return 1 / (x - 3.0)

def keeps_an_object(state, x): return object() if isinstance(state, tuple) else state

def hangs(state, x):
    while True: pass
"""


@pytest.fixture
def entries():
    """``entries(name)``: a function of SOURCE in a worker that all of them share."""
    with fleet.Servers() as servers:
        line = Line(servers, "cpu", [("answer", SOURCE, cells.ANSWER)], engine.Limits(call_seconds=0.5), 1)
        line.begin()
        yield lambda name: Entry(name, line)
        line.close()


@pytest.fixture(params=["worker", "here"])
def either(request, entries):
    """``either(name)``: the function in a worker, and in this process as a learner's kernel has it."""
    if request.param == "worker":
        return entries
    module: dict = {}
    exec(SOURCE, module)
    return lambda name: here(module[name])


@pytest.mark.parametrize("values", [[], [2.5], [float(x) for x in range(50)]], ids=["none", "one", "fifty"])
def test_a_fold_is_what_one_call_after_another_gives(either, values):
    push, state = either("push"), (-math.inf, 0.0)
    for x in values:
        state = push(state, x)
    assert fold(push, (-math.inf, 0.0), values) == state
    assert either("calls")() == 2 * len(values)


def test_a_plain_function_folds_too():
    assert fold(lambda state, x: state + x, 0.0, [1.0, 2.0]) == 3.0


def test_a_state_that_is_no_plain_value_is_seen_as_what_it_is(either):
    assert type(fold(either("sly"), (0.0,), [1.0])).__name__ == "Foreign"
    assert type(fold(either("keeps_an_object"), (0.0,), [1.0, 2.0])).__name__ == "Foreign"


def test_a_fault_in_the_middle_is_the_learners(either):
    with pytest.raises(LearnerFault, match="division by zero"):
        fold(either("raises"), 0.0, [1.0, 2.0, 3.0, 4.0])


def test_a_fold_has_the_time_of_one_call(entries):
    with pytest.raises(LearnerFault) as caught:
        fold(entries("hangs"), 0.0, [1.0] * 1000)
    assert caught.value.fault.kind == "timeout"


def test_a_missing_function_is_named(entries):
    with pytest.raises(LearnerFault, match="absent"):
        fold(entries("absent"), 0.0, [1.0])
