"""What a failing check advises: the cause that the numbers show, and no other."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from learning.judge import compare, doubles
from learning.judge.finding import FAILED, Finding
from learning.judge.score import report_lines
from learning.lens import device
from tests.judge.parity_kit import run, values

HERE = device.open()
from tests.judge import structures  # noqa: E402 (Triton is imported after the device is opened)

CELLS = [("answer", Path(structures.__file__).read_text())]
ROWS = torch.softmax(values(3, 37, dtype=torch.float64, seed=5), dim=1)


def advice(answer):
    return compare.compare(answer, ROWS, ROWS.float(), compare.Bounds()).advice


def spoiled(row, by):
    answer = ROWS.float()
    answer[row] = by(answer[row])
    return answer


@pytest.mark.parametrize("row", [0, 2])
@pytest.mark.parametrize("factor", [0.25, 0.638, 1.01, -1.0, 40.0])
def test_a_row_that_is_off_by_one_factor_is_told_with_the_factor(row, factor):
    assert f"this row is its right values times one factor, {factor:.4g}:" in advice(spoiled(row, lambda r: r * factor))


@pytest.mark.parametrize(
    "by",
    [
        lambda r: r + 0.01,
        lambda r: r.flip(0),
        lambda r: r.roll(1),
        lambda r: torch.where(torch.arange(37) == 3, 0.5, r),
        lambda r: torch.zeros_like(r),
        lambda r: r * (1 + 0.01 * torch.arange(37)),
    ],
    ids=["shifted", "turned round", "moved on", "one element", "zeros", "a factor each"],
)
def test_nothing_is_said_of_a_factor_where_there_is_none(by):
    assert advice(spoiled(1, by)) == ""


def test_a_nan_asks_where_it_may_come_from():
    told = advice(spoiled(1, lambda r: r * float("nan")))
    assert told.startswith("the result holds NaN where float64 arithmetic does not") and "without other=" in told
    lacking = compare.compare(
        torch.ones(3), torch.full((3,), float("nan"), dtype=torch.float64), None, compare.Bounds()
    )
    assert "lacks NaN" in lacking.advice and "other=" not in lacking.advice


@pytest.mark.skipif(HERE.kind != "interpreter", reason="kernels are traced where they are interpreted")
def test_a_padding_that_wins_is_named_with_the_number_it_was():
    def largest(x, *_):
        return x.max(dim=1).values

    def body(trial):
        seen = trial.structure(structures.largest, values(3, 20), -40.0, reference=largest, names="x")
        seen.padding_never_matters("x")

    found = run(body, cells=CELLS).finding
    assert "every value of x lies below -40, which your load pads with" in found.advice


def test_what_must_be_equal_is_not_asked_for_within_0_ulps():
    assert doubles.problem(0.0, -1000.0, ulps=0, rel=None, abs=0.0) == "(exactly)"
    assert doubles.problem(0.0, -1000.0, ulps=2, rel=None, abs=0.0) == "within 2 ulps"


@pytest.mark.parametrize(("case", "line"), [("", "seed 7"), ("2 rows of 1", "case '2 rows of 1', seed 7")])
def test_a_case_without_a_name_is_replayed_by_its_seed(case, line):
    from learning.judge.finding import CheckResult

    found = Finding("law", got="1", expected="2", case=case, seed=7)
    result = CheckResult("a_check", FAILED, 0.0, 1.0, finding=found)
    assert report_lines(result)[-1].split(None, 1) == ["replay", line]
