"""The rest of a trial: cases and seeds, rejections, plain values, laws, awards, and Python without torch."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from learning.judge import doubles
from learning.judge.describe import call_text, value_text
from learning.judge.finding import NeedsDevice
from learning.judge.setting import public_seed
from tests.judge.parity_kit import finding, run, values


def test_a_case_draws_the_same_inputs_whatever_came_before_it():
    drawn = []

    def body(trial):
        for label in ("a", "b", "a"):
            trial.case(label)
            drawn.append((trial.normal(3), trial.random.random(), trial.distinct(3), trial.seed))

    run(body, lesson="", seed=public_seed)
    assert torch.equal(drawn[0][0], drawn[2][0]) and drawn[0][1] == drawn[2][1] and drawn[0][3] == drawn[2][3]
    assert not torch.equal(drawn[0][0], drawn[1][0]) and drawn[0][3] == public_seed("", "a_check", "a")


def test_two_tensors_of_one_case_differ():
    run(lambda trial: trial.expect(not torch.equal(trial.normal(9), trial.normal(9))))


def test_dtypes_that_this_device_cannot_grade_are_noted_once(monkeypatch):
    from learning.lens import device

    class Refusing:
        kind = "interpreter"

        def refuses(self, dtype):
            return "not here" if dtype == torch.bfloat16 else None

    monkeypatch.setattr(device, "current", Refusing)

    def body(trial):
        assert trial.dtypes == trial.dtypes == [torch.float32, torch.float16]

        wrong, x = (lambda x: x + 1), torch.ones(2)
        trial.parity(wrong, x.bfloat16(), reference=lambda x: x)

    result = run(body)
    assert result.skipped == ["bfloat16: not here"] and (result.state, result.cases) == ("passed", 0)


# ---- rejects


def guarded_square(x, *, warps=4):
    if not isinstance(x, torch.Tensor):
        raise TypeError(f"x must be a torch.Tensor, not {type(x).__name__}")
    if warps not in (4, 8):
        raise ValueError(f"warps must be 4 or 8, not {warps}")
    return x * x


def test_a_right_rejection_passes():
    run(lambda trial: trial.rejects(guarded_square, [1.0], names="x", limit="torch.Tensor"))
    assert finding(lambda trial: trial.rejects(guarded_square, values(3), warps=3, names="warps", limit="4 8")) is None


def test_a_call_that_returns_is_no_rejection():
    found = finding(lambda trial: trial.rejects(guarded_square, values(3), names="x"))
    assert found.rule == "contract" and found.called == "guarded_square(x)  # x: float32[3]"
    assert found.got == "a tensor float32[3]" and found.expected == "a TypeError or ValueError that names x"


def test_a_message_must_name_the_argument_and_the_limit():
    found = finding(lambda trial: trial.rejects(guarded_square, values(3), warps=3, names="warps", limit="4 16"))
    assert "lacks 16" in found.expected and "warps must be 4 or 8" in found.got


def test_another_error_is_no_rejection():
    def crashes(x):
        raise RuntimeError("x is bad")

    assert "RuntimeError" in finding(lambda trial: trial.rejects(crashes, values(3), names="x")).got
    found = finding(lambda trial: trial.rejects(crashes, values(3), names="x", errors=(RuntimeError,)))
    assert found is None


# ---- values and laws


def test_returns_hands_back_the_value_and_tells_a_fault():
    def body(trial):
        assert torch.equal(trial.returns(guarded_square, torch.tensor([3.0])), torch.tensor([9.0]))
        trial.returns(lambda state: 1 / state, 0)

    found = finding(body)
    assert found.rule == "fault" and "ZeroDivisionError" in found.fault.type and found.called == "<lambda>(0)"


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (torch.ones(3), torch.ones(3), True),
        (torch.zeros(3), -torch.zeros(3), False),
        (torch.full((2,), math.nan), torch.full((2,), math.nan), True),
        (torch.ones(3), torch.ones(3).half(), False),
        (torch.ones(3), torch.ones(1, 3), False),
        ((1.0, torch.ones(2)), (1.0, torch.ones(2)), True),
        (0.0, -0.0, False),
        (1, 1.0, False),
        (math.nan, math.nan, True),
        ((1.0,), [1.0], False),
    ],
)
def test_same_means_equal_bits(one, other, equal):
    found = finding(lambda trial: trial.same(one, other, called="f(x) and f(y)", where="rows"))
    assert (found is None) == equal
    assert found is None or (found.rule == "law" and found.called == "f(x) and f(y)" and "rows" in found.where)


def test_expect_says_its_words():
    found = finding(
        lambda trial: trial.expect(False, called="f(1)", got=(1, 2.0), expected="one", where="here", trap=13)
    )
    assert (found.called, found.got, found.expected, found.where, found.trap) == ("f(1)", "(1, 2.0)", "one", "here", 13)


@pytest.mark.parametrize(
    ("got", "expected", "options", "close"),
    [
        (1.0, 1.0, {}, True),
        (1.0 + 2**-52, 1.0, {"ulps": 1}, True),
        (1.0 + 2**-51, 1.0, {"ulps": 1}, False),
        (1.0 + 1e-9, 1.0, {"rel": 1e-8}, True),
        (1.0 + 1e-7, 1.0, {"rel": 1e-8}, False),
        (1e-300, 0.0, {"rel": 1e-8}, False),
        (1e-300, 0.0, {"rel": 1e-8, "abs": 1e-290}, True),
        (-math.inf, -math.inf, {"ulps": 4}, True),
        (math.inf, 1e308, {"rel": 1.0, "ulps": 1e9}, False),
        (math.nan, math.nan, {"abs": 1.0, "rel": 1.0}, False),
        ((1.0, 2.0), (1.0, 2.0), {}, True),
        ([1.0, 2.0], (1.0, 2.0), {}, False),
        ((1.0,), (1.0, 2.0), {}, False),
        (1, 1.0, {"rel": 1.0}, False),
        (True, 1, {}, False),
        (None, 1.0, {}, False),
    ],
)
def test_close_compares_doubles_and_nothing_else(got, expected, options, close):
    found = finding(lambda trial: trial.close(got, expected, called="result(state)", **options))
    assert (found is None) == close


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 50))
def test_ulps_count_steps_between_doubles(x, steps):
    y = x
    for _ in range(steps):
        y = math.nextafter(y, math.inf)
    if math.isfinite(y) and math.ulp(x) == math.ulp(y):
        assert doubles.ulps_between(y, x) == steps


# ---- points


def test_an_award_lowers_the_points_and_only_ever_lowers_them():
    def body(trial):
        trial.award(0.5, "half as fast")
        trial.award(0.75, "better")

    result = run(body)
    assert (result.earned, result.state, result.finding.got) == (0.5, "failed", "half as fast")
    with pytest.raises(AssertionError, match="between 0 and 1"):
        run(lambda trial: trial.award(2, ""))


def test_time_waits_for_a_gpu_and_for_an_anchor():
    result = run(lambda trial: trial.faster(guarded_square, (values(3),)))
    assert result.state == "waiting" and "GPU" in result.skipped[0]
    result = run(lambda trial: trial.faster(guarded_square, (3,)), device="cuda")
    assert result.state == "waiting" and "anchor" in result.skipped[0]


def test_house_rules_without_cells_are_the_judges_fault():
    with pytest.raises(AssertionError, match="cells"):
        run(lambda trial: trial.house_rules("add"))


def test_a_device_that_is_needed_leaves_the_check_waiting():
    def body(trial):
        raise NeedsDevice("two GPUs")

    assert run(body).skipped == ["two GPUs"]


# ---- words


def test_a_call_is_shown_as_one_could_type_it():
    x, y = values(4, 5), values(4, 5)
    assert call_text("f", (x, y), {"eps": 1e-5}, ["x", "y"]) == "f(x, y, eps=1e-05)  # x, y: float32[4, 5]"
    assert call_text("f", (x, x), {}, ["x", "y"]) == "f(x, x)  # x: float32[4, 5]"
    text = call_text("f", (x.t(), y[1:].half()), {"mask": None}, ["x", "y"])
    assert text == "f(x, y, mask=None)  # x: float32[5, 4] strides (1, 5); y: float16[3, 5]"
    assert call_text("f", (values(9)[1:],), {}) == "f(a)  # a: float32[8] from element 1 of its storage"
    assert call_text("push", ((-math.inf, 0.0), 3.5), {}) == "push((-inf, 0.0), 3.5)"
    assert len(call_text("push", (tuple(range(1000)),), {})) < 80
    assert len(value_text("x" * 10_000)) <= 120


def test_the_cpu_form_runs_under_python_without_site_packages(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        """
import sys
from learning.judge import check
from learning.judge.setting import Setting, use

@check(points=2)
def pushes(push, trial):
    trial.case("one")
    x = trial.random.uniform(-1.0, 1.0)
    trial.close(trial.returns(push, (1.0, 2.0), x), (1.0, 2.0 + x), ulps=1, called=trial.called(push, ((1.0, 2.0), x)))
    trial.same(trial.returns(push, (1.0, 2.0), x), trial.returns(push, (1.0, 2.0), x))
    trial.house_rules("push")

cells = [("answer", "import math\\ndef push(state, x):\\n    return (state[0], state[1] + x)")]
with use(Setting(lesson="online_normalizer", device="cpu", cells=lambda: cells)):
    print(repr(pushes(lambda s, x: (s[0], s[1] + x))), repr(pushes(lambda s, x: (s[0], s[1]))))
assert "torch" not in sys.modules and "numpy" not in sys.modules
"""
    )
    root = __file__.rsplit("/tests/", 1)[0]
    done = subprocess.run(
        [sys.executable, "-S", str(script)], env={"PYTHONPATH": root}, capture_output=True, text=True, timeout=60
    )
    assert (done.stdout, done.stderr) == ("2 0\n", "")
