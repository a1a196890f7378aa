"""What a fault says to somebody who has never seen a traceback."""

import math

import pytest

from learning.judge import faults
from learning.judge.finding import Fault

CELL = {"cell-of-this-test": ("answer", "x = (1\ny = 2)\nz = 3)\n")}


def caught(source):
    try:
        exec(compile(source, "cell-of-this-test", "exec"), {"math": math})
    except Exception as problem:
        return faults.read(problem, CELL.get)
    raise AssertionError("it ran")


def test_a_syntax_error_tells_its_place_once():
    fault = caught("x = 1\ny = 2\nz = 3)\n")
    assert fault.sentence() == "SyntaxError: unmatched ')' (line 3 of cell answer: z = 3))"


@pytest.mark.parametrize(
    ("source", "end"),
    [
        ("math.sqtr", "no attribute 'sqtr'; did you mean sqrt?"),
        ("math.wholly_different", "no attribute 'wholly_different'"),
        ("(1).real_part", "no attribute 'real_part'"),
    ],
)
def test_a_misspelt_name_of_a_module_brings_the_near_one(source, end):
    assert caught(source).message.endswith(end)


def test_the_launch_of_a_kernel_without_its_decorator_is_explained():
    fault = caught("def kernel(x): ...\nkernel[(1,)](2)\n")
    assert "'function' object is not subscriptable" in fault.message and "@triton.jit" in fault.message


def test_an_attribute_error_that_lies_about_itself_is_read_all_the_same():
    class Lying(AttributeError):
        @property
        def obj(self):
            raise RuntimeError("no")

    assert faults.read(Lying("hidden"), CELL.get).type == "Lying"


def test_a_line_of_a_python_file_is_not_said_to_be_in_a_cell():
    assert Fault("ValueError", "no", "answer.py", 3, "f()").sentence() == "ValueError: no (line 3 of answer.py: f())"
