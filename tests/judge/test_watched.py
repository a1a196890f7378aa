"""Parity where kernels are interpreted: planted faults are named, and forging the trace raises no score."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning.judge import call, seen
from learning.judge.seen import Trace
from learning.lens import device
from tests.judge.parity_kit import judge, values

HERE = device.open()
from tests.judge import planted, structures  # noqa: E402 (Triton is imported after the device is opened)

pytestmark = pytest.mark.skipif(HERE.kind != "interpreter", reason="kernels are traced where they are interpreted")


def copied(entry, length=1000):
    return judge(entry, values(length), reference=lambda x: x.clone())


@pytest.mark.parametrize(
    ("entry", "got"),
    [
        (planted.loads_past_the_end, "program 7 of copy_kernel reads elements 1000 to 1023 of x_ptr, which has 1000"),
        (planted.stores_past_the_end, "program 7 of copy_kernel writes elements 1000 to 1023 of out_ptr, which has 1000"),
        (planted.loads_far_away, "program 0 of copy_kernel reads elements 268435456 to 268435583 of x_ptr, which has 1000"),
        (planted.misses_a_tile, "104 of 1000 elements that nothing wrote, the first at 896, the last at 999"),
        (planted.reads_what_nobody_wrote,
         "program 0 of running_kernel reads elements 0 to 127 of out_ptr, which nothing has written yet"),
        (planted.writes_twice_and_the_last_one_wins,
         "program 1 of overlapping_kernel writes elements 64 to 127 of out_ptr, which program 0 has written already"),
    ],
)  # fmt: skip
def test_a_planted_fault_is_named_with_program_tensor_and_elements(entry, got):
    found = copied(entry)
    assert (found.rule, found.got) == ("memory", got) and found.advice
    assert found.where


def test_a_race_is_named_with_its_two_programs():
    found = copied(planted.reads_its_neighbours_note, 1024)
    assert (
        found.got
        == "program 1 of handing_on_kernel and program 0 both touch element 1 of note_ptr, and one of them writes"
    )
    assert "tl.load(note_ptr + program)" in found.where and found.where.startswith("line ")


def test_equal_values_written_twice_are_waste_and_right():
    assert copied(planted.writes_twice_and_agrees) is None


@pytest.mark.parametrize("entry", [structures.copy, structures.tuned, structures.copy_by_way_of_scratch])
def test_right_kernels_raise_no_alarm(entry):
    assert copied(entry) is None


@pytest.mark.parametrize(
    "entry", [planted.stores_past_the_end, planted.misses_a_tile, planted.writes_twice_and_the_last_one_wins]
)
def test_a_forged_trace_hides_nothing_that_bytes_show(entry, monkeypatch):
    from learning.lens import recorder, witness

    monkeypatch.setattr(recorder.Recorder, "_problem", lambda *_: None)
    monkeypatch.setattr(witness.Witness, "_written", lambda self, tensor, found: found)
    found = copied(entry)
    assert found is not None and found.rule == "memory"


def test_a_tracer_that_breaks_costs_nobody_a_point(monkeypatch):
    from learning.lens import recorder

    def breaks(*_):
        raise IndexError("a fault of the tracer's own")

    breaks.__code__ = breaks.__code__.replace(co_filename=recorder.__file__)
    monkeypatch.setattr(recorder.Recorder, "_touch", breaks)
    assert copied(structures.copy) is None


def in_a_circle(x):
    raising = ValueError("the second")
    raising.__cause__ = TypeError("the first")
    raising.__cause__.__cause__ = raising
    raise raising


class Sly(Exception):
    @property
    def __cause__(self):
        raise KeyError("not told")

    __traceback__ = __cause__


def with_a_cause_of_its_own(x):
    raise Sly("a plain message")


@pytest.mark.timeout(20)
@pytest.mark.parametrize(
    ("entry", "message"), [(in_a_circle, "the first"), (with_a_cause_of_its_own, "a plain message")]
)
def test_a_chain_of_exceptions_is_walked_once_and_past_its_own_methods(entry, message):
    called = call.guarded(entry, (values(4),), look="faults")
    assert called.fault is not None and called.fault.message == message


def test_where_there_is_no_time_to_look_closely_bounds_are_watched_to_the_end(monkeypatch):
    from learning.lens import witness

    monkeypatch.setattr(witness, "CLOSE_SECONDS", -1.0)
    called = call.guarded(structures.copy, (values(1000),), look="faults")
    assert called.fault is None and called.trace.hurried and called.trace.inputs[0].loaded < 1000
    assert copied(planted.loads_past_the_end).got.startswith("program 7 of copy_kernel reads")
    assert copied(planted.misses_a_tile).rule == "memory"  # by the other poison


def test_a_look_leaves_no_trace_where_it_was_not_asked_for():
    assert call.guarded(structures.copy, (values(10),)).trace is None
    assert call.guarded(lambda x: x + 1, (values(10),), look="traffic").trace.launches == []


def test_what_crosses_between_processes_is_what_was_seen():
    trace = call.guarded(structures.largest, (values(3, 37),), look="traffic").trace
    assert trace.inputs[0].others == [-float("inf")] and Trace.of(trace.plain()) == trace


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
items = st.dictionaries(
    st.sampled_from(["kind", "line", "program", "others", "grid", "key", "count", "text"]), scalars, max_size=3
)
fields = scalars | st.lists(scalars | items, max_size=2)


@given(st.fixed_dictionaries(dict.fromkeys(Trace().plain(), fields)))
def test_garbage_is_refused_or_read_and_never_more(told):
    try:
        trace = Trace.of(told)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError):
        return
    for problem in trace.problems:
        assert problem.kind in seen.KINDS and problem.sentence
