"""The experiment record: said before it is timed, concluded from what was timed after, and kept in the lesson's progress."""

import json

import pytest

from learning.companions import worksheet
from learning.companions.worksheet import WorksheetError
from learning.gates import records

SAID = {
    "hypothesis": "512 lanes are at most 2 % slower, memory is busy either way",
    "variable": "the tile, 512 against 1024",
    "baseline": "my add with 1024",
    "rounding": "once, at the end, both",
    "timing": "graph",
}
DONE = {"conclusion": "within 1 %, as said", "cannot": "other lengths, other cards", "next": "try 128 lanes"}


def plan(lesson="vector_add", **changed):
    return worksheet.plan(lesson, **(SAID | changed))


def kept(work, slug="vector_add"):
    return [record for record in records.read(work.log(slug)) if record["event"] == "worksheet"]


def test_an_experiment_from_the_hypothesis_to_the_next_one(work):
    plan()
    first = work.timed("vector_add", [101.0, 99.0, 100.0], peers={"eager": {"samples": {"graph": [98.0]}}})
    shown = worksheet.conclude("L1", **DONE)
    planned, concluded = kept(work)
    assert planned["payload"] == {"sheet": 1, "stage": "planned", "fields": SAID}
    assert concluded["payload"]["benchmarks"] == [first["hash"]] and concluded["source"] == first["source"]
    assert concluded["payload"]["samples"] == {"large": [101.0, 99.0, 100.0], "large: eager": [98.0]}
    for words in (*SAID.values(), *DONE.values(), "median 100 µs of 3, 99 to 101", "median 98 µs of 1"):
        assert words.replace("%", "%") in shown.markdown.replace("\\", "")
    assert worksheet.show().markdown == shown.markdown
    plan()
    assert [record["payload"]["sheet"] for record in kept(work)] == [1, 1, 2]


def test_run_all_keeps_nothing_and_names_what_is_still_to_be_said(work):
    assert all(name in worksheet.plan("vector_add").markdown for name in worksheet.PLAN)
    assert "cannot" in worksheet.conclude("vector_add", conclusion="so it is", next="more of it").markdown
    assert "hypothesis" not in plan(variable=...).markdown.replace("hypothesis:", "") or not work.root.exists()
    assert not work.log("vector_add").exists()


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"hypothesis": "it will be faster than before"}, "hypothesis: name a number"),
        ({"variable": "tile"}, "variable: say it in words"),
        ({"rounding": 3}, "rounding: say it in words"),
        ({"timing": "wall clock"}, "timing: 'wall clock' is not one of graph, events, do_bench"),
    ],
)
def test_a_field_that_says_too_little_is_named_and_nothing_is_kept(work, changed, named):
    with pytest.raises(WorksheetError, match=named):
        plan(**changed)
    assert not work.log("vector_add").exists()


def test_times_from_before_the_plan_prove_nothing(work):
    work.timed("vector_add", [100.0])
    with pytest.raises(WorksheetError, match="no worksheet of vector_add is open"):
        worksheet.conclude("vector_add", **DONE)
    plan()
    with pytest.raises(WorksheetError, match="nothing was benchmarked in timing mode 'graph' since the plan"):
        worksheet.conclude("vector_add", **DONE)
    plan_of_calls = plan(timing="events")
    assert "worksheet 2" in plan_of_calls.markdown
    work.timed("vector_add", [100.0])
    with pytest.raises(WorksheetError, match="'events'"):
        worksheet.conclude("vector_add", **DONE)


def test_times_taken_by_hand_are_kept_as_given(work):
    plan("online_normalizer")
    shown = worksheet.conclude("A1", **DONE, samples={"mine": [3, 4.5, 5], "baseline": [9.0]}, unit="ms")
    assert "median 4.5 ms of 3" in shown.markdown
    assert kept(work, "online_normalizer")[1]["payload"]["benchmarks"] == []


@pytest.mark.parametrize(
    "samples", [{}, [1.0], {"mine": []}, {"mine": "fast"}, {"mine": [float("nan")]}, {"mine": [-1.0]}, {"a": [True]}]
)
def test_samples_that_are_none_are_refused(work, samples):
    plan()
    with pytest.raises(WorksheetError, match="samples"):
        worksheet.conclude("vector_add", **DONE, samples=samples)
    assert len(kept(work)) == 1


def test_under_nbgrader_nothing_is_kept(work, monkeypatch):
    monkeypatch.setenv("NBGRADER_EXECUTION", "autograde")
    with pytest.raises(WorksheetError, match="nbgrader"):
        plan()
    assert not work.root.exists()


def test_words_of_a_learner_are_never_markup(work):
    plan(hypothesis="<img src=x onerror=alert(1)> | 2 **times** faster")
    shown = worksheet.show()
    assert "<img" not in shown._repr_html_() and "<b>times</b>" not in shown._repr_html_()
    assert "<img src=x onerror=alert(1)> | 2 **times** faster" in repr(shown)


def test_the_source_is_the_answers_and_empty_while_it_is_still_the_starter(work):
    from learning.companions.machine import begin_with

    begin_with("vector_add")
    plan()
    book = work.root / "vector_add" / "vector_add.ipynb"
    notebook = json.loads(book.read_text())
    (answer,) = [cell for cell in notebook["cells"] if cell["metadata"].get("learning", {}).get("role") == "answer"]
    answer["source"] = "def add(x, y):\n    return x + y\n"
    book.write_text(json.dumps(notebook))
    plan()
    first, second = kept(work)
    assert first["source"] == "" and len(second["source"]) == 64


def test_records_of_another_make_are_left_out(work):
    for payload in (
        {},
        {"sheet": True, "fields": {}},
        {"sheet": 1, "stage": "concluded", "fields": {}},
        {"sheet": "1", "fields": []},
    ):
        work.keep("vector_add", "worksheet", payload)
    assert "No worksheet" in worksheet.show().markdown
