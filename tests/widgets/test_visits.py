"""The schedule of tiles, drawn from arithmetic, and the one that a tracer saw, are the same picture where they should be."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from learning.lens import device
from learning.widgets.visits import schedule, visited


def test_a_walk_over_everything_visits_the_future_and_one_that_stops_does_not():
    assert "25 of 25 tiles of keys are visited; 10 of them lie wholly in the future" in schedule(160, (32, 32)).text
    picture = schedule(160, (32, 32), skip=True)
    assert "15 of 25 tiles of keys are visited; 0 of them lie wholly in the future" in picture.text
    assert "queries from 64 on: 3 visited, 3 of them seen" in picture.text


@given(st.integers(1, 250), st.sampled_from([16, 32, 64]), st.sampled_from([32, 64]), st.booleans())
def test_every_schedule_is_well_formed_and_leaves_out_what_nobody_sees(tokens, queries, keys, skip):
    picture = schedule(tokens, (queries, keys), skip=skip)
    ElementTree.fromstring(picture.svg)
    down, across = -(-tokens // queries), -(-tokens // keys)
    pairs = {(i // queries, j // keys) for i in range(tokens) for j in range(i + 1)}
    assert f"{len(pairs) if skip else down * across} of {down * across} tiles" in picture.text


@pytest.mark.parametrize(
    ("arguments", "words"), [((0, (32, 32)), "1 or more"), ((700, (32, 32)), "16 tiles"), ((5, (0, 32)), "1 or more")]
)
def test_what_cannot_be_drawn_is_named(arguments, words):
    with pytest.raises(ValueError, match=words):
        schedule(*arguments)


@pytest.fixture
def walks():
    """The supplied answer's two walks, set up as a notebook sets them up."""
    if device.current().kind != "interpreter":
        pytest.skip("visits are traced where kernels are interpreted")
    from learning.lessons.streaming_attention import answer

    answer.DEVICE = device.current().torch_device
    return answer


@pytest.mark.parametrize(("name", "skip"), [("attention", False), ("skipping", True)])
def test_what_is_traced_is_what_was_scheduled(walks, name, skip):
    x = torch.ones(100, 16, dtype=torch.float16)
    keys = torch.zeros(100, 16, dtype=torch.float16)
    seen = visited(lambda: getattr(walks, name)(x, keys, x, causal=True), keys, (32, 32))
    assert seen.text.split("\n")[1:] == schedule(100, (32, 32), skip=skip).text.split("\n")[1:]
    assert visited(lambda: None, keys, (32, 32)).startswith("Nothing was launched")
