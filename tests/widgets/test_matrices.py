"""The pictures of tiled matrices and of padded rows: what they say, and that every element is drawn once."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as tree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning.widgets.matrices import matrix_tiles, padded_shares


def owned(picture):
    """(rows, columns) of each program that the text names."""
    found = re.findall(r"rows (\d+) … (\d+), columns (\d+) … (\d+)", picture.text)
    return [(int(b) - int(a) + 1, int(d) - int(c) + 1) for a, b, c, d in found]


def test_the_matrix_of_the_lesson_has_six_programs_and_a_ragged_corner():
    picture = matrix_tiles((100, 150), (64, 64))
    assert "2 × 3 = 6 programs, 9576 of 24576 lanes own nothing" in picture.text
    assert "program 5: rows 64 … 99, columns 128 … 149" in picture.text
    assert picture.svg in picture._repr_html_()


@given(st.integers(1, 40), st.integers(1, 60), st.integers(7, 16), st.integers(8, 16))
def test_tiles_that_are_all_drawn_own_every_element_once(rows, columns, tall, wide):
    picture = matrix_tiles((rows, columns), (tall, wide))
    tree.fromstring(picture.svg)
    assert sum(h * w for h, w in owned(picture)) == rows * columns


def test_many_tiles_are_drawn_as_the_first_and_the_last():
    picture = matrix_tiles((4096, 700), (1, 1024))
    assert [line.split(":")[0] for line in picture.text.splitlines()[1:]] == [
        "program 0", "program 1", "program 2", "program 3", "program 4", "program 4095",
    ]  # fmt: skip
    assert "program 3: row 3, columns 0 … 699" in picture.text
    assert "324 of" not in picture.text and f"{324 * 4096} of {4096 * 1024} lanes" in picture.text


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0)])
def test_an_empty_matrix_starts_nothing(shape):
    assert "= 0 programs" in matrix_tiles(shape, (64, 64)).text


@pytest.mark.parametrize(("shape", "tile"), [((-1, 2), (4, 4)), ((2, 2), (0, 4)), ((2, 2), (4, 0))])
def test_impossible_tiles_are_refused(shape, tile):
    with pytest.raises(ValueError, match="extents 1 or more"):
        matrix_tiles(shape, tile)


def test_padding_of_zero_takes_most_of_a_row_below_zero_and_minus_infinity_takes_nothing():
    row = [-5.0, -6.0, -7.0]
    assert "add up to 0.0100" in padded_shares(row, 4, 0.0).text
    assert "add up to 1.0000" in padded_shares(row, 4, -math.inf).text
    assert "add up to 1.0000" in padded_shares([20.0, 21.0], 4, 0.0).text  # a large row hides it


@given(st.lists(st.floats(-50, 50), min_size=1, max_size=16), st.integers(0, 15), st.floats(-50, 50))
def test_all_shares_together_are_one(values, more, padding):
    picture = padded_shares(values, min(16, len(values) + more), padding)
    tree.fromstring(picture.svg)
    shares = [float(s) for s in re.findall(r"share ([\d.]+)", picture.text)]
    assert sum(shares) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize(
    ("values", "lanes", "padding"),
    [([], 4, 0.0), ([1.0] * 5, 4, 0.0), ([1.0], 17, 0.0), ([math.inf], 4, 0.0), ([1.0], 4, math.inf)],
)
def test_rows_the_picture_cannot_hold_are_refused(values, lanes, padding):
    with pytest.raises(ValueError, match=r"lanes|finite"):
        padded_shares(values, lanes, padding)
