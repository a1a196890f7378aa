"""A case in words: the table's columns line up, and the sentence says what the figures say and no more."""

from __future__ import annotations

import pytest

from learning.bench import report
from tests.bench.conftest import verdict


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
