"""What gate 05 reads from a kernel's source: strides written as numbers, stores through a fixed type."""

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learning import lesson as lessons
from learning.attempts import answer, variants
from learning.gates.source import faults

KERNEL = """
import triton
import triton.language as tl

@triton.jit
def copy_kernel(x_ptr, out_ptr, x_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n_cols
    x = tl.load(x_ptr + {load}, mask=mask, other=0.0).to(tl.float32)
    tl.store(out_ptr + row * n_cols + cols, {value}, mask=mask)

def copy(x):
    out = x.new_empty(x.shape)
    {wrapper}
    return out
"""
LAUNCH = "copy_kernel[(x.shape[0],)](x, out, {stride}, x.shape[1], BLOCK=1024)"
CAST = "x.to(out_ptr.dtype.element_ty)"


def kernel(load="row * x_stride + cols", value=CAST, wrapper="", stride="x.stride(0)"):
    return KERNEL.format(load=load, value=value, wrapper=wrapper or LAUNCH.format(stride=stride))


def test_strides_from_the_tensor_and_a_cast_by_the_output_are_no_fault():
    assert faults(kernel()) == []


@pytest.mark.parametrize(
    "load",
    [
        "row * 781 + cols",
        "781 * row + cols",
        "(row * 781) + cols",
        "row[None] * 781 + cols",
        "row * x_stride + cols * 5",
    ],
)
def test_a_stride_written_as_a_number_is_named_with_its_line(load):
    (fault,) = faults(kernel(load))
    assert ("781" in fault or ", 5:" in fault) and "`tl.load(x_ptr" in fault and "x.stride(0)" in fault


@pytest.mark.parametrize(
    "load",
    [
        "tl.program_id(0) * 4 + tl.arange(0, 4)",  # a tile's extent, though written as a number
        "row * 2 * BLOCK + cols",  # two tiles a program
        "(row * 4 + 1) * BLOCK + cols",  # counts tiles
        "row // 32 * x_stride + row % 32",
        "row * x_stride * 2 + cols",
        "row * x_stride + cols * 1",
        "2 * cols + 1",  # pairs of numbers
    ],
)
def test_a_tiles_extent_a_count_of_tiles_and_a_multiple_of_a_stride_are_none(load):
    assert faults(kernel(load)) == []


def test_a_number_handed_to_a_stride_is_found_through_a_name():
    assert "781 for x_stride" in faults(kernel(stride="781"))[0]
    assert "781 for x_stride" in faults(kernel(wrapper="width = 781\n    " + LAUNCH.format(stride="width")))[0]
    assert "781" in faults("WIDTH = 781\n" + kernel(stride="WIDTH"))[0]
    assert "781" in faults("WIDTH: int = tl.constexpr(781)\n" + kernel("row * WIDTH + cols"))[0]
    assert faults(kernel(stride="1")) == [] and faults(kernel(stride="x.shape[1]")) == []


def test_strides_stated_to_a_block_pointer_or_a_descriptor_are_read_too():
    pointer = (
        "p = tl.make_block_ptr(x_ptr, (8, n_cols), (781, 1), (0, 0), (8, BLOCK), (1, 0))\n    row = tl.program_id(0)"
    )
    text = kernel().replace("row = tl.program_id(0)", pointer, 1)
    assert "781" in faults(text)[0]
    assert faults(text.replace("(781, 1)", "(x_stride, 1)")) == []


@pytest.mark.parametrize("value", ["x.to(tl.float16)", "x.to(dtype=tl.bfloat16)", "tl.cast(x, tl.float16)"])
def test_a_store_through_a_fixed_narrow_type_is_a_fault(value):
    (fault,) = faults(kernel(value=value))
    assert "float16" in fault and "element_ty" in fault
    through_a_name = kernel(value="y").replace("    tl.store", f"    y = {value}\n    tl.store")
    assert faults(through_a_name) == [fault.replace(f"+ cols, {value}", "+ cols, y")]


@pytest.mark.parametrize("value", ["x", "x.to(tl.float32)", "x.to(x_ptr.dtype.element_ty)", "(x.to(tl.float16) + x)"])
def test_a_store_that_ends_in_no_narrow_cast_is_none(value):
    assert faults(kernel(value=value)) == []  # Triton's store casts by the pointer's element type itself


@pytest.mark.parametrize(
    "card", [card for card in lessons.discover() if card.kind == "gpu"], ids=lambda card: card.slug
)
def test_no_right_answer_of_any_lesson_has_a_fault(card):
    for attempt in [answer(card), *variants(card)]:
        assert faults(attempt.source) == [], attempt.name


LOOP = """
import triton.language as tl, triton
@triton.jit
def sum_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    total = tl.zeros((BLOCK,), dtype={start})
    for step in range(0, n, BLOCK):
        x = tl.load(x_ptr + step + tl.arange(0, BLOCK))
        {add}
    tl.store(out_ptr + tl.program_id(0), tl.sum(total, axis=0).to(out_ptr.dtype.element_ty))
"""


@pytest.mark.parametrize(
    ("start", "add"),
    [
        ("tl.float16", "total += x"),
        ("x_ptr.dtype.element_ty", "total = total + x"),
        ("tl.float32", "total = (total + x).to(tl.float16)"),
        ("tl.float32", "total = (total + x).to(x.dtype).to(tl.float32)"),
        ("tl.float32", "total = tl.dot(x, x, total).to(out_ptr.dtype.element_ty)"),
    ],
)
def test_an_accumulator_that_is_kept_in_few_bits_is_a_fault(start, add):
    (fault,) = set(faults(LOOP.format(start=start, add=add)))
    assert "keeps total in fewer than 32 bits" in fault


@pytest.mark.parametrize(
    "add",
    [
        "total += x",
        "total += x.to(tl.float32)",
        "total = (total + x).to(tl.float32)",
        "total = (total + x).to(total.dtype)",
    ],
)
def test_an_accumulator_of_float32_is_none(add):
    assert faults(LOOP.format(start="tl.float32", add=add)) == []


def test_source_that_cannot_be_read_has_none():
    assert faults("def f(:") == [] and faults("\0") == [] and faults("") == []


NAMES = st.sampled_from(["row", "cols", "n", "BLOCK", "8", "781", "x_ptr"])
EXPRESSIONS = st.recursive(
    NAMES, lambda e: st.builds("({} {} {})".format, e, st.sampled_from("+-*/%"), e), max_leaves=8
)


@settings(max_examples=50, deadline=None)
@given(EXPRESSIONS, EXPRESSIONS)
def test_any_arithmetic_is_read_without_an_error_and_loops_of_names_end(load, assigned):
    text = kernel(load).replace(
        "row = tl.program_id(0)", f"row = tl.program_id(0)\n    row = {assigned}\n    cols = row", 1
    )
    ast.parse(text)
    assert isinstance(faults(text), list)
