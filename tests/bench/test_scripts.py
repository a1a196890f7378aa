"""The GPU scripts, walked through without one: every part answers, rows are judged, missing things are said."""

from __future__ import annotations

import argparse
import importlib.util
import json
from pathlib import Path

import pytest
import torch

from learning import lesson
from learning.bench import plan, record, results
from learning.bench.plan import Row
from learning.judge import fleet, timing
from learning.lens import device

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def script(name):
    spec = importlib.util.spec_from_file_location(f"benchmark_{name}", BENCHMARKS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def protocol():
    """timing_protocol.py with few, short pairs."""
    module = script("timing_protocol")
    module.GRADED = timing.Protocol(block_seconds=0.001, pairs=4, most_pairs=4, budget_seconds=3, audits=1)
    module.SHORT = timing.Protocol(block_seconds=0.001, pairs=4, most_pairs=4, budget_seconds=3, audits=1)
    return module


@pytest.fixture(scope="module")
def pair(protocol):
    with fleet.Servers() as servers:
        made = protocol.Pair(servers, device.current().place)
        yield made
        made.close()


@pytest.mark.parametrize(
    "name",
    [
        "graded as in a check: an equal answer",
        pytest.param("five launches against four", marks=pytest.mark.slow),
        "A/A, plain calls",
    ],
)
def test_a_part_of_the_protocol_tells_its_figures(protocol, pair, name):
    if device.current().kind == "cuda":
        pytest.skip("the script itself runs here")
    told = protocol.PARTS[name](pair, torch.randn(2048), argparse.Namespace(runs=2, seconds=5))
    assert "failed" not in told and protocol.short(told)
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert "sentence" in told or told["n"] >= 1


def test_what_remembers_results_by_address_is_refused(protocol, pair):
    told = protocol.PARTS["graded as in a check: results remembered by address"](
        pair, torch.randn(2048), argparse.Namespace(runs=2, seconds=5)
    )
    assert "read back" in told["refused"]


def case(ours, theirs, **changed):
    def result(name, kind, times):
        return {
            "name": name, "kind": kind, "unavailable": "", "why_no_graph": "", "median": {"graph": times[0]},
            "graph": {"microseconds": times, "wall_microseconds": times, "calls": 1},
        }  # fmt: skip

    return {
        "case": "big",
        "timing": "graph",
        "results": [result("softmax", "answer", ours), result("Liger", "peer", theirs) | changed],
    }


@pytest.mark.parametrize(
    ("factor", "verdict", "words"),
    [(0.9, "met", "surely"), (1.0, "met", "surely"), (1.2, "missed", "surely")],
)
def test_a_row_is_met_where_the_median_ratio_is_at_most_its_bar(factor, verdict, words):
    theirs = [10.0 + 0.01 * k for k in range(20)]
    told = results.against(case([factor * t for t in theirs], theirs), Row("claim", "big", "Liger", 1.0))
    assert told["verdict"] == verdict and words in told["text"]
    assert (
        results.against(case([1.3 * t for t in theirs], theirs), Row("claim", "big", "Liger", 1.4))["verdict"] == "met"
    )


def test_a_row_without_its_peer_is_unmeasured_and_says_why():
    told = results.against(
        case([1.0], [1.0], unavailable="liger_kernel is not installed", graph=None), Row("c", "big", "Liger")
    )
    assert told == {"verdict": "unmeasured", "text": "Liger: liger_kernel is not installed"}
    assert results.against(case([1.0], [1.0]), Row("c", "big", "cuBLAS"))["verdict"] == "unmeasured"


def test_a_row_of_a_form_that_was_not_timed_is_unmeasured_and_never_the_entry_s():
    told = results.against(case([0.9] * 20, [1.0] * 20), Row("claim", "big", "Liger", 1.0, "tuned"))
    assert told == {"verdict": "unmeasured", "text": "tuned: it is not in the record"}


def test_records_that_are_kept_are_whole_and_say_whose_they_are():
    kept = BENCHMARKS / "results" / "speed-rows.json"
    if not kept.exists():
        pytest.skip("nothing was measured on a GPU yet")
    made = json.loads(kept.read_text(encoding="utf-8"))
    record.check(made)
    assert all(run["device"] == "cuda" and run["who"] == "solution" for run in made["runs"])
    assert all(plan.COPY in {one["name"] for one in case["results"]} for run in made["runs"] for case in run["cases"])


def a_run_of(protocol, ratios, doubted):
    """What the A/A part keeps of comparisons with these ratios, each interval 1 % to either side."""
    verdicts = [
        timing.Verdict(one, one * 0.99, one * 1.01, 1e-5, 1e-5, 24, 100, agreed=23, doubt="so" if n < doubted else "")
        for n, one in enumerate(ratios)
    ]
    return protocol.summed(verdicts, 1.0) | {"seconds": 10.0}


def test_two_runs_of_equal_against_equal_count_as_one(protocol):
    first, second = a_run_of(protocol, [1.0, 1.002, 1.03], 1), a_run_of(protocol, [0.95, 0.999], 2)
    told = protocol.joined(first, second)
    assert told["n"] == 5 and told["runs"] == [3, 2] and told["seconds"] == 20.0
    assert told["interval_holds_1"].startswith("3 of 5") and told["doubted"].startswith("3 of 5")
    assert told["wall_agrees_with_claim"].startswith("115 of 120") and sum(told["verdicts"].values()) == 5
    assert told["ratio_range"] == [0.95, 1.03] and told["ratio_median"] == 1.0
    again = protocol.joined(told, second)
    assert again["runs"] == [3, 2, 2] and again["n"] == 7 and again["interval_holds_1"].startswith("4 of 7")


def test_the_committed_page_is_what_the_records_give():
    assert results.PAGE.read_text(encoding="utf-8") == results.page(), "run make results"


def a_run_on(started, *floors, card="H200"):
    """A run of cases whose floors rest on ``(bound, rate a µs, source)``."""
    cases = [
        {
            "work": {"bytes": 1000.0, "flops": 1000.0, "tensor_cores": True},
            "floor": {"microseconds": float(f"{1000 / rate:.6g}"), "bound": bound, "card": card, "source": source},
        }
        for bound, rate, source in floors
    ]
    return {"started": started, "cases": [*cases, {"work": {}, "floor": None}]}


def test_floors_of_the_same_rates_are_told_once_in_the_newest_words():
    old = a_run_on("2026-11-29T22:05", ("memory", 4.24, "copied"))
    new = a_run_on("2026-11-30T02:43", ("memory", 4.24, "copied (anew)"), ("compute", 663.0, "copied (anew)"))
    late = a_run_on("2026-11-30T09:00", ("compute", 663.0, "copied (last)"))
    assert results.floors([old, new]) == results.floors([new, old]) == [("H200", "copied (anew)")]
    assert results.floors([old, late, new]) == [("H200", "copied (last)")]


def test_floors_of_other_rates_or_another_card_are_told_apart():
    new = a_run_on("2026-11-30T02:43", ("memory", 4.24, "copied"))
    other = a_run_on("2026-11-29T22:05", ("memory", 4.31, "copied elsewhere"))
    assert results.floors([other, new]) == [("H200", "copied"), ("H200", "copied elsewhere")]
    t4 = a_run_on("2026-11-29T22:05", ("memory", 4.24, "copied"), card="T4")
    assert results.floors([new, t4]) == [("H200", "copied"), ("T4", "copied")]
    here = [a_run_on(f"2026-11-{day}T22:05", ("memory", rate, "measured here")) for day, rate in ((29, 4.2), (30, 4.3))]
    assert results.floors(here) == [("H200", "measured here")]


def test_the_committed_page_says_where_the_floors_come_from_once_a_card():
    told = [line for line in results.PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("Floors of the")]
    assert told and len(told) == len({line.split(":")[0] for line in told})


def test_the_page_tells_every_case_with_its_conditions(tmp_path, softmax_case):
    run = {
        "op": "softmax", "timing": "graph", "started": "2026-11-29T22:00:00+00:00", "cases": [softmax_case],
        "machine": {"card": "NVIDIA H200", "driver": "580"}, "environment": {"torch": "2.11", "triton": "3.6.0", "python": "3.12"},
    }  # fmt: skip
    (tmp_path / "speed-rows.json").write_text(json.dumps({"format": 1, "runs": [run], "skipped": []}))
    part = {
        "n": 200, "pairs": 24, "mode": "graph", "microseconds": 41.2, "interval_holds_1": "191 of 200 (95 %: 0.915 to 0.977)",
        "verdicts": {"as fast": 200}, "ratio_median": 1.0, "ratio_range": [0.99, 1.01], "doubted": "0 of 200",
        "wall_agrees_with_claim": "4800 of 4800",
    }  # fmt: skip
    parts = {"A/A, graph replays": part, "broken": {"failed": "RuntimeError: no"}, "cheat": {"refused": "4096 of 4096"}}
    protocol = {"card": "NVIDIA H200", "environment": run["environment"], "seconds": 90.0, "parts": parts}
    (tmp_path / "timing-protocol.json").write_text(json.dumps(protocol))
    cells = {"softmax": {"seconds": 3.1, "estimated_t4_seconds": 8.4, "samples": 900}, "minmax": {"failed": "no"}}
    (tmp_path / "notebook-cells.json").write_text(json.dumps({"card": "NVIDIA H200", "cells": cells}))
    told = results.page(tmp_path)
    assert "| softmax 8192² fp16: at most Liger's time | missed | 67.3 µs against 67 µs, 1.004" in told
    assert (
        "floor 63.3 µs (memory)" in told
        and "Floors of the H200: copy measured" in told
        and "not measured: not a matmul" in told
        and "the supplied answer takes 67.3 µs" in told
    )
    assert (
        "holds 1 in 191 of 200" in told
        and "failed: RuntimeError" in told
        and "refused: 4096" in told
        and "| softmax | 3.1 |" in told
    )


@pytest.mark.parametrize("slug", ["softmax", "softmax_backward", "softmax_workspace", "wide_softmax"])
def test_the_sanitizer_calls_the_answer_its_tuned_versions_and_what_has_no_plan(slug, capsys):
    card = lesson.load(slug)
    assert script("sanitizer").call(card, device.current()) == 0
    called = ["the small case"] if slug == "softmax_workspace" else [card.entry, *plan.load(card).tuned]
    assert capsys.readouterr().out.splitlines() == [f"called: {name}" for name in called]
