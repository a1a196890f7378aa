"""The picture of tile orders numbers every tile once and counts what programs that run together need."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning.widgets.orders import needed, place, tile_orders

few = st.integers(1, 12)


def test_sixteen_of_sixty_four_tiles_need_least_in_bands_of_four():
    assert tile_orders(8, 8, 16).text.split("\n") == [
        "8 × 8 tiles; programs 0 … 15 run together",
        "bands of 1: 2 tile rows of a + 8 tile columns of b = 10 for 16 tiles",
        "bands of 4: 4 tile rows of a + 4 tile columns of b = 8 for 16 tiles",
        "bands of 8: 8 tile rows of a + 2 tile columns of b = 10 for 16 tiles",
    ]


@given(few, few, st.integers(1, 200), st.integers(1, 15))
def test_every_tile_has_one_program_whatever_the_band(down, across, together, group):
    tiles = [place(number, down, across, group) for number in range(down * across)]
    assert sorted(tiles) == [(r, c) for r in range(down) for c in range(across)]
    rows, columns = needed(down, across, together, group)
    assert rows * columns >= min(together, down * across) and rows <= down and columns <= across
    picture = tile_orders(down, across, together, (group,), left="x", right="w")
    ElementTree.fromstring(picture.svg)
    assert picture.svg.count('font-size="10"') == down * across
    assert f"{rows} tile row" in picture.text and re.search(f"{columns} tile columns? of w", picture.text)


def test_a_band_of_one_is_a_page_and_a_last_band_may_be_lower():
    assert [place(number, 3, 4, 1) for number in (0, 4, 11)] == [(0, 0), (1, 0), (2, 3)]
    assert [place(number, 5, 2, 4) for number in (3, 4, 8, 9)] == [(3, 0), (0, 1), (4, 0), (4, 1)]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [((13, 2, 4), "1 to 12 tiles"), ((2, 2, 0), "at least one program"), ((2, 2, 2, ()), "one to three groups")],
)
def test_what_cannot_be_drawn_is_named(arguments, words):
    with pytest.raises(ValueError, match=words):
        tile_orders(*arguments)
