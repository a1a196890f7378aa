"""A case in words: the table's columns line up, and the sentence says what the figures say and no more."""

from __future__ import annotations

import pytest

from learning.bench import report


def one(name, kind, median, *, ratio=None, floor=None, launch=None, unavailable="", impossible=False):
    return {
        "name": name, "kind": kind, "unavailable": unavailable, "why_no_graph": "", "compiled": False, "rounding": "fp32",
        "median": {} if unavailable else {"graph": median, "events": median * 1.25},
        "interval": None if unavailable else {"low": median * 0.99, "high": median * 1.01},
        "ratio": ratio, "floor_share": floor, "launch_share": launch, "impossible": impossible,
        "errors": [{"output": 0, "relative_l2": 2.1e-4, "largest": 1e-3}],
        "graph": None if unavailable else {"microseconds": [median] * 4, "wall_microseconds": [median] * 4, "calls": 10},
        "events": None,
    }  # fmt: skip


def verdict(ratio, word):
    return {"ratio": ratio, "low": ratio * 0.99, "high": ratio * 1.01, "verdict": word}


@pytest.fixture
def softmax_case():
    """An answer at 94 % of the floor, faster than eager, as fast as Liger; one peer could not be measured."""
    return {
        "case": "8192 x 8192", "about": "8192 rows of 8192, float16", "timing": "graph", "cold": True, "copies": 3,
        "work": {"bytes": 268.4e6, "flops": 3.4e8, "tensor_cores": False},
        "floor": {"microseconds": 63.3, "bound": "memory", "card": "H200", "source": "copy measured on an H200"},
        "control": verdict(1.0, "as fast"),
        "results": [
            one("softmax", "answer", 67.3, floor=0.94, launch=0.2),
            one("eager", "peer", 257.0, ratio=verdict(0.262, "faster"), floor=0.25),
            one("Liger", "peer", 67.0, ratio=verdict(1.004, "as fast"), floor=0.945),
            one("cuBLAS", "peer", 0.0, unavailable="not a matmul"),
            one("copy of as many bytes", "ceiling", 63.3, ratio=verdict(1.06, "slower"), floor=1.0),
        ],
    }  # fmt: skip


def test_the_sentence_reads_the_table(softmax_case):
    told = report.sentence(softmax_case)
    assert told.startswith("8192 rows of 8192, float16: your answer takes 67.3 µs (replayed from a CUDA graph)")
    assert "94 % of what the H200's memory allows" in told
    assert "faster than eager (3.82 ×), as fast as Liger" in told and "copy" not in told and "cuBLAS" not in told
    assert "20 % of the time between calls" in told and told.endswith(".") and "unsteady" not in told


def test_doubt_warm_caches_and_the_impossible_are_said(softmax_case):
    softmax_case["control"] = verdict(1.0, "cannot tell") | {"high": 1.2}
    softmax_case["cold"] = False
    assert "machine was unsteady" in report.sentence(softmax_case) and "stay in the L2 cache" in report.sentence(
        softmax_case
    )
    softmax_case["results"][0] |= {"impossible": True}
    assert "impossible: the floor is 63.3 µs" in report.sentence(softmax_case)
    assert "impossible" in report.rows(softmax_case)[1]


def test_the_table_lines_up_and_says_what_was_not_measured(softmax_case):
    lines = list(report.table(softmax_case))
    assert len(lines) == 6 and "not measured: not a matmul" in lines[4]
    starts = {line.rstrip().rfind("e-04") for line in lines if "e-04" in line}
    assert len(starts) == 1 and "answer / it" in lines[0]
    assert "0.262 (0.259 … 0.265)" in lines[2] and "faster" in lines[2] and "25 %" in lines[2]


@pytest.mark.parametrize(
    ("microseconds", "text"),
    [(0.5, "0.5 µs"), (63.31, "63.3 µs"), (257.2, "257 µs"), (2510.0, "2510 µs"), (12_345.0, "12.3 ms")],
)
def test_times_have_three_digits_or_whole_microseconds(microseconds, text):
    assert report.time_text(microseconds) == text


def test_the_headline_shape_comes_last_in_the_record(softmax_case):
    other = softmax_case | {"case": "4096 x 4096"}
    assert [kept["case"] for kept in report.payload([softmax_case, other])] == ["4096 x 4096", "8192 x 8192"]
    assert report.payload([softmax_case])[0]["card"] == "H200"
