"""What a prediction may say, and what it is told when it says something else."""

import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learning.gates.fields import FIELDS, PredictionError, canonical, number, real

numbers = st.floats(allow_nan=True, allow_infinity=True)


def test_every_field_is_kept_in_a_form_that_json_holds():
    said = canonical(
        {
            "grid": (3, 2), "tile": (1, 64), "registers": {"total", "row"}, "passes": {"x": 1}, "masked": 572,
            "padding": -math.inf, "output": {(2, 36): 0.5, 7: math.inf}, "occupancy": (0.5, 1), "bound": "memory-bound",
            "launch_share": [0, 0.25], "microseconds": {"packed": (30, 60)},
        }
    )  # fmt: skip
    assert set(said) == set(FIELDS)
    assert said["grid"] == [3, 2, 1] and said["tile"] == [64] and said["registers"] == ["row", "total"]
    assert canonical({"output": {("summed", 0, 3): 1, "after 5": 2}})["output"] == {"summed:0,3": 1.0, "after 5": 2.0}
    assert said["padding"] == "-inf" and said["output"] == {"2,36": 0.5, "7": "inf"} and said["bound"] == "memory"
    assert json.loads(json.dumps(said, allow_nan=False)) == said


@settings(deadline=None)  # other work shares the cores
@given(numbers)
def test_a_number_survives_its_record(value):
    kept = json.loads(json.dumps(number(value), allow_nan=False))
    assert real(kept) == value or (math.isnan(value) and math.isnan(real(kept)))


@settings(deadline=None)  # other work shares the cores
@given(st.lists(st.integers(0, 2**31 - 1), min_size=1, max_size=3))
def test_a_grid_has_three_axes_in_its_record(sizes):
    assert canonical({"grid": tuple(sizes)})["grid"] == sizes + [1] * (3 - len(sizes))


def test_padding_of_nothing_and_by_tensor():
    assert canonical({"padding": None})["padding"] == "none"
    assert canonical({"padding": {"x": math.inf, "w": 0}})["padding"] == {"x": "inf", "w": 0.0}


@pytest.mark.parametrize(
    ("field", "value", "says"),
    [
        ("grid", -1, "whole number of 0 or more"),
        ("grid", 2.5, "whole number"),
        ("grid", True, "whole number"),
        ("grid", (1, 2, 3, 4), "4 axes"),
        ("grid", {}, "1 to 64 entries"),
        ("grid", {3: 4}, "no name"),
        ("tile", 0, "1 or more"),
        ("registers", {"rtx": (1, 2)}, "no card"),
        ("registers", {"t4": (0, 300)}, "between 1 and 255"),
        ("registers", 32, "name the values"),
        ("registers", {""}, "named by a word"),
        ("passes", 2, "for each tensor"),
        ("passes", {"x": -1}, "number of times"),
        ("passes", {"x": "two"}, "no number"),
        ("masked", 1.0, "whole number"),
        ("padding", "minus", "no number"),
        ("output", 3.0, "which element"),
        ("output", {-1: 3.0}, "no index"),
        ("output", {(): 3.0}, "no index"),
        ("output", {("summed", -1): 3.0}, "no index"),
        ("occupancy", (0.5, 1.5), "between 0 and 1"),
        ("occupancy", 0.5, "no interval"),
        ("launch_share", (0.6, 0.2), "upside down"),
        ("microseconds", (0, 10), "between 0.001"),
        ("microseconds", (1, math.inf), "finite"),
        ("bound", "cpu", "'memory', 'compute', 'launch'"),
        ("speed", 3, "there is no field 'speed'"),
    ],
)
def test_what_a_field_cannot_hold_is_refused_in_a_sentence_that_names_it(field, value, says):
    with pytest.raises(PredictionError) as refused:
        canonical({field: value})
    assert field in str(refused.value) and says in str(refused.value)
    assert refused.value._render_traceback_() == [f"PredictionError: {refused.value}"]
