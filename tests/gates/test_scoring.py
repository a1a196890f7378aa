"""A score is a pure function of the records: the first lock before the first launch, beside what was measured."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learning import lesson as lessons
from learning.gates import records
from learning.gates.comparison import page
from learning.gates.fields import canonical
from learning.gates.progress import progress
from learning.gates.rows import interval_points, interval_score
from learning.gates.scoring import compare, predictions

ROOT = Path(records.__file__).parents[2]
GPU, CPU = lessons.load("vector_add"), lessons.load("online_normalizer")
X = {"elements": 2500, "load_passes": 1.0, "store_passes": 0.0, "stored": 0, "masked_loads": 572, "masked_stores": 0,
     "others": [0.0], "most_loaded": 1, "most_stored": 0}  # fmt: skip
OUT = X | {
    "load_passes": 0.0,
    "store_passes": 1.0,
    "stored": 2500,
    "masked_loads": 0,
    "masked_stores": 572,
    "others": [],
}
LAUNCH = {"kernel": "add_kernel", "grid": [3, 1, 1], "programs": 3, "tile": [1024], "tensors": ["x_ptr", "out_ptr"]}
TRACE = {"launches": [LAUNCH], "tensors": {"x": X, "out": OUT}, "output": {"2499": 27489.0}}
COMPILED = {"kernel": "add_kernel", "target": "sm_75", "card": "Tesla T4", "registers": 20, "occupancy": 1.0,
            "limiter": "threads", "shared": 0, "warps": 4}  # fmt: skip
CASE = {"case": "64 Mi", "microseconds": {"graph": 2600.0, "events": 2620.0}, "bytes": 12 << 26, "flops": 1 << 26,
        "card": "Tesla T4"}  # fmt: skip
RIGHT = {"grid": 3, "tile": 1024, "passes": {"x": 1, "out": 1}, "masked": 572, "padding": 0.0}


def record(event, payload, lesson=GPU, device=""):
    return {"event": event, "lesson": lesson.slug, "device": device, "source": "a" * 64, "payload": payload}


def lock(lesson=GPU, **fields):
    return record("prediction", {"fields": canonical(fields), "case": "2500 elements"}, lesson)


def launch(trace=TRACE, lesson=GPU):
    return record("launch", {"trace": trace} if trace else {"called": ["add"]}, lesson, "interpreter")


def compiled(**changed):
    return record("compile", {"kernels": [COMPILED | changed]}, device="interpreter")


def counted(loads):
    made = COMPILED | {"loads": {"4": 16}, "stores": {"4": 8}}
    return record(
        "compile", {"kernels": [made], "reading": {"kernel": "add_kernel", "loads": loads}}, device="interpreter"
    )


READ = counted({"4": 16})


def timed(device="cuda", **changed):
    return record("benchmark", {"cases": [CASE | changed]}, device=device)


def because(**causes):
    return record("prediction", {"causes": causes})


def passed():
    return record("parity", {"checks": [{"check": "adds", "state": "passed"}]}, device="interpreter")


def only(found, field):
    (row,) = [row for row in found.rows if row.field == field]
    return row


def proved(*log, lesson=GPU):
    return [gate.id for gate in progress(lesson, log).gates if gate.proved]


def test_a_right_prediction_earns_everything():
    found = compare(GPU.slug, [lock(**RIGHT), launch()])
    assert found.state == "scored" and found.points == 1.0 and not any(row.missed for row in found.rows)


@pytest.mark.parametrize("before", [launch(None), launch(), passed()])
def test_what_is_locked_after_the_first_launch_is_late_and_unscored(before):
    found = compare(GPU.slug, [before, lock(**RIGHT), launch()])
    assert (found.state, found.points, found.revisions) == ("late", None, 1)
    assert proved(before, lock(**RIGHT), launch()) == []


def test_a_check_that_failed_is_no_launch():
    failed = record("parity", {"checks": [{"check": "adds", "state": "failed"}]})
    assert compare(GPU.slug, [failed, lock(grid=3), launch()]).points == 1.0


def test_a_later_lock_is_a_revision_that_changes_no_score():
    found = compare(GPU.slug, [lock(grid=4), lock(grid=3), launch(), lock(grid=3)])
    assert found.points == 0.0 and found.revisions == 2 and found.revised == {"grid": [3, 1, 1]}


def test_another_lessons_launch_and_lock_do_not_count():
    other = [launch(None, CPU), lock(CPU, output={0: 1.0})]
    assert compare(GPU.slug, [*other, lock(grid=3), launch()]).points == 1.0


def test_a_launch_measured_before_the_lock_is_no_partner():
    first, later = predictions([launch(), lock(grid=3)])
    assert first is None and len(later) == 1


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"masked": 1144}, "counted 2 times"),
        ({"grid": 2}, "rounded up"),
        ({"tile": 2500}, "power of two"),
        ({"passes": {"x": 2}}, "stays in registers"),
        ({"padding": -math.inf}, "for a maximum"),
        ({"output": {2499: 2499.0}}, "by hand"),
        ({"registers": {"x"}}, "crosses memory"),
        ({"registers": {"t4": (40, 60)}}, "warps"),
        ({"occupancy": (0.0, 0.25)}, "threads"),
        ({"bound": "compute"}, "operations a byte"),
        ({"bound": "launch"}, "outlasts its launch"),
        ({"launch_share": (0.5, 0.9)}, "hide its launch"),
        ({"microseconds": (4000, 5000)}, "Cache"),
        ({"microseconds": (10, 20)}, "Occupancy"),
    ],
)
def test_a_miss_is_shown_with_its_usual_reason_and_asks_for_a_cause(fields, reason):
    log = [lock(**fields), launch(), compiled(), timed()]
    found = compare(GPU.slug, log)
    (row,) = found.rows
    assert row.missed and row.points < 0.6 and any(reason in text for text in row.reasons)
    shown = page(found, GPU, [])
    for text in (shown.text, shown.markdown, shown._repr_html_()):
        assert reason in text and "write yours" in text
    mended = page(compare(GPU.slug, [*log, because(**{row.field: "I counted wrongly"})]), GPU, [])
    assert "your cause: I counted wrongly" in mended.text and "write yours" not in mended.text


def test_every_gap_names_the_predictions_side_and_only_measured_values_are_counted():
    said = {
        "passes": {"x": 3, "out": 0},
        "masked": 600,
        "output": {2499: 0.0, 7: 1e9},
        "bound": "memory",
        "launch_share": (0, 0.1),
    }
    trace = TRACE | {"output": {"2499": 5.0, "7": 1.0}}
    found = compare(GPU.slug, [lock(**said), launch(trace)])
    gaps = {f"{row.field} {row.key}".strip(): row.gap for row in found.rows if row.gap}
    assert gaps["passes x"] == "2.00 passes too many" and gaps["passes out"] == "1.00 passes too few"
    assert gaps["masked"] == "28 lanes too many" and gaps["output 2499"] == "5 too low"
    assert gaps["output 7"].endswith("too high")
    assert "5 of 5 measured values missed. Still to be measured: 2 values of 2 fields." in page(found, GPU, []).text


def test_one_programs_masks_are_told_from_all_programs():
    sums = OUT | {"masked_stores": 81}
    trace = TRACE | {"tensors": {"x": X, "out": sums}}
    row = only(compare(GPU.slug, [lock(masked=27), launch(trace)]), "masked")
    assert "one program's" in row.reasons[0] and row.gap == "54 lanes too few"


def test_the_partners_of_every_field_come_from_trace_compiler_and_benchmark():
    said = RIGHT | {"registers": {"t4": (16, 24)}, "occupancy": (0.9, 1), "bound": "memory", "launch_share": (0, 0.05),
                    "microseconds": (2500, 2700), "output": {2499: 27489}}  # fmt: skip
    found = compare(GPU.slug, [lock(**said), launch(), compiled(), timed()])
    assert found.answered == found.fields == set(said) and not any(row.missed for row in found.rows)
    assert only(found, "launch_share").measured == "1%" and only(found, "bound").measured == "memory-bound"


def test_what_was_not_measured_waits_and_is_not_scored():
    found = compare(GPU.slug, [lock(grid=3, microseconds=(1, 2), occupancy=(0, 1)), launch()])
    assert found.points == 1.0 and found.answered == {"grid"}
    assert "GPU" in only(found, "microseconds").waits and only(found, "occupancy").points is None


def test_a_time_from_anywhere_but_a_gpu_is_no_partner():
    assert compare(GPU.slug, [lock(microseconds=(1, 2)), launch(), timed("interpreter")]).points is None


def test_kernels_are_told_apart_by_name():
    two = TRACE | {"launches": [LAUNCH, LAUNCH | {"kernel": "merge_kernel", "grid": [1, 1, 1], "tile": [64]}]}
    said = {"grid": {"add_kernel": 3, "merge_kernel": 2}, "tile": {"merge_kernel": 64}}
    found = compare(GPU.slug, [lock(**said), launch(two)])
    assert [(row.key, row.points) for row in found.rows] == [
        ("add_kernel", 1.0),
        ("merge_kernel", 0.0),
        ("merge_kernel", 1.0),
    ]


def test_gates_02_to_04_are_proved_by_right_and_by_wrong_predictions_alike():
    wrong = {"grid": 9, "tile": 8, "passes": {"x": 7}, "masked": 6, "padding": 5.0}
    for said in (RIGHT, wrong):
        assert proved(lock(**said)) == []
        assert proved(lock(**said), launch(None)) == []
        assert {"grid", "tile", "masks"} <= set(proved(lock(**said), launch()))
    assert proved(lock(grid=3), launch()) == ["grid"] and proved(lock(grid=3), launch(), READ) == ["grid", "compare"]


def test_gate_08_needs_a_gpu_and_gate_09_a_cause_for_each_miss_and_the_loads_counted():
    said = {"bound": "compute", "launch_share": (0, 0.1)}
    assert proved(lock(**said), launch(), timed("interpreter")) == []
    assert proved(lock(**said), launch(), timed()) == ["bound"]
    early = progress(GPU, [lock(**said), launch()]).gates[8]
    assert "to do now: the loads in your kernel's PTX, reading.count" in early.why
    assert "to do now" not in progress(GPU, [lock(**said), launch(), READ]).gates[8].why
    explained = [lock(**said), launch(), timed(), because(bound="I forgot the bytes")]
    assert proved(*explained) == ["bound"] and proved(*explained, READ) == ["bound", "compare"]
    gate = progress(GPU, explained).gates[8]
    assert "reading.count" in gate.why and "missed and explained" in gate.why
    assert proved(*explained, counted({"16": 4})) == ["bound"]  # a wrong count leaves the gate open
    assert proved(*explained, counted({"16": 4}), READ, counted({"16": 4})) == [
        "bound",
        "compare",
    ]  # and takes none away


def test_what_comes_next_is_never_what_is_done_already_nor_what_no_record_can_prove_any_more():
    """After the lock the kernel is asked for, not the lock again; a gate whose line was left out does not stand in the way."""
    before = [record("reference", {"before_launch": True})]
    state = progress(GPU, [*before, lock(grid=3, tile=1024, passes={"x": 1})])
    assert (state.ahead.id, state.ahead.how.split(";")[0]) == (
        "grid",
        "It is locked. Write the answer and run its cell",
    )
    left_out = next(gate for gate in state.gates if gate.id == "masks")
    assert left_out.over and "missing from the prediction that counts" in left_out.why and "a tick" in left_out.how
    bound = [gate.id for gate in progress(GPU, [*before, lock(**RIGHT), launch()]).gates if gate.over]
    assert bound == ["bound"] and progress(GPU, [*before, lock(**RIGHT), launch()]).ahead.id != "bound"
    late = progress(GPU, [*before, launch(), lock(**RIGHT)])
    assert {gate.id for gate in late.gates if gate.over} == {"grid", "tile", "masks", "bound", "compare"}
    assert late.ahead.id == "kernel"


def test_the_cpu_lesson_proves_its_masks_by_the_neutral_value():
    trace = {"launches": [], "tensors": {}, "output": {}, "padding": {"maximum": "-inf"}}
    log = [lock(CPU, padding={"maximum": -math.inf}), launch(trace, CPU)]
    assert proved(*log, lesson=CPU) == ["masks", "compare"]


def test_removing_the_prediction_or_the_launch_reopens_the_gate():
    log = [lock(**RIGHT), launch()]
    assert "grid" in proved(*log) and proved(log[0]) == [] and proved(log[1]) == []


def test_a_headless_regrade_of_submitted_records_gives_the_same_score_and_report(tmp_path):
    log = tmp_path / "submitted" / "ada" / GPU.slug / records.FILE
    said = RIGHT | {"masked": 1144, "occupancy": (0.5, 1), "bound": "memory", "launch_share": (0, 0.2),
                    "microseconds": (2000, 4000), "registers": {"t4": (16, 32)}, "output": {2499: 27489.0}}  # fmt: skip
    evidence = [lock(**said), launch(), compiled(), timed(), because(masked="I counted both"), READ]
    for made in evidence:
        records.append(
            log, made["event"], made["lesson"], device=made["device"], source=made["source"], payload=made["payload"]
        )
    here = page(compare(GPU.slug, records.read(log).records), GPU, []).text  # what the learner's notebook showed
    assert compare(GPU.slug, records.read(log).records).points == compare(GPU.slug, evidence).points
    done = subprocess.run(
        [sys.executable, "-S", "-m", "learning.gates.predictions", str(log)], cwd=ROOT, capture_output=True, text=True
    )
    assert (
        done.returncode == 0
        and done.stdout.strip() == here.strip()
        and "over 11 of 11 fields: 1 of 12 measured values missed" in here
    )
    assert proved(*records.read(log).records) == proved(*evidence) == ["grid", "tile", "masks", "bound", "compare"]
    missing = subprocess.run(
        [sys.executable, "-S", "-m", "learning.gates.predictions", str(tmp_path / "none")],
        cwd=ROOT,
        capture_output=True,
    )
    assert missing.returncode == 3


# -- the interval score

bounds = st.floats(1e-2, 1e6)


@settings(deadline=None)  # other work shares the cores
@given(bounds, bounds, bounds)
def test_a_wider_interval_or_a_farther_value_never_earns_more(a, b, value):
    low, high = sorted((a, b))
    points = interval_points(low, high, value, octaves=True)
    assert 0 <= points <= 1
    if low <= value <= high:
        assert interval_points(low / 2, high * 2, value, octaves=True) <= points
    elif value > high:
        assert interval_points(low, high, value * 2, octaves=True) <= points
    else:
        assert interval_points(low, high, value / 2, octaves=True) <= points


def test_the_interval_score_is_the_published_formula():
    assert interval_score(2, 5, 3) == 3  # inside: its width
    assert interval_score(2, 5, 6, miss=0.2) == 3 + 10  # outside: 2/α for each unit
    assert interval_points(7, 7, 7, octaves=True) == 1.0
    assert interval_points(10, 40, 20, octaves=True) == pytest.approx(0.5)  # two octaves wide


@settings(deadline=None)  # other work shares the cores
@given(st.floats(0.02, 0.4), st.floats(0, 0.25))
def test_the_score_is_proper_honest_quantiles_beat_shifted_ones(miss, shift):
    """On a uniform variable the central 1 − α interval has the least expected score, for the same α."""
    values = [(k + 0.5) / 400 for k in range(400)]

    def expected(low, high):
        return sum(interval_score(low, high, value, miss) for value in values) / len(values)

    assert expected(miss / 2, 1 - miss / 2) <= expected(miss / 2 + shift, 1 - miss / 2 + shift) + 1e-3


# -- records nobody promised to be sound

values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["x", "grid", "case", "cases"]), inner, max_size=3),
    max_leaves=6,
)  # fmt: skip


@settings(deadline=None)  # other work shares the cores
@given(st.dictionaries(st.sampled_from([*sorted(RIGHT), "bound", "microseconds", "x"]), values, max_size=4), values)
def test_strange_fields_and_strange_partners_never_raise(fields, strange):
    log = [record("prediction", {"fields": fields}), record("launch", {"trace": strange}, device="interpreter")]
    log += [record("compile", {"kernels": [strange]}), record("benchmark", {"cases": strange}, device="cuda")]
    log += [record("benchmark", {"cases": [strange]}, device="cuda"), record("prediction", {"causes": strange})]
    log += [
        record("compile", {"kernels": strange, "reading": strange}),
        record("compile", {"kernels": [strange], "reading": {}}),
    ]
    found = compare(GPU.slug, log)
    assert json.dumps(page(found, GPU, []).text)
    progress(GPU, log)
