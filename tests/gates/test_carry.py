"""Progress carried to another machine: what both wrote is kept, nothing twice, and no byte that is there changes."""

import json
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from learning.gates import carry, records
from learning.gates.carry import CarryError
from learning.gates.progress import progress
from learning.lesson import load

SLUG = "vector_add"


@pytest.fixture(scope="module")
def forked(tmp_path_factory):
    """Three records that two machines share, then three of the one and two of the other: (shared, one, other) as lines."""
    folder = tmp_path_factory.mktemp("forked")
    one, other = folder / "one.jsonl", folder / "other.jsonl"
    for number in range(3):
        records.append(one, "tick", SLUG, payload={"number": number})
    other.write_bytes(one.read_bytes())
    for path, count, who in ((one, 3, "one"), (other, 2, "other")):
        for number in range(count):
            records.append(path, "tick", SLUG, payload={"who": who, "number": number})
    first, second = (path.read_bytes().splitlines(keepends=True) for path in (one, other))
    return first[:3], first[3:], second[3:]


def log(lines):
    return b"".join(lines)


def hashes(data):
    return {record["hash"] for record in records.parse(data)}


def test_two_machines_that_both_went_on_keep_everything_and_the_chain_is_sound(forked, tmp_path):
    shared, one, other = forked
    here = tmp_path / records.FILE
    here.write_bytes(log(shared + one))
    told = carry.merge(here, log(shared + other))
    found = records.read(here)
    assert (told.added, told.known, told.apart) == (2, 3, True)
    assert len(found) == 8 and not found.damage
    added = records.append(here, "tick", SLUG)
    after = records.read(here)
    assert after.records[-1] == added and not after.damage


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_two_subsets_of_records_make_their_union_in_both_directions(forked, tmp_path, data):
    shared, one, other = forked
    everything = shared + one + other
    here, there = (data.draw(st.lists(st.sampled_from(everything), unique=True)) for _ in range(2))
    outcome = []
    for name, (held, brought) in {"a": (here, there), "b": (there, here)}.items():
        path = tmp_path / f"{name}.jsonl"
        path.write_bytes(log(held))
        told = carry.merge(path, log(brought))
        merged = path.read_bytes()
        assert merged.startswith(log(held))
        assert told.added == len(set(brought) - set(held)) and told.known == len(set(brought) & set(held))
        assert hashes(merged) == hashes(log(held)) | hashes(log(brought))
        again = carry.merge(path, log(brought))
        assert again.added == 0 and path.read_bytes() == merged
        outcome.append(hashes(merged))
    assert outcome[0] == outcome[1]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(mine=st.integers(0, 3), yours=st.integers(0, 2), cut=st.integers(0, 3))
def test_logs_as_two_machines_leave_them_join_without_damage(forked, tmp_path, mine, yours, cut):
    shared, one, other = forked
    path = tmp_path / "joined.jsonl"
    path.write_bytes(log(shared[:cut] if cut < 3 else shared + one[:mine]))
    carry.merge(path, log(shared + other[:yours]))
    assert not records.read(path).damage


def test_a_torn_line_here_and_a_damaged_one_there_cost_nobody_elses_record(forked, tmp_path):
    shared, one, _ = forked
    path = tmp_path / records.FILE
    path.write_bytes(shared[0] + shared[1][:50])
    told = carry.merge(path, log([shared[0], shared[1], one[0].replace(b'"who":"one"', b'"who":"two"'), shared[2]]))
    assert told.added == 2
    assert [note for note in told.notes if "line 3" in note and "changed" in note]
    found = records.read(path)
    assert hashes(path.read_bytes()) == hashes(log(shared)) and [d.line for d in found.damage] == [2]


def test_evidence_made_by_tests_is_left_out_and_named(tmp_path):
    records.append(tmp_path / "there.jsonl", "parity", SLUG, device="test", fixture=True)
    told = carry.merge(tmp_path / "here.jsonl", (tmp_path / "there.jsonl").read_bytes())
    assert told.added == 0 and "made by tests" in told.notes[0]
    assert (tmp_path / "here.jsonl").read_bytes() == b""


@pytest.fixture
def machine(tmp_path):
    """``machine(name)``: a work folder with two lessons in it, some evidence and a log."""

    def made(name):
        work = tmp_path / name
        records.append(work / SLUG / records.FILE, "reference", SLUG, payload={"before_launch": True})
        records.append(work / "softmax" / records.FILE, "tick", "softmax", payload={"gate": "log"})
        (work / SLUG / "logs.txt").write_text("week 1: 2.6 ms\n")
        (work / SLUG / "vector_add.ipynb").write_text("{}")
        return work

    return made


def test_progress_arrives_on_a_fresh_machine_and_proves_its_gates_there(machine, tmp_path):
    here, there = machine("here"), tmp_path / "there"
    assert carry.pack(here, tmp_path / "p.zip") == ["softmax", SLUG]
    told = {one.lesson: one for one in carry.unpack(tmp_path / "p.zip", there)}
    assert told[SLUG].added == 1 and "made" in told[SLUG].sentence()
    assert (there / SLUG / "logs.txt").read_text() == "week 1: 2.6 ms\n"
    assert not (there / SLUG / "vector_add.ipynb").exists()  # a notebook is the learner's own to carry
    state = progress(load(SLUG), records.read(there / SLUG / records.FILE).records)
    assert state.proved == 1
    assert [one.added for one in carry.unpack(tmp_path / "p.zip", there)] == [0, 0]


def test_a_log_is_continued_or_kept_beside_and_never_overwritten(machine, tmp_path):
    here, there = machine("here"), machine("there")
    (here / SLUG / "logs.txt").write_text("week 1: 2.6 ms\nweek 2: 40 µs\n")
    carry.pack(here, tmp_path / "longer.zip")
    assert "continued" in carry.unpack(tmp_path / "longer.zip", there)[-1].log
    assert (there / SLUG / "logs.txt").read_text().endswith("week 2: 40 µs\n")
    (there / SLUG / "logs.txt").write_text("another week\n")
    for word in ("kept", "already"):
        (note,) = [n for one in carry.unpack(tmp_path / "longer.zip", there) for n in one.notes]
        assert "differs" in note and word in note
    assert (there / SLUG / "logs.txt").read_text() == "another week\n"
    (beside,) = (there / SLUG).glob("logs.carried-*.txt")
    assert "week 2" in beside.read_text()


def test_entries_that_two_machines_logged_stand_in_one_file(tmp_path):
    first, mine, yours = (f"2026-11-{day} 20:00  L1 Vector add, {who}\n  surprise: {who} did\n" for day, who in
                          ((20, "shared"), (21, "mine"), (22, "yours")))  # fmt: skip
    here, there = tmp_path / "here" / SLUG / "logs.txt", tmp_path / "there" / SLUG / "logs.txt"
    for path, last in ((here, mine), (there, yours)):
        path.parent.mkdir(parents=True)
        path.write_text(f"{first}\n{last}")
    (told,) = carry.bring(tmp_path / "there", tmp_path / "here")
    assert told.log == "logs.txt continued" and here.read_text() == f"{first}\n{mine}\n{yours}"
    (again,) = carry.bring(tmp_path / "there", tmp_path / "here")
    assert again.log == "" and not again.notes and here.read_text() == f"{first}\n{mine}\n{yours}"
    assert not list(here.parent.glob("logs.carried-*"))


def test_an_export_replaces_nothing_and_says_when_there_is_nothing(machine, tmp_path):
    here = machine("here")
    carry.pack(here, tmp_path / "p.zip")
    before = (tmp_path / "p.zip").read_bytes()
    with pytest.raises(CarryError, match="exists already"):
        carry.pack(here, tmp_path / "p.zip")
    assert (tmp_path / "p.zip").read_bytes() == before
    with pytest.raises(CarryError, match="no progress yet"):
        carry.pack(tmp_path / "nowhere", tmp_path / "q.zip")
    assert not list(tmp_path.glob(".*part")) and not (tmp_path / "q.zip").exists()


def _zip(path, **members):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/").replace("_dot_", "."), data)
    return path


def test_a_file_that_is_no_export_is_refused_by_name(tmp_path):
    (tmp_path / "torn.zip").write_bytes(b"PK\x03\x04 and then nothing")
    manifest = json.dumps({"format": 99})
    for path, words in (
        (tmp_path / "torn.zip", "no whole zip"),
        (tmp_path / "missing.zip", "no file"),
        (_zip(tmp_path / "other.zip", readme="hello"), "not written by this course"),
        (_zip(tmp_path / "newer.zip", carry_dot_json=manifest), "another version"),
        (_zip(tmp_path / "list.zip", carry_dot_json="[]"), "another version"),
    ):
        with pytest.raises(CarryError, match=words):
            carry.unpack(path, tmp_path / "work")
    assert not (tmp_path / "work").exists()


def test_members_that_are_no_progress_are_never_written(tmp_path):
    path = tmp_path / "sly.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("carry.json", json.dumps({"format": 1}))
        for name in (
            "../evil/progress.jsonl",
            "/etc/logs.txt",
            "vector_add/answer.py",
            "a/b/progress.jsonl",
            "A-B/logs.txt",
        ):
            archive.writestr(name, "x")
    assert carry.unpack(path, tmp_path / "work") == []
    assert not (tmp_path / "work").exists() and not (tmp_path / "evil").exists()


def test_a_member_too_large_to_be_progress_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "MAX_BYTES", 1000)
    path = _zip(tmp_path / "big.zip", carry_dot_json=json.dumps({"format": 1}), vector_add__logs_dot_txt="x" * 2000)
    with pytest.raises(CarryError, match=r"logs\.txt holds more"):
        carry.unpack(path, tmp_path / "work")
