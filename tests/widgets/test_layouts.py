"""The strip of memory must say what the strides say, in its text and in its drawing."""

import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning.widgets.layouts import MOST_CELLS, memory


class Matrix:
    def __init__(self, shape, strides):
        self.shape, self._strides = shape, strides

    def stride(self):
        return self._strides


def strip(picture):
    return picture.text.split("\n")[1].split()


def test_a_transposed_matrix_runs_down_its_columns():
    assert strip(memory(x=Matrix((3, 2), (1, 3)))) == ["0,0", "1,0", "2,0", "0,1", "1,1", "2,1"]


def test_padding_belongs_to_nobody_and_a_stride_of_zero_to_many():
    assert strip(memory(x=Matrix((2, 2), (3, 1)))) == ["0,0", "0,1", "--", "1,0", "1,1"]
    assert strip(memory(x=Matrix((3, 2), (0, 1)))) == ["*,0", "*,1"]
    assert strip(memory(x=Matrix((2, 3), (1, 0)))) == ["0,*", "1,*"]


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 4), st.integers(0, 4))
def test_every_element_lies_where_its_strides_put_it(rows, columns, row_stride, column_stride):
    cells = strip(memory(x=Matrix((rows, columns), (row_stride, column_stride))))
    assert len(cells) == 1 + (rows - 1) * row_stride + (columns - 1) * column_stride
    for i in range(rows):
        for j in range(columns):
            row, column = cells[i * row_stride + j * column_stride].split(",")
            assert row in (str(i), "*") and column in (str(j), "*")


def test_the_drawing_is_well_formed_and_holds_a_cell_an_element():
    picture = memory(padded=Matrix((2, 3), (5, 1)), one_row=Matrix((3, 4), (0, 1)))
    root = ET.fromstring(picture.svg)
    boxes = [e for e in root.iter() if e.tag.endswith("rect")]
    assert len(boxes) == 8 + 4
    assert "padded: shape (2, 3), strides (5, 1)" in picture.text and "one row" in picture.text


@pytest.mark.parametrize(
    ("shape", "strides", "says"),
    [((3,), (1,), "2-D"), ((0, 3), (3, 1), "at least one"), ((2, 2), (MOST_CELLS, 1), "room")],
)
def test_what_cannot_be_drawn_is_refused_by_name(shape, strides, says):
    with pytest.raises(ValueError, match=f"wide .*{says}"):
        memory(wide=Matrix(shape, strides))
