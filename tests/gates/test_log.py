"""The log: numbers that records hold and no others, a surprise in words, a file that is only added to; gate 12 by records."""

import multiprocessing
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning import lesson, session
from learning.gates import log_numbers, log_record, records
from learning.gates.log import FILE, LogError, append, log, measured
from learning.gates.progress import progress
from learning.judge import setting as settings

SURPRISE = "the floor was reached before I tuned anything"
CASE = {
    "case": "64 Mi", "about": "64 Mi float32 elements", "answer": "my add", "card": "Tesla T4", "floor": 2516.0, "bytes": 805306368,
    "flops": 67108864, "tensor_cores": False, "launch_tax": 6.1, "microseconds": {"cold": 2542.0, "warm": 2537.4, "graph": 2531.3, "events": 2537.4},
    "peers": {"eager": {"microseconds": {"cold": 2540.1, "graph": 2520.9}}, "torch.compile": {"unavailable": "not asked for"}},
}  # fmt: skip
COMPILED = {"kernels": [{"kernel": "add_kernel", "card": "T4", "registers": 30, "spilled": 0, "shared": 0, "occupancy": 1.0, "loads": {"4": 16}}]}  # fmt: skip


@pytest.fixture
def week(monkeypatch, tmp_path):
    """An open lesson whose records hold a benchmark, a compiler's report and a judged prediction."""
    before = settings._default
    monkeypatch.setattr(session, "_session", None)
    opened = session.begin("vector_add", folder=tmp_path)
    opened.note("prediction", {"fields": {"microseconds": [2000.0, 2400.0]}, "case": "", "revision": False})
    opened.note("benchmark", {"cases": [CASE], "card": "Tesla T4", "via": "notebook"}, device="cuda")
    opened.note("compile", COMPILED, device="interpreter")
    yield opened
    settings.install(before)


def gate(opened):
    return next(gate for gate in progress(opened.lesson, opened.evidence()).gates if gate.id == "log")


def test_an_entry_is_written_to_be_read_and_proves_gate_12(week, tmp_path):
    shown = log(time=2531, floor=2516, ratio=1.006, peer={"eager": 2521}, registers=30, missed=1, surprise=SURPRISE)
    text = (tmp_path / FILE).read_text(encoding="utf-8")
    assert shown.text.endswith(text) and "L1 Vector add, Tesla T4, python 3." in text
    assert "  time 2531 µs: 64 Mi, my add, replayed\n  floor 2516 µs: 64 Mi\n" in text
    assert "  peer 2521 µs: 64 Mi, eager, replayed" in text and "  registers 30: add_kernel for a T4" in text
    assert "  missed: microseconds 64 Mi, predicted 2000 to 2400 µs, measured 2531 µs: no cause written yet" in text
    assert text.endswith(f"  surprise: {SURPRISE}\n")
    assert (
        gate(week).proved
        and gate(week).why == "logged with time, floor, ratio, peer, registers, missed, and what surprised you"
    )
    kept = gate(week).record["payload"]
    by_hash = {record["hash"]: record["event"] for record in week.evidence()}
    assert all(by_hash[number["record"]] == number["event"] for number in kept["numbers"])


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        (
            {"time": 1234},
            "time=1234 stands in no record. Nearest is 2531.3 µs (64 Mi, my add, replayed), in the benchmark record",
        ),
        ({"time": 2.53}, "Nearest is"),
        ({"floor": 2400}, "Nearest is 2516 µs (64 Mi)"),
        ({"peer": {"eager": 2700}}, "Nearest is 2540.1 µs (64 Mi, eager, cold)"),
        ({"peer": {"cuBLAS": 2520}}, "nothing of that name stands at 'cuBLAS'; there is 64 Mi, eager, cold"),
        ({"registers": 31}, "Nearest is 30 (add_kernel for a T4)"),
        ({"bandwidth": 320}, "they hold numbers called time, "),
        ({"time": "2531"}, "is not a number; times are in µs"),
        ({"time": True}, "is not a number"),
        ({"time": float("nan")}, "stands in no record"),
    ],
)
def test_a_number_that_no_record_holds_is_refused_with_the_nearest(week, tmp_path, numbers, words):
    with pytest.raises(LogError, match=re.escape(words)):
        log(**numbers, surprise=SURPRISE)
    assert not (tmp_path / FILE).exists() and not gate(week).proved


@pytest.mark.parametrize("surprise", ["", "none", "12 34 56 78 90", "it was fast", 7, None])
def test_a_surprise_is_a_sentence(week, tmp_path, surprise):
    with pytest.raises(LogError, match="say in a sentence"):
        log(time=2531, surprise=surprise)
    assert not (tmp_path / FILE).exists()


def test_what_is_left_open_writes_nothing(week, tmp_path):
    assert log(time=..., floor=2516, surprise=...).text.startswith("Nothing is logged yet: time, surprise still")
    assert "peer" in log(peer={...: 2520}, surprise=SURPRISE).text
    assert "a number at least" in log(surprise=SURPRISE).text
    assert not (tmp_path / FILE).exists()


def test_running_the_cell_again_writes_it_once_and_a_new_entry_below(week, tmp_path):
    log(time=2531, surprise=SURPRISE)
    once = (tmp_path / FILE).read_text()
    assert "already" in log(time=2531, surprise=SURPRISE).text and (tmp_path / FILE).read_text() == once
    log(time=2542, surprise="emptying the cache cost ten more microseconds")
    twice = (tmp_path / FILE).read_text()
    assert twice.startswith(once + "\n") and len(log_record.entries(week.evidence())) == 2
    (tmp_path / FILE).unlink()
    log(time=2542, surprise="emptying the cache cost ten more microseconds")
    assert "emptying the cache" in (tmp_path / FILE).read_text()


def test_removing_the_record_behind_a_number_opens_the_gate(week):
    log(time=2531, registers=30, surprise=SURPRISE)
    own = week.evidence()
    for event in ("benchmark", "compile", "log"):
        left = [record for record in own if record["event"] != event]
        found = log_record.proof(week.lesson, left)
        assert found.record is None
        if event != "log":
            assert "is gone" in found.why


@pytest.mark.parametrize(
    "payload",
    [
        {}, {"numbers": [], "surprise": SURPRISE}, {"numbers": "many", "surprise": SURPRISE}, {"numbers": [3], "surprise": SURPRISE},
        {"numbers": [{"name": "time", "said": 2531.0, "record": "0" * 64}], "surprise": SURPRISE},
    ],
)  # fmt: skip
def test_a_forged_entry_proves_nothing(week, payload):
    week.note("log", payload)
    assert not gate(week).proved


def test_an_entry_whose_number_was_changed_proves_nothing(week):
    log(time=2531, surprise=SURPRISE)
    payload = dict(gate(week).record["payload"])
    payload["numbers"] = [{**payload["numbers"][0], "said": 253.1}]
    record = {"event": "log", "lesson": "vector_add", "payload": payload}
    own = [record for record in week.evidence() if record["event"] != "log"]
    assert log_record.proof(week.lesson, [*own, record]).record is None


def test_what_a_lessons_own_cell_measured_may_be_logged_and_borrows_no_name(week, tmp_path):
    measured(exponentials={"rising": 199, "falling": 198})
    log(exponentials={"falling": 198}, surprise=SURPRISE)
    assert "exponentials 198: falling" in (tmp_path / FILE).read_text()
    with pytest.raises(LogError, match="199"):
        log(exponentials={"rising": 198}, surprise=SURPRISE)
    with pytest.raises(LogError, match="the course's own measures"):
        measured(time={"mine": 3})
    with pytest.raises(LogError, match="not a number"):
        measured(exponentials={"rising": "many"})


def test_where_nothing_is_kept_nothing_is_written(week, tmp_path):
    kept, week.log, week.why = week.log, None, "nbgrader runs this notebook"
    known = records.read(kept).records
    week.evidence = lambda: known
    assert "nothing is written: nbgrader runs this notebook" in log(time=2531, surprise=SURPRISE).text
    assert not (tmp_path / FILE).exists()


def test_outside_a_lesson_it_says_so(monkeypatch):
    monkeypatch.setattr(settings, "_default", settings.Setting())
    with pytest.raises(LogError, match="no lesson is open here"):
        log(time=3, surprise=SURPRISE)


def test_a_file_that_cannot_be_written_is_named_and_leaves_no_record(week, tmp_path):
    (tmp_path / FILE).mkdir()
    with pytest.raises(LogError, match=r"logs\.txt cannot be written"):
        log(time=2531, surprise=SURPRISE)
    assert not log_record.entries(week.evidence())


def test_a_torn_last_line_is_closed_and_kept(tmp_path):
    (tmp_path / FILE).write_text("by hand, without a line end")
    append(tmp_path / FILE, "one\n")
    append(tmp_path / FILE, "two\n")
    assert (tmp_path / FILE).read_text() == "by hand, without a line end\n\none\n\ntwo\n"


def _write(path, number):
    for line in range(20):
        append(path, f"{number} {line} " + "x" * 500 + "\n")


@pytest.mark.slow
def test_entries_of_several_processes_never_mix(tmp_path):
    running = [multiprocessing.get_context("spawn").Process(target=_write, args=(tmp_path / FILE, n)) for n in range(3)]
    for process in running:
        process.start()
    for process in running:
        process.join()
    blocks = (tmp_path / FILE).read_text().split("\n\n")
    assert len(blocks) == 60 and all(re.fullmatch(r"\d \d+ x{500}\n?", block) for block in blocks)


@given(st.floats(1e-3, 1e6), st.floats(0.5, 2.0))
def test_a_number_is_the_one_held_within_a_hundredth(value, factor):
    one = log_numbers.Held("time", "", value, "µs")
    assert one.says(value * factor) is (abs(value * factor - value) <= 0.01 * value)
    assert one.says(float(f"{value:.3g}"))


@given(st.integers(0, 999), st.integers(0, 999))
def test_small_counts_must_be_equal(value, said):
    assert log_numbers.Held("registers", "", float(value)).says(said) is (said == value)


@given(
    st.lists(
        st.dictionaries(st.text(max_size=5), st.none() | st.integers() | st.text(max_size=5), max_size=4), max_size=4
    )
)
def test_records_of_any_form_are_read(payloads):
    events = ("benchmark", "compile", "launch", "parity", "log", "prediction")
    made = [
        {"event": event, "lesson": "vector_add", "payload": {"cases": payloads, "kernels": payloads, "trace": payloads, "numbers": 3, **payload}}
        for event in events for payload in payloads
    ]  # fmt: skip
    log_numbers.held("vector_add", made)
    assert log_record.proof(lesson.load("vector_add"), made).record is None


def test_what_waits_is_told_with_the_numbers_that_the_records_hold(week):
    told = log(time=..., surprise=...).text
    assert told.startswith("Nothing is logged yet: time, surprise still to be said.")
    assert "\n  registers: 30 (add_kernel for a T4)\n" in told and "\n  floor: 2516 µs (64 Mi)\n" in told
    assert "tuned: a benchmark on a GPU would add them" in told


def test_without_a_gpu_there_is_a_number_to_log_and_words_on_what_a_gpu_adds(tmp_path, monkeypatch):
    before = settings._default
    monkeypatch.setattr(session, "_session", None)
    opened = session.begin("vector_add", folder=tmp_path)
    try:
        assert "hold no number yet: run the cells" in log(time=..., surprise=...).text
        opened.note("compile", COMPILED, device="interpreter")
        told = log(time=..., surprise=...).text
        assert "registers: 30 (add_kernel for a T4)" in told
        assert "time, floor, ratio, peer, tuned: a benchmark on a GPU would add them" in told
        log(registers=30, surprise=SURPRISE)
        assert gate(opened).proved
    finally:
        settings.install(before)
