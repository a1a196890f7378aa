"""Pictures of rows and programs: they count lanes rightly, say so in text, and draw well-formed SVG."""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning.widgets.rows import deviations, padded_row, row_programs

SVG = "{http://www.w3.org/2000/svg}"
INF = float("inf")


def boxes(picture):
    return list(ET.fromstring(picture.svg).iter(f"{SVG}rect"))


def hatched(picture):
    return [box for box in boxes(picture) if box.get("fill") == "url(#padded)"]


@given(st.integers(0, 10**6), st.integers(1, 8192))
def test_every_drawn_row_has_its_lanes_and_the_idle_ones(rows, columns):
    block = 1 << (columns - 1).bit_length()
    picture = row_programs(rows, columns, block, reads=("x",), writes=("out",))
    drawn = min(rows, 5)
    assert f"{rows} programs of {block} lanes: {block - columns} lanes" in repr(picture)
    assert len(hatched(picture)) == (drawn if block > columns else 0)
    assert len(boxes(picture)) - len(hatched(picture)) == drawn


def test_the_norms_own_picture():
    picture = row_programs(3, 781, 1024, reads=("x", "residual"), writes=("normed", "summed"), shared=("weight",))
    assert "243 lanes" in repr(picture) and "all 781 elements of weight" in repr(picture)
    owned, idle, *_ = boxes(picture)
    assert float(owned.get("width")) / float(idle.get("width")) == pytest.approx(781 / 243, abs=0.01)


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=16))
def test_the_right_paddings_give_the_rows_own_extremes(values):
    text = repr(padded_row(values, 16, min=INF, max=-INF))
    assert "should be" not in text and f"max = {max(values):.4g}" in text


def test_a_padding_of_zero_is_shown_to_win():
    picture = padded_row([5.0, 6.0, 7.0], 4, min=0.0, min_right=INF, max=0.0)
    wrong, right, harmless = repr(picture).split("\n")
    assert "min = 0, should be 5" in wrong and "min = 5" in right and "max = 7" in harmless
    assert len(boxes(picture)) == 12 and len(hatched(picture)) == 3


def test_deviations_tell_both_variances():
    picture = deviations([3.0, 5.0, 7.0], 4)
    assert "variance 2.667" in repr(picture) and "add 25 each: 11 instead of 2.667" in repr(picture)
    assert len(boxes(picture)) == 4 and len(hatched(picture)) == 1


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: row_programs(-1, 3, 4, reads=("x",), writes=("y",)), "rows must be 0 or more"),
        (lambda: row_programs(2, 5, 4, reads=("x",), writes=("y",)), "columns 1 to block"),
        (lambda: padded_row([], 4, min=INF), "1 to block values"),
        (lambda: padded_row([1.0], 32, min=INF), "at most 16"),
        (lambda: padded_row([1.0], 4), "not nothing"),
        (lambda: padded_row([1.0], 4, mean=0.0), "not mean"),
        (lambda: deviations([], 4), "1 to block values"),
    ],
)
def test_what_cannot_be_drawn_is_named(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()
