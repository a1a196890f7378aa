"""A count of loads: what it may say, when it is right, and a hint that never gives it away."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning.gates import counted
from learning.gates.fields import PredictionError

MADE = {"kernel": "k", "loads": {"16": 2, "4": 3}, "stores": {"16": 1}, "warps": 4, "card": "Tesla T4"}


def kept(said, **changed):
    return {
        "event": "compile",
        "payload": {"kernels": [{"kernel": "other"}, MADE | changed], "reading": {"kernel": "k", "loads": said}},
    }


def test_a_count_is_kept_by_width_and_widths_of_nothing_are_left_out():
    assert counted.canonical({16: 4, 4: 0}) == {"16": 4}


@pytest.mark.parametrize(
    "loads", [{}, 4, {"16": 4}, {16: -1}, {16: 2.0}, {True: 1}, {3: 1}, {512: 1}, {16: "4"}, [(16, 4)]]
)
def test_what_is_no_count_is_told_with_an_example(loads):
    with pytest.raises(PredictionError, match=r"loads: .*(16|8)"):
        counted.canonical(loads)


def test_a_reading_is_right_where_it_says_what_the_compiler_made_of_that_kernel():
    assert counted.right(kept({"16": 2, "4": 3})) and not counted.right(kept({"16": 2}))
    assert not counted.right(kept({"16": 2, "4": 3}) | {"event": "launch"}) and not counted.right(
        {"event": "compile", "payload": {}}
    )
    assert not counted.right(kept({}, loads={}))  # a kernel without loads has nothing to count
    wrong, good = kept({"4": 5}), kept({"16": 2, "4": 3})
    assert counted.proof([wrong, good, wrong]) is good and counted.proof([wrong]) is None


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ({"16": 3, "4": 3}, "stores"),
        ({"128": 2, "32": 3}, "bytes"),
        ({"16": 256, "4": 384}, "once for each thread"),
        ({"8": 5}, "their width is not"),
        ({"16": 3, "4": 9}, "the width is right"),
        ({"2": 1}, "find the rows"),
    ],
)
def test_a_hint_says_what_to_look_at(said, says):
    assert says in counted.hint(said, MADE)


counts = st.dictionaries(
    st.sampled_from(["1", "2", "4", "8", "16", "32", "64", "128"]), st.integers(1, 4096), max_size=4
)


@given(counts, counts.filter(bool))
def test_no_wrong_count_is_called_right_and_every_wrong_one_gets_a_sentence(said, loads):
    made = MADE | {"loads": loads}
    assert counted.right(
        {"event": "compile", "payload": {"kernels": [made], "reading": {"kernel": "k", "loads": said}}}
    ) == (said == loads)
    if said != loads:
        assert counted.hint(said, made).endswith(".")
