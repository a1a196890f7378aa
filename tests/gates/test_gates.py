"""Gates as a pure function of records: whatever the records are, in whatever order, and whichever of them are missing."""

import copy
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learning import lesson as lessons
from learning.gates import records, told
from learning.gates.progress import PROOFS, UNREADABLE, progress
from learning.lesson import GATES

GPU, CPU = lessons.load("vector_add"), lessons.load("online_normalizer")


def record(event, payload, *, device="cuda", source="a" * 64, lesson=GPU.slug):
    made = {"event": event, "lesson": lesson, "device": device, "source": source, "payload": payload}
    return made | {"hash": records.digest(made)}


def parity(device, state="passed"):
    checks = [{"check": "adds", "state": state, "device": device}]
    return record("parity", {"checks": checks, "public": ["adds"]}, device=device)


TRACE = {
    "launches": [{"kernel": "add_kernel", "grid": [3, 1, 1], "tile": [1024], "tensors": ["x_ptr"], "programs": 3}],
    "tensors": {"x": {"loaded": 2500, "stored": 0, "elements": 2500, "load_passes": 1.0, "store_passes": 0.0,
                      "masked_loads": 572, "load_lanes": 3072, "masked_stores": 0, "others": [0.0]}},
    "result": "out", "output": {"7": 1.0}, "padding": {}, "problems": [],
}  # fmt: skip
FIELDS = {"grid": [3, 1, 1], "tile": [1024], "passes": {"x": 1.0}, "masked": {"x": 572}, "padding": {"x": 0.0},
          "bound": "memory", "launch_share": [0.0, 0.5]}  # fmt: skip
TIMES = {"case": "large", "microseconds": {"graph": 2600.0, "events": 2610.0}, "bytes": 805306368, "flops": 67108864,
         "card": "Tesla T4", "samples": {"cold": [2.6, 2.6]}}  # fmt: skip
LOADS = {"kernel": "add_kernel", "loads": {"16": 4}}
LAUNCH = record("launch", {"case": "", "trace": TRACE, "rules": {"broken": []}}, device="interpreter")
PREDICTION = record("prediction", {"fields": FIELDS, "case": ""}, source="")
WEEK = [
    record("reference", {"before_launch": True}, source=""),
    PREDICTION,
    LAUNCH,
    record("compile", {"kernels": [LOADS], "reading": LOADS}, device="interpreter"),
    parity("cuda"),
    record("benchmark", {"cases": [TIMES]}),
]


def proved(made, card=GPU):
    return [gate.id for gate in progress(card, made).gates if gate.proved]


def states(made, card=GPU):
    return {gate.id: gate.state for gate in progress(card, made).gates}


def test_a_week_of_evidence_proves_what_it_is_evidence_of():
    assert proved(WEEK) == ["reference", "grid", "tile", "masks", "kernel", "parity", "bench", "bound", "compare"]


@pytest.mark.parametrize(
    ("missing", "reopened"),
    [
        ("reference", {"reference"}),
        ("prediction", {"grid", "tile", "masks", "bound", "compare"}),
        ("launch", {"grid", "tile", "masks", "kernel", "compare"}),
        ("compile", {"compare"}),
        ("parity", {"parity"}),
        ("benchmark", {"bench", "bound", "compare"}),
    ],
)
def test_removing_a_record_reopens_its_gates_and_no_other(missing, reopened):
    kept = [one for one in WEEK if one["event"] != missing]
    assert set(proved(WEEK)) - set(proved(kept)) == reopened


def test_a_pass_on_the_interpreter_waits_for_a_gpu_and_so_does_what_only_a_gpu_can_measure():
    without = [
        parity("interpreter") if one["event"] == "parity" else one for one in WEEK if one["event"] != "benchmark"
    ]
    found = states(without)
    assert {gate for gate, state in found.items() if state == "waiting for a GPU"} == {
        "parity",
        "bench",
        "bound",
        "compare",
    }
    assert str(progress(GPU, without)) == "progress 5/12"
    before_it_passes = states([one for one in without if one["event"] != "parity"])
    assert "waiting for a GPU" not in before_it_passes.values()  # there is still something to do here
    on_a_gpu = states([one for one in WEEK if one["event"] != "benchmark"])
    assert on_a_gpu["bench"] == "open" and on_a_gpu["bound"] == "open"


def test_gate_05_is_open_with_the_rule_that_is_broken_until_a_run_keeps_them_all():
    broken = record("launch", {"trace": TRACE, "rules": {"broken": ["a stride written as a number, 781"]}})
    gate = progress(GPU, [broken]).gates[4]
    assert (gate.state, gate.why) == ("open", "a stride written as a number, 781")
    assert proved([broken, LAUNCH]) == ["kernel"] and proved([LAUNCH, broken]) == ["kernel"]
    assert progress(GPU, [record("launch", {"trace": TRACE})]).gates[4].why.startswith("run predictions.compare()")
    assert proved([LAUNCH | {"source": ""}]) == []


def test_every_gate_says_what_proves_it_and_how_to_get_it():
    for card in lessons.discover():
        for name, gate in zip(GATES, progress(card, []).gates, strict=True):
            words = told.of(card, name)
            assert (gate.name, gate.proof, gate.how) == words and all(words)
            assert "{" not in words.how.replace("{…: …}", "") and words.how.endswith(".")
            assert not words.proof.endswith(".") and words.name == words.name.strip()


WORDS = st.sampled_from(
    ["fields", "checks", "public", "cases", "kernels", "trace", "rules", "broken", "launches", "tensors", "output", "padding",
     "problems", "gate", "ticked", "causes", "reading", "samples", "microseconds", "graph", "events", "grid", "tile", "masked",
     "passes", "bound", "launch_share", "registers", "occupancy", "loads", "kernel", "x", "state", "check", "before_launch",
     "bytes", "card", "result", "stored", "log", "numbers", "surprise", "tuned", "configs", "key", "blank_page"]
)  # fmt: skip
LEAVES = st.one_of(st.none(), st.booleans(), st.integers(-3, 3000), st.floats(allow_nan=False, allow_infinity=False), WORDS,
                   st.sampled_from(["passed", "cuda", "nan", "inf", "none", "Tesla T4", ""]))  # fmt: skip
JSON = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=4))
PAYLOADS = st.dictionaries(WORDS, JSON, max_size=5)
STRANGE = st.builds(record, st.sampled_from(records.EVENTS), PAYLOADS, device=st.sampled_from(["", "cuda", "interpreter", "cpu"]),
                    source=st.sampled_from(["", "a" * 64]), lesson=st.sampled_from([GPU.slug, CPU.slug]))  # fmt: skip


def bent(made, path, value):
    """A copy of a record whose payload has ``value`` somewhere inside."""
    made = copy.deepcopy(made)
    here = made["payload"]
    while isinstance(here, (dict, list)) and here:
        keys = list(here) if isinstance(here, dict) else list(range(len(here)))
        key = keys[path % len(keys)]
        path //= len(keys)
        if path == 0 or not isinstance(here[key], (dict, list)):
            here[key] = value
            break
        here = here[key]
    return made


BENT = st.builds(bent, st.sampled_from(WEEK), st.integers(0, 5000), JSON)
SEQUENCES = st.lists(st.one_of(st.sampled_from(WEEK), BENT, STRANGE), max_size=9)


@settings(max_examples=60, deadline=None)
@given(SEQUENCES)
def test_any_records_are_read_without_an_error_twice_alike_and_are_left_as_they_are(made):
    before = json.dumps(made)
    for card in (GPU, CPU):
        once, again = progress(card, made), progress(card, iter(made))
        assert once == again and len(once.gates) == 12
        assert 0 <= once.proved + once.claimed <= once.total == len(card.gates)
        for gate in once.gates:
            assert UNREADABLE not in gate.why, gate
            assert gate.proved == (gate.record is not None) and gate.why
            assert gate.proved or gate.record is None
    assert json.dumps(made) == before


@settings(max_examples=30, deadline=None)
@given(SEQUENCES)
def test_a_gate_is_proved_by_a_record_that_is_there_and_never_by_one_that_was_removed(made):
    for gate in progress(GPU, made).gates:
        if gate.proved:
            assert gate.record in made and gate.record["lesson"] == GPU.slug
            rest = [one for one in made if one != gate.record]
            assert progress(GPU, rest).gates[gate.number - 1].record != gate.record


@settings(max_examples=20, deadline=None)
@given(SEQUENCES, st.data())
def test_records_of_other_lessons_change_nothing_wherever_they_stand(made, data):
    mixed = list(made)
    for _ in range(3):
        other = record("parity", {"checks": [], "public": []}, lesson="softmax")
        mixed.insert(data.draw(st.integers(0, len(mixed))), other)
    assert progress(GPU, mixed) == progress(GPU, made)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1 << 30), st.binary(min_size=0, max_size=3))
def test_a_log_that_was_cut_or_overwritten_anywhere_is_read_and_its_damage_told(place, garbage):
    data = b"".join(WHOLE)
    place %= len(data)
    for broken in (data[:place], data[:place] + garbage + data[place + len(garbage) :]):
        found = records.parse(broken)
        assert set(proved(found.records)) <= set(proved(records.parse(data).records)) | {
            "grid",
            "tile",
            "masks",
            "compare",
        }
        assert found.damage or broken == data or broken in [b"".join(WHOLE[:n]) for n in range(len(WHOLE) + 1)]


def _log():
    """The week's records as lines of a log, chained."""
    lines, previous = [], ""
    for number, one in enumerate(WEEK, 1):
        made = {name: value for name, value in one.items() if name != "hash"}
        made |= {"format": 1, "time": "t", "environment": {}, "sequence": number, "previous": previous}
        made["hash"] = previous = records.digest(made)
        lines.append(records.canonical(made) + b"\n")
    return lines


WHOLE = _log()


def test_proofs_are_keyed_by_gates_there_are():
    assert set(PROOFS) <= set(GATES)
