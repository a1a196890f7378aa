"""The log of evidence: what is written stays, what is damaged is reported, what is undamaged survives."""

import json
import multiprocessing
import os
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from learning.gates import records
from learning.gates.lock import LockedOut, locked

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture
def log(tmp_path):
    return tmp_path / "vector_add" / records.FILE


@pytest.fixture(scope="module")
def four_records(tmp_path_factory):
    """The bytes of a log with four records of different events, and the records."""
    path = tmp_path_factory.mktemp("log") / records.FILE
    kept = [
        records.append(path, "reference", "vector_add"),
        records.append(path, "parity", "vector_add", device="interpreter", payload={"checks": [{"device": "cuda"}]}),
        records.append(path, "parity", "softmax", device="cuda", source="a" * 64, payload={"größe": "½ \n"}),
        records.append(path, "log", "vector_add", payload={"words": "surprising"}),
    ]
    return path.read_bytes(), kept


def test_a_record_says_what_happened_where_and_with_which_versions(log):
    record = records.append(log, "parity", "vector_add", device="cuda", source="ab" * 32, payload={"k": [1, 2.5, None]})
    assert record["sequence"] == 1 and record["previous"] == ""
    assert record["time"].endswith("+00:00")
    assert set(record["environment"]) == {"python", "platform", "torch", "triton", "numpy"}
    assert record["environment"]["torch"]
    assert records.read(log).records == [record]
    assert json.loads(log.read_text()) == record


def test_each_record_holds_the_hash_of_the_one_before(four_records):
    data, kept = four_records
    assert [record["sequence"] for record in kept] == [1, 2, 3, 4]
    assert [record["previous"] for record in kept[1:]] == [record["hash"] for record in kept[:-1]]
    found = records.parse(data)
    assert found.records == kept and not found.damage and not found.refused
    assert [record["event"] for record in found.of("vector_add")] == ["reference", "parity", "log"]


def test_no_log_yet_is_an_empty_log(log):
    assert records.read(log) == records.Records()


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(payload=st.dictionaries(st.text(), JSON, max_size=4))
def test_any_json_payload_comes_back_as_it_was(tmp_path, payload):
    path = tmp_path / "any.jsonl"
    path.unlink(missing_ok=True)
    records.append(path, "tick", "vector_add", payload=payload)
    found = records.read(path)
    assert not found.damage
    assert found.records[0]["payload"] == payload


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_a_flipped_bit_is_reported_and_every_record_before_it_survives(four_records, data):
    whole, kept = four_records
    place = data.draw(st.integers(0, len(whole) - 1))
    flipped = bytearray(whole)
    flipped[place] ^= 1 << data.draw(st.integers(0, 7))
    found = records.parse(bytes(flipped))
    before = whole[:place].count(b"\n")
    assert found.damage
    assert found.damage[0].line <= before + 1
    assert found.records[:before] == kept[:before]
    assert all(record in kept for record in found.records)


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_a_log_cut_anywhere_keeps_its_whole_records_and_shows_the_cut(four_records, data):
    whole, kept = four_records
    cut = data.draw(st.integers(0, len(whole)))
    found = records.parse(whole[:cut])
    lines = whole[:cut].count(b"\n")
    assert found.records[:lines] == kept[:lines]
    between = cut == 0 or whole[cut - 1 : cut] == b"\n"  # an earlier state of the log, which is no damage
    assert bool(found.damage) == (not between)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_appending_after_a_torn_write_changes_no_byte_and_continues_the_chain(four_records, tmp_path, data):
    whole, kept = four_records
    cut = data.draw(st.integers(0, len(whole)))
    path = tmp_path / "torn.jsonl"
    path.write_bytes(whole[:cut])
    added = records.append(path, "tick", "vector_add")
    assert path.read_bytes().startswith(whole[:cut])
    found = records.read(path)
    assert found.records[-1] == added
    survivors = [record for record in found.records if record in kept]
    assert len(survivors) >= whole[:cut].count(b"\n")
    assert added["previous"] == (survivors[-1]["hash"] if survivors else "")
    assert not any("missing" in damage.reason for damage in found.damage)


@settings(max_examples=200, deadline=None)
@given(noise=st.binary(max_size=300), place=st.integers(0, 4))
def test_noise_between_records_never_costs_a_record(four_records, noise, place):
    whole, kept = four_records
    lines = whole.splitlines(keepends=True)
    found = records.parse(b"".join(lines[:place]) + noise + b"\n" + b"".join(lines[place:]))
    assert found.records == kept
    assert found.damage


def test_a_removed_record_is_noticed_and_the_others_stay(four_records):
    whole, kept = four_records
    lines = whole.splitlines(keepends=True)
    found = records.parse(lines[0] + lines[1] + lines[3])
    assert found.records == [kept[0], kept[1], kept[3]]
    assert [(d.line, "missing" in d.reason) for d in found.damage] == [(3, True)]


def test_a_chain_may_fork_where_two_machines_went_on_and_a_gap_in_either_is_still_noticed(log, tmp_path):
    shared = records.append(log, "tick", "vector_add")
    other = tmp_path / "other.jsonl"
    other.write_bytes(log.read_bytes())
    mine = records.append(log, "tick", "vector_add", payload={"who": "mine"})
    yours = [records.append(other, "tick", "vector_add", payload={"number": number}) for number in range(2)]
    joined = log.read_bytes() + b"".join(other.read_bytes().splitlines(keepends=True)[1:])
    found = records.parse(joined)
    assert found.records == [shared, mine, *yours] and not found.damage
    gap = records.parse(log.read_bytes() + other.read_bytes().splitlines(keepends=True)[2])
    assert gap.records == [shared, mine, yours[1]] and "missing" in gap.damage[0].reason
    headless = records.parse(other.read_bytes().split(b"\n", 1)[1])
    assert headless.records == yours and "missing" in headless.damage[0].reason


def test_a_copied_record_counts_once(four_records):
    whole, kept = four_records
    lines = whole.splitlines(keepends=True)
    found = records.parse(whole + lines[1])
    assert found.records == kept
    assert [d.sentence() for d in found.damage] == ["line 5: repeats line 2"]


def test_an_edited_record_is_dropped_by_name_of_its_line(four_records):
    whole, kept = four_records
    found = records.parse(whole.replace(b'"device":"interpreter"', b'"device":"cuda"'))
    assert found.records == [kept[0], kept[2], kept[3]]
    assert found.damage[0].line == 2 and "changed" in found.damage[0].reason


def test_a_log_that_went_through_windows_line_ends_is_whole(four_records):
    whole, kept = four_records
    found = records.parse(b"\xef\xbb\xbf" + whole.replace(b"\n", b"\r\n"))
    assert found.records == kept and not found.damage


@pytest.mark.parametrize(
    "line",
    [b"[]", b"null", b"{}", b"[" * 5000, b'{"device":' * 3000, b"\xff\xfe", b'{"format":1}', b"9" * 9000],
    ids=["list", "null", "empty", "deep", "deep_start", "bytes", "fields_missing", "digits"],
)
def test_a_strange_line_is_damage_and_nothing_more(four_records, line):
    whole, kept = four_records
    found = records.parse(line + b"\n" + whole)
    assert found.records == kept
    assert [d.line for d in found.damage] == [1]


def test_evidence_made_by_tests_needs_the_fixture_flag_both_ways(log):
    with pytest.raises(records.RecordError, match="made by tests"):
        records.append(log, "parity", "vector_add", device="test")
    assert not log.exists()
    admitted = records.append(log, "parity", "vector_add", device="test", fixture=True)
    after = records.append(log, "tick", "vector_add")
    assert records.read(log).records == [after] and records.read(log).refused == [admitted]
    assert not records.read(log).damage
    assert records.read(log, fixture=True).records == [admitted, after]


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"event": "party"}, "event 'party'"),
        ({"lesson": ""}, "lesson is empty"),
        ({"device": "t4"}, "device 't4'"),
        ({"payload": {"loss": float("nan")}}, "JSON values"),
        ({"payload": {"tensor": object()}}, "JSON values"),
    ],
)
def test_a_bad_field_is_refused_by_name_and_nothing_is_written(log, fields, named):
    given_ = {"event": "parity", "lesson": "vector_add", **fields}
    with pytest.raises(records.RecordError, match=named):
        records.append(log, given_.pop("event"), given_.pop("lesson"), **given_)
    assert not log.exists()


def test_a_folder_in_place_of_the_log_is_named(tmp_path):
    with pytest.raises(OSError):
        records.append(tmp_path, "tick", "vector_add")
    with pytest.raises(records.RecordError, match="not a regular file"):
        records.read(tmp_path)


def _append_many(path, who, count, gate):
    gate.wait()
    for number in range(count):
        records.append(path, "tick", "vector_add", payload={"who": who, "number": number, "bulk": "x" * 3000})


def test_processes_that_append_at_once_lose_nothing(log):
    spawn = multiprocessing.get_context("fork")
    gate = spawn.Barrier(4)
    writers = [spawn.Process(target=_append_many, args=(log, who, 25, gate)) for who in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert [writer.exitcode for writer in writers] == [0] * 4
    found = records.read(log)
    assert not found.damage
    assert [record["sequence"] for record in found] == list(range(1, 101))
    for who in range(4):
        assert [r["payload"]["number"] for r in found if r["payload"]["who"] == who] == list(range(25))


def test_a_writer_killed_in_the_middle_of_a_line_costs_only_that_line(log):
    first = records.append(log, "tick", "vector_add")
    half = records.canonical(first)[:100]
    script = f"import os,sys; h=os.open({str(log)!r}, os.O_WRONLY|os.O_APPEND); os.write(h, {half!r}); os.kill(os.getpid(), 9)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == -9
    second = records.append(log, "tick", "vector_add")
    found = records.read(log)
    assert found.records == [first, second]
    assert [d.line for d in found.damage] == [2] and half in log.read_bytes()


def test_a_log_somebody_keeps_locked_gives_up_in_words(log):
    records.append(log, "tick", "vector_add")
    holder = os.open(log, os.O_RDWR)
    other = os.open(log, os.O_RDWR)
    try:
        with locked(holder), pytest.raises(LockedOut, match="stayed locked"), locked(other, wait=0.05):
            pass
        with locked(other, wait=0.05):
            pass
    finally:
        os.close(holder)
        os.close(other)


def test_a_long_log_is_continued_from_its_end(log):
    for number in range(3):
        records.append(log, "tick", "vector_add", payload={"bulk": "y" * 50_000, "number": number})
    with open(log, "ab") as handle:
        handle.write(b"z" * 200_000)
    added = records.append(log, "tick", "vector_add")
    assert added["sequence"] == 4
    found = records.read(log)
    assert len(found) == 4 and [d.line for d in found.damage] == [4]


def test_the_log_works_with_nothing_installed(log):
    code = (
        f"from learning.gates import records; records.append({str(log)!r}, 'tick', 'vector_add');"
        f"found = records.read({str(log)!r}); assert len(found) == 1 and not found.damage"
    )
    subprocess.run([sys.executable, "-S", "-c", code], check=True, cwd=os.fspath(_root()))


def _root():
    import learning

    return os.path.dirname(os.path.dirname(learning.__file__))
