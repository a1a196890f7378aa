"""The pictures say in text what they draw, and draw well-formed SVG for every legal size."""

import math
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning.widgets.pictures import rescaling, tiles

SVG = "{http://www.w3.org/2000/svg}"


def boxes(picture):
    return list(ET.fromstring(picture.svg).iter(f"{SVG}rect"))


@given(st.integers(0, 10**6), st.sampled_from([1, 2, 128, 1024]))
def test_tiles_count_programs_and_idle_lanes(length, block):
    picture = tiles(length, block)
    programs = math.ceil(length / block)
    assert f"{programs} programs, {programs * block - length} lanes" in repr(picture)
    hatched = [box for box in boxes(picture) if box.get("fill") == "url(#idle)"]
    assert len(hatched) == (length % block != 0)


def test_the_lessons_own_tiles():
    picture = tiles(2500, 1024)
    assert "572 lanes" in repr(picture) and "program 2: elements 2048 … 2499" in repr(picture)
    full, _, last, idle = boxes(picture)
    assert float(last.get("width")) / float(full.get("width")) == pytest.approx(452 / 1024, abs=1e-3)
    assert float(idle.get("width")) / float(full.get("width")) == pytest.approx(572 / 1024, abs=1e-3)


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=12), st.floats(-5, 5))
def test_rescaling_draws_a_bar_for_every_term(values, newcomer):
    assert len(boxes(rescaling(values, newcomer))) == 2 * len(values) + 1


@pytest.mark.parametrize("draw", [lambda: tiles(-1, 8), lambda: tiles(8, 0), lambda: rescaling([], 1.0)])
def test_impossible_sizes_are_named(draw):
    with pytest.raises(ValueError, match="not"):
        draw()
