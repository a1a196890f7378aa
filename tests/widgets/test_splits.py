"""The picture of a row in chunks: its states merge to the row's own, whatever the cut, padding included."""

import math
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning.widgets.splits import split_row

SVG = "{http://www.w3.org/2000/svg}"


def boxes(picture):
    return list(ET.fromstring(picture.svg).iter(f"{SVG}rect"))


@given(st.lists(st.integers(-60, 60), min_size=1, max_size=12), st.integers(3, 4))
def test_every_cut_gives_the_rows_own_state(values, chunk):
    chunks = -(-len(values) // chunk)
    total = sum(math.exp(x - max(values)) for x in values)
    for picture in (split_row(values, chunk), split_row(values, chunk, min(chunks + 1, 4))):
        assert repr(picture).split("\n")[-1] == f"the row: maximum {max(values)}, sum {total:.4g}"
        hatched = [box for box in boxes(picture) if box.get("fill") == "url(#padded)"]
        assert len(boxes(picture)) - len(hatched) == len(values)


def test_the_lessons_own_row():
    lines = repr(split_row([1, 3, 2, 5, 4, 4, 0], 3)).split("\n")
    assert lines[0] == "chunk 0: 1, 3, 2; maximum 3, sum 1.503, times 0.1353"
    assert lines[2] == "chunk 2: 0; maximum 0, sum 1, times 0.006738"
    assert lines[3] == "the row: maximum 5, sum 1.946"


def test_a_chunk_of_padding_alone_is_the_empty_state():
    lines = repr(split_row([2.0, 1.0], 2, 2)).split("\n")
    assert lines[1] == "chunk 1: padding alone; maximum −∞, sum 0, times 0"
    assert lines[2] == "the row: maximum 2, sum 1.368"


@pytest.mark.parametrize("given", [([], 3), ([1.0], 0), ([1.0] * 17, 16), ([1.0] * 4, 2, 1), ([1.0], 2, 5)])
def test_what_has_no_room_is_refused(given):
    with pytest.raises(ValueError, match="at most 4 chunks and 16 lanes"):
        split_row(*given)
