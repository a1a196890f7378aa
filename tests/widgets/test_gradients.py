"""The picture of a softmax's Jacobian: its columns give y · (g − d), in words and in well-formed SVG."""

import math
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning.widgets.gradients import softmax_jacobian

SVG = "{http://www.w3.org/2000/svg}"
PAIRS = st.lists(st.tuples(st.floats(-50, 50), st.floats(-50, 50)), min_size=1, max_size=6)


def dx(picture):
    line = repr(picture).split("\n")[-1]
    return [float(word) for word in line.removeprefix("dx: ").split(";")[0].split(", ")]


@given(PAIRS)
def test_each_column_adds_up_to_y_times_g_minus_d(pairs):
    y, g = ([pair[k] for pair in pairs] for k in (0, 1))
    d = math.fsum(a * b for a, b in pairs)
    size = max(abs(a) * (abs(b) + sum(abs(c * e) for c, e in pairs)) for a, b in pairs)
    for told, a, b in zip(dx(softmax_jacobian(y, g)), y, g, strict=True):
        assert told == pytest.approx(a * (b - d), rel=1e-3, abs=1e-9 + 1e-12 * size)


@given(PAIRS)
def test_there_is_a_cell_for_each_derivative_and_the_accent_lies_on_the_diagonal(pairs):
    boxes = list(ET.fromstring(softmax_jacobian(*zip(*pairs, strict=True)).svg).iter(f"{SVG}rect"))
    accents = [place for place, box in enumerate(boxes) if box.get("fill") != "none"]
    assert len(boxes) == len(pairs) ** 2 and accents == [k * (len(pairs) + 1) for k in range(len(pairs))]


def test_the_lessons_own_example():
    picture = softmax_jacobian([0.5, 0.25, 0.25], [4, 0, 8])
    assert dx(picture) == [0, -1, 1]
    assert "d = Σ y·g = 4" in repr(picture) and "together 0" in repr(picture)
    assert "output 0: g 4; derivatives 0.25, -0.125, -0.125" in repr(picture)


@pytest.mark.parametrize(("y", "g"), [([], []), ([1.0], [1.0, 2.0]), ([0.1] * 7, [0.1] * 7)])
def test_what_has_no_room_is_refused(y, g):
    with pytest.raises(ValueError, match="room for 1 to 6"):
        softmax_jacobian(y, g)
