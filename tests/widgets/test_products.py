"""The picture of a matrix product says which bands a program reads, and counts what all of them request."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning.widgets.products import product

sizes = st.integers(1, 300)
extents = st.sampled_from([1, 16, 32, 64, 128])


def test_the_last_program_of_a_ragged_product_owns_a_corner():
    picture = product(100, 40, 72, (64, 64, 16), program=3)
    assert picture.text.split("\n") == [
        "a [100, 40] times b [40, 72], tiles of 64 × 64: 2 × 2 = 4 programs of 3 steps",
        "program 3 owns out[64 … 99, 64 … 71]; 3808 of 4096 lanes own nothing",
        "it reads rows 64 … 99 of a and columns 64 … 71 of b, 16 of 40 at a time",
        "all programs together request a twice and b twice, and store out once",
    ]


def test_names_are_those_of_the_lesson_and_no_inner_axis_is_no_step():
    picture = product(5, 0, 1, (32, 32, 32), left="x", right="w_gate.t() and w_up.t()")
    assert "x [5, 0] times w_gate.t() and w_up.t() [0, 1]" in picture.text and "1 programs of 0 steps" in picture.text
    assert "out[0 … 4, 0]" in picture.text


@given(sizes, st.integers(0, 300), sizes, extents, extents, extents, st.data())
def test_every_picture_is_well_formed_and_owners_cover_the_result_once(rows, inner, columns, tall, broad, step, data):
    programs = -(-rows // tall) * -(-columns // broad)
    chosen = data.draw(st.integers(0, programs - 1))
    picture = product(rows, inner, columns, (tall, broad, step), chosen)
    ElementTree.fromstring(picture.svg)
    idle = int(re.search(r"; (\d+) of", picture.text)[1])
    first = int(re.search(r"out\[(\d+)", picture.text)[1])
    assert 0 <= idle < tall * broad and first == chosen // -(-columns // broad) * tall
    if programs <= 40:
        own = [
            int(re.search(r"; (\d+) of", product(rows, inner, columns, (tall, broad, step), p).text)[1])
            for p in range(programs)
        ]
        assert programs * tall * broad - sum(own) == rows * columns


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((4, 4, 4, (64, 64, 16), 1), "1 programs, numbered from 0, and 1 is none"),
        ((0, 4, 4, (64, 64, 16), 0), "0 programs"),
        ((-1, 4, 4, (64, 64, 16), 0), "sizes must be 0 or more"),
        ((4, 4, 4, (64, 0, 16), 0), "tile extents 1 or more"),
    ],
)
def test_what_cannot_be_drawn_is_named(arguments, words):
    with pytest.raises(ValueError, match=words):
        product(*arguments)
