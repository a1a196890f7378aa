"""Checks judged at a time: told in their order, each in a worker of its own, the same verdicts as one by one."""

from __future__ import annotations

import threading
import time
import types

import pytest

from learning.judge import engine, fleet, setting
from learning.judge.abreast import Lines
from learning.judge.engine import Limits

GOOD = "def echo(x):\n    y = x\n    return y\n"
HANGS_ON_ONE_VALUE = "def echo(x):\n    while x == 2**80:\n        pass\n    return x\n"


class Unasked:
    """A line that remembers that it was closed, and in which threads checks began."""

    def __init__(self):
        self.sandbox, self.target, self.closed, self.threads = "none", "", False, set()
        self.faults, self.notes = ["a fault"], ["a note"]

    def begin(self, left):
        self.threads.add(threading.get_ident())

    def close(self):
        self.closed = True


@pytest.fixture
def two_lines():
    made = []

    def make():
        made.append(Unasked())
        return made[-1]

    lines = Lines(make, 2)
    lines.made = made
    return lines


def test_two_jobs_are_under_way_at_once_and_each_thread_keeps_its_line(two_lines):
    together = threading.Barrier(2, timeout=20)

    def job(number):
        two_lines.begin(0)
        if number < 2:
            together.wait()
        return number, two_lines.here

    told = []
    two_lines.run(list(range(6)), job, told.append)
    assert [number for number, _ in told] == list(range(6))
    assert told[0][1] is not told[1][1]
    assert [len(line.threads) for line in two_lines.made] == [1, 1], "no line is used by two threads"


def test_results_are_told_in_order_and_a_slow_first_one_holds_nobody_back(two_lines):
    others_are_done, told = threading.Event(), []

    def job(number):
        if number == 0:
            assert others_are_done.wait(20)
        if number == 4:
            others_are_done.set()
        return number

    two_lines.run(list(range(5)), job, told.append)
    assert told == [0, 1, 2, 3, 4]


def test_what_is_there_with_all_before_it_is_told_at_once(two_lines):
    first_was_told, told = threading.Event(), []

    def job(number):
        if number == 1:
            assert first_was_told.wait(20), "the first result waited for the second"
        return number

    def tell(number):
        told.append(number)
        first_was_told.set()

    two_lines.run([0, 1], job, tell)
    assert told == [0, 1]


def test_an_interruption_ends_the_workers_and_starts_nothing_more(two_lines):
    started = []

    def job(number):
        started.append(number)
        for _ in range(2000):
            if two_lines.made[0].closed:
                return number
            time.sleep(0.01)
        raise AssertionError("nobody ended the worker")

    def interrupted(number):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        two_lines.run([0, *range(1, 8)], lambda n: n if n == 0 else job(n), interrupted)
    assert all(line.closed for line in two_lines.made)
    time.sleep(0.1)
    assert len(started) <= 2


def test_with_one_line_everything_runs_in_this_thread():
    lines, told = Lines(Unasked, 1), []
    lines.run([1, 2], lambda number: (number, threading.get_ident()), told.append)
    assert told == [(1, threading.get_ident()), (2, threading.get_ident())]


def test_the_setting_in_force_is_that_of_the_caller(two_lines):
    with setting.use(setting.Setting(lesson="here")):
        told = []
        two_lines.run([1, 2, 3], lambda _: setting.current().lesson, told.append)
    assert told == ["here"] * 3


def test_what_every_line_met_while_loading_is_told_once(two_lines):
    assert two_lines.faults == ["a fault"] and two_lines.notes == ["a note"]


def plain(graded):
    return [(r.check, r.state, r.earned, r.finding and r.finding.sentence()) for r in graded.results]


@pytest.mark.parametrize(
    "source",
    [GOOD, "def echo(x):\n    return None\n", "import os\nos._exit(0)\n", "def echo(x:\n", "raise KeyError('mine')\n"],
    ids=["right", "wrong", "dies", "syntax", "raises"],
)
def test_plain_answers_get_the_same_verdicts_words_and_faults_as_one_by_one(grade_echo, source):
    heard = []
    one, two = grade_echo(source), grade_echo(source, at_once=2, progress=heard.append)
    assert plain(two) == plain(one) and heard == two.results
    assert (two.faults, two.dropped, two.sandbox) == (one.faults, one.dropped, one.sandbox)


def test_kernels_get_the_same_verdicts_as_one_by_one(grade_add, tiny):
    wrong = tiny.RIGHT.replace("mask=mask)", "mask=offsets < 4)")
    for source in (tiny.RIGHT, wrong):
        one, three = grade_add(source), grade_add(source, at_once=3)
        assert plain(three) == plain(one) and three.target == one.target and three.sandbox == one.sandbox


def test_a_check_that_hangs_leaves_the_other_alone(grade_echo):
    limits = Limits(call_seconds=0.6, after_timeout_seconds=0.25)
    hung, other = grade_echo(HANGS_ON_ONE_VALUE, at_once=2, limits=limits).results
    assert "did not return within 0.6 s" in hung.finding.sentence()
    assert other.state == "passed" and other.seconds < 0.6


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize(
    ("shown", "heard"),
    [
        ([{"mul"}, set(), set()], [{"sum"}, {"sum", "mul"}, {"sum", "mul"}]),
        ([set(), {"sum"}, {"mul"}], [{"sum"}, {"sum"}, {"sum"}]),
        ([set(), {"mul"}, {"exp"}], [{"sum"}, {"sum"}, {"sum", "mul"}]),
    ],
    ids=["the_first_shows_more", "nothing_new_before_the_last", "the_second_shows_more"],
)
def test_who_reads_the_house_rules_has_heard_of_all_calls_before_it(count, shown, heard):
    """``heard``: what each of three such checks knew when its verdict was found; another showed "sum" before them, late."""
    lines, told, begun = Lines(Unasked, count), [], threading.Event()
    order = [types.SimpleNamespace(last=number >= 0, number=number) for number in range(-1, 3)]

    def judged(cell):
        calls = setting.current().torch_calls
        if cell.number < 0:
            assert count == 1 or begun.wait(20), "a check that reads the rules begins beside it"
            calls.add("sum")
            return None
        begun.set()
        knew = set(calls)
        calls |= shown[cell.number]
        return knew

    engine._all(order, setting.Setting(torch_calls=set()), lines, judged, lambda cell, knew: told.append(knew))
    assert told == [None, *heard]


def test_ending_the_servers_does_not_wait_for_one_that_is_starting():
    servers, raised = fleet.Servers(), []

    def get():
        try:
            servers.get("interpreter")
        except fleet.ServerLost as lost:
            raised.append(lost)

    asking = threading.Thread(target=get)
    asking.start()
    for _ in range(400):
        if servers._starting and servers._starting[0]._process is not None:
            break
        time.sleep(0.005)
    process = servers._starting[0]._process
    servers.close()
    asking.join(10)
    assert not asking.is_alive() and len(raised) == 1 and process.poll() is not None
    with pytest.raises(fleet.ServerLost, match="closed"):
        servers.get("cpu")
