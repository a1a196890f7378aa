"""A block of offsets becomes a box in the tensor's own indices, or runs of elements where it is none."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learning.lens import ownership
from learning.lens.ownership import Ownership, tile, unravel
from learning.lens.trace import Access, LaunchTrace, Traffic


def access(offsets, active=None, program=(0, 0, 0), store=False, argument="x"):
    offsets = np.asarray(offsets)
    active = np.ones(offsets.shape, bool) if active is None else active
    return Access(program, argument, store, offsets.shape, offsets, active, 1)


def test_the_last_tile_of_a_vector_hangs_over_its_end():
    offsets = 2048 + np.arange(1024)
    found = tile(access(offsets, offsets < 2500), (2500,), (1,))
    assert (found.start, found.size, found.active, found.masked) == ((2048,), (1024,), 452, 572)
    assert not found.runs and not found.holes


def test_a_row_of_a_transposed_matrix_is_a_box_in_its_indices():
    columns = np.arange(64)
    found = tile(access(2 + 3 * columns, columns < 37), (3, 37), (1, 3))
    assert (found.start, found.size, found.masked) == ((2, 0), (1, 64), 27)


def test_a_causal_mask_is_kept_as_holes_inside_the_box():
    rows, columns = np.arange(4)[:, None], np.arange(4)[None, :]
    found = tile(access(rows * 8 + columns, columns <= rows), (8, 8), (8, 1))
    assert found.size == (4, 4) and found.holes == [(0, 1, 4), (1, 2, 4), (2, 3, 4)]


def test_lanes_that_wrap_around_a_row_are_no_box():
    found = tile(access(np.arange(8)), (3, 5), (5, 1))
    assert found.runs == [(0, 0, 5), (1, 0, 3)]


def test_interleaved_lanes_are_kept_element_by_element():
    assert tile(access(1 + 4 * np.arange(4)), (20,), (1,)).runs == [(0, 1, 2), (0, 5, 6), (0, 9, 10), (0, 13, 14)]


def test_a_scalar_access_and_a_repeated_row():
    assert tile(access(np.array(7)), (20,), (1,)).start == (7,)
    assert tile(access(np.arange(4)), (3, 4), (0, 1)).size == (1, 4)


@settings(deadline=None)  # other work shares the cores
@given(
    st.integers(1, 6),
    st.integers(1, 9),
    st.integers(1, 4),
    st.integers(1, 4),
    st.booleans(),
    st.integers(0, 7),
    st.integers(0, 9),
)
def test_a_box_owns_exactly_the_elements_its_lanes_touch(rows, columns, tall, wide, transposed, row, column):
    strides = (1, rows) if transposed else (columns, 1)
    i, j = row + np.arange(tall)[:, None], column + np.arange(wide)[None, :]
    active = (i < rows) & (j < columns)
    found = tile(access(i * strides[0] + j * strides[1], active), (rows, columns), strides)
    touched = {(int(a), int(b)) for a, b in zip(*np.broadcast_arrays(i, j), strict=True) for a, b in zip(a, b, strict=True)
               if a < rows and b < columns}  # fmt: skip
    assert (found.active, found.masked) == (len(touched), tall * wide - len(touched))
    drawn = {(lead, k) for lead, first, last in found.runs for k in range(first, last)}
    if not found.runs and found.active:
        drawn = {
            (a, b)
            for a in range(found.start[0], min(found.start[0] + found.size[0], rows))
            for b in range(found.start[1], min(found.start[1] + found.size[1], columns))
        } - {(lead, k) for lead, first, last in found.holes for k in range(first, last)}
    assert drawn == touched


@settings(deadline=None)  # other work shares the cores
@given(st.integers(1, 5), st.integers(1, 5), st.permutations([0, 1]))
def test_unravel_undoes_the_strides_of_every_dense_layout(rows, columns, order):
    shape = (rows, columns)
    strides = [0, 0]
    strides[order[1]], strides[order[0]] = 1, shape[order[1]]
    i, j = np.meshgrid(range(rows), range(columns), indexing="ij")
    back = unravel(i * strides[0] + j * strides[1], shape, tuple(strides))
    assert np.array_equal(back[0], i * (rows > 1)) and np.array_equal(back[1], j * (columns > 1))


class Matrix:
    shape = (2, 4)

    def stride(self):
        return (4, 1)


def test_an_ownership_survives_json_and_names_a_missing_argument():
    launch = LaunchTrace("kernel", (2, 1, 1), {}, {}, tensors={"x": Traffic("x", 8, 4, loaded=8)}, programs=2)
    launch.accesses = [access(np.arange(4) + 4 * p, program=(p, 0, 0)) for p in (0, 1)]
    made = ownership.of(launch, "x", Matrix())
    assert made.loads == 1.0 and [t.start for t in made.tiles] == [(0, 0), (1, 0)]
    assert Ownership.from_dict(json.loads(json.dumps(made.as_dict()))) == made
    with pytest.raises(KeyError, match="no tensor argument 'w'"):
        ownership.of(launch, "w", Matrix())
