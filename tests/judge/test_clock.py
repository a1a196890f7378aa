"""The judge's clock on a crowded machine: what a worker spends waiting for a processor costs nobody a point."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from learning.judge import cells, child, engine, fleet
from learning.judge.entry import Entry
from learning.judge.finding import LearnerFault
from learning.judge.line import Line

SOURCE = """
import os
import time

def works(seconds, core):
    os.sched_setaffinity(0, {core})
    began = time.process_time()
    while time.process_time() - began < seconds: pass
    return seconds

def sleeps(seconds):
    time.sleep(seconds)
    return seconds
"""
LIMIT = 0.5

linux = pytest.mark.skipif(not os.path.exists("/proc/self/schedstat"), reason="this system counts no waiting")


@pytest.fixture
def line():
    """A line to workers that get half a second a call and two in all."""
    with fleet.Servers() as servers:
        line = Line(
            servers, "cpu", [("answer", SOURCE, cells.ANSWER)], engine.Limits(call_seconds=LIMIT, total_seconds=2.0), 4
        )
        line.begin()
        yield line
        line.close()


@pytest.fixture
def crowded():
    """A core on which three other processes are busy all the time."""
    core = max(os.sched_getaffinity(0))
    busy = f"import os; os.sched_setaffinity(0, {{{core}}})\nwhile True: pass"
    others = [subprocess.Popen([sys.executable, "-c", busy]) for _ in range(3)]
    yield core
    for other in others:
        other.kill()
        other.wait()


@linux
def test_a_call_that_waits_for_a_processor_is_waited_for(line, crowded):
    works = Entry("works", line)
    began = time.monotonic()
    assert works(0.3, crowded) == 0.3
    assert time.monotonic() - began > LIMIT, "the core was not crowded, so nothing was shown"


@linux
def test_waiting_for_a_processor_is_not_taken_from_the_submission(line, crowded):
    works = Entry("works", line)
    for _ in range(3):  # 0.9 s of work, some 3 s by the clock on the wall, of 2 s in all
        line.begin()
        works(0.3, crowded)
    assert line._spent < 2.0


def test_sleeping_is_not_waiting(line):
    began = time.monotonic()
    with pytest.raises(LearnerFault) as caught:
        Entry("sleeps", line)(30.0)
    assert caught.value.fault.kind == "timeout" and time.monotonic() - began < LIMIT * child.PATIENCE


@linux
def test_patience_ends(line, crowded):
    began = time.monotonic()
    with pytest.raises(LearnerFault) as caught:
        Entry("works", line)(60.0, crowded)
    assert caught.value.fault.kind == "timeout" and time.monotonic() - began < LIMIT * (child.PATIENCE + 2)
