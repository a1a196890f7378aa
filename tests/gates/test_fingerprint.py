"""The answer's fingerprint: changes with what the answer does, and with nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning.gates.fingerprint import fingerprint

HELPER = ("In[1]", "import triton\nWIDTH = 4\n\ndef helper(x):\n    return x * WIDTH")
ANSWER = ("In[2]", "def add(x, y):\n    return helper(x) + y")


def of(*cells):
    return fingerprint(list(cells), ("add",))


def test_comments_scratch_cells_and_running_again_change_nothing():
    plain = of(HELPER, ANSWER)
    assert len(plain) == 64
    assert of(HELPER, ("In[2]", "# why\ndef add(x, y):\n\n    return helper(x)+y")) == plain
    assert of(HELPER, ANSWER, ("In[3]", "z = add(1, 2)\nprint(z)")) == plain
    assert of(HELPER, ANSWER, HELPER, ANSWER) == plain
    assert of(("one", HELPER[1] + "\n\n" + ANSWER[1])) == plain
    assert of(HELPER, ANSWER, ("In[3]", "def broken(:")) == plain


@pytest.mark.parametrize(
    "change",
    [
        "WIDTH = 5",
        "WIDTH += 1",
        "def helper(x):\n    return x",
        "if True:\n    WIDTH = 9",
        "from math import sin as helper",
        "class helper:\n    pass",
    ],
)
def test_a_changed_helper_changes_it(change):
    assert of(HELPER, ANSWER, ("In[3]", change)) != of(HELPER, ANSWER)


def test_an_answer_that_is_not_there_has_none():
    assert of(HELPER) == "" and of() == ""
    assert fingerprint([ANSWER], ("add", "other")) == ""


@given(st.lists(st.text(max_size=60), max_size=4))
def test_no_text_breaks_it(texts):
    assert isinstance(fingerprint([("cell", text) for text in texts], ("add",)), str)
