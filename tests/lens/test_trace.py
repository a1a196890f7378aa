"""The tracer: its stories on the virtual T4 and the plain interpreter, and its arithmetic of views and orders."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from learning.lens import regions, trace
from tests.lens.test_virtual import failures


@pytest.mark.parametrize("target", ["interpreter", pytest.param("t4", marks=pytest.mark.slow)])
def test_known_traffic_planted_faults_and_no_false_alarms(stories, target):
    results = stories(target, "tracing.")
    assert len(results) == 25 and not failures(results), failures(results)


shapes = st.lists(st.tuples(st.integers(1, 5), st.integers(0, 7)), min_size=1, max_size=3)


@given(shapes)
def test_what_a_view_owns_is_what_torch_writes_through_it(axes):
    shape, strides = tuple(size for size, _ in axes), tuple(stride for _, stride in axes)
    length = regions.extent(shape, strides)
    memory = torch.zeros(length, dtype=torch.bool)
    flat = np.zeros(1, dtype=np.int64)
    for size, stride in axes:
        flat = (flat[:, None] + np.arange(size) * stride).ravel()
    memory[torch.from_numpy(flat)] = True
    legal = regions.owned(shape, strides)
    assert memory[-1] and (memory.all() if legal is None else torch.equal(torch.from_numpy(legal), memory))


def test_an_empty_view_has_no_extent():
    assert regions.extent((3, 0), (5, 1)) == 0 and regions.extent((), ()) == 1


@given(st.integers(1, 40), st.integers(0, 1000))
def test_a_shuffled_order_runs_every_program_once(count, seed):
    programs = [(x, 0, 0) for x in range(count)]
    shuffled = list(trace.arrangement(seed)(programs))
    assert sorted(shuffled) == programs and shuffled == list(trace.arrangement(seed)(programs))
    assert list(trace.arrangement("reversed")(programs)) == programs[::-1]
    assert list(trace.arrangement("")(programs)) == programs


@pytest.mark.parametrize("order", ["sideways", True, None])
def test_an_order_without_meaning_is_refused(order):
    with pytest.raises(ValueError, match="order is"):
        trace.arrangement(order)


def test_a_problem_says_what_where_and_on_which_line():
    problem = trace.Problem(
        trace.OUT_OF_BOUNDS_LOAD, "k", "x_ptr", (3, 0, 0), 4, 100, 103, 12, "tl.load(x_ptr + i)", 100
    )
    assert problem.sentence() == (
        "program (3, 0, 0) of k reads elements 100 to 103 of x_ptr, which has 100 (line 12: tl.load(x_ptr + i))"
    )
