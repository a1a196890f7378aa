"""Pictures of programs that walk along rows: the counts are right, said in text, and drawn as well-formed SVG."""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning.widgets.walks import row_walk

NAMES = {"matrix": "weight", "vector": "x", "out": "out"}


def boxes(picture):
    return list(ET.fromstring(picture.svg).iter("{http://www.w3.org/2000/svg}rect"))


def idle(picture):
    return [box for box in boxes(picture) if box.get("fill") == "url(#idle)"]


@given(st.integers(1, 10**6), st.integers(1, 10**5), st.sampled_from([1, 16, 64]), st.sampled_from([32, 256]))
def test_programs_steps_and_requests_are_counted(rows, columns, tall, wide):
    picture = row_walk((rows, columns), (tall, wide), **NAMES)
    programs, steps = -(-rows // tall), -(-columns // wide)
    assert f"{programs} programs, {steps} steps each" in repr(picture)
    assert f"{programs * columns} elements of x are requested" in repr(picture)
    drawn = min(programs, 5) * min(steps, 6)
    ragged_down, ragged_across = bool(rows % tall), bool(columns % wide)
    assert len(boxes(picture)) - len(idle(picture)) == drawn + min(steps, 6) + min(programs, 5)
    assert len(idle(picture)) == ragged_down * min(steps, 6) + ragged_across * min(programs, 5)


def test_the_lessons_own_picture():
    text = repr(row_walk((50, 600), (16, 256), **NAMES))
    assert "4 programs, 3 steps each" in text and "2400 elements of x" in text
    assert "14 rows do not exist" in text and "168 columns do not" in text


@pytest.mark.parametrize(("shape", "words"), [((0, 5), "no rows"), ((3, 0), "out is zeros")])
def test_an_empty_matrix_is_told_in_words(shape, words):
    assert words in row_walk(shape, (16, 256), **NAMES).svg


def test_a_tile_of_nothing_is_refused():
    with pytest.raises(ValueError, match="1 or more"):
        row_walk((5, 5), (0, 16), **NAMES)
