"""Pictures of what a query sees of a cache: the same keys as the contract's sentence, told in text, drawn as well-formed SVG."""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning.widgets.windows import seen, seen_keys


@st.composite
def caches(draw):
    capacity = draw(st.integers(1, 80))
    length = draw(st.integers(1, capacity))
    return capacity, length, draw(st.integers(1, min(20, length))), draw(st.integers(1, 100))


@given(caches(), st.sampled_from([(16, 32), (4, 8), (1, 1)]))
def test_each_query_sees_what_the_contract_says(cache, tile):
    capacity, length, steps, window = cache
    picture = seen_keys(*cache, tile)
    ET.fromstring(picture.svg)
    for query in range(steps):
        place = length - steps + query
        wanted = [key for key in range(capacity) if max(0, place - window + 1) <= key <= place]
        assert list(seen(length, steps, window, query)) == wanted
        assert f"query {query} stands at {place} and sees keys {wanted[0]} … {wanted[-1]}" in repr(picture)


def test_the_lessons_own_picture():
    text = repr(seen_keys(capacity=64, length=40, steps=5, window=12, tile=(16, 8)))
    assert "walks keys 24 … 39 in 2 steps: 16 keys, 80 pairs, of which 60 are seen" in text


@pytest.mark.parametrize(
    "cache", [(10, 11, 1, 4), (10, 5, 6, 4), (10, 5, 0, 4), (10, 5, 2, 0), (81, 5, 2, 3), (70, 60, 21, 3)]
)
def test_a_cache_that_cannot_be_is_refused(cache):
    with pytest.raises(ValueError, match=r"from 1 up|has room"):
        seen_keys(*cache, (16, 32))
