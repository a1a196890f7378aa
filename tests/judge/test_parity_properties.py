"""The judge's bounds as properties: honest arithmetic always passes, one wrong element or a lesser precision never does."""

from __future__ import annotations

import pytest
import torch
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from learning.judge import inputs
from learning.judge.compare import Bounds, compare
from learning.judge.parity import longest_sum
from tests.judge.operations import OPERATIONS, products, running
from tests.judge.parity_kit import judge

DTYPES = [torch.float32, torch.float16, torch.bfloat16]
BIASED = ("constant_rows", "ties")
"""Values whose running sum rounds the same way at every step. Where nothing but such rounding is left, as in the layernorm of a
constant row, seventeen can be too many: no kernel adds a row one by one in fp32, lanes add in pairs."""

seeds = st.integers(0, 2**62)
rows = st.sampled_from([1, 2, 3, 5])
columns = st.sampled_from([1, 2, 3, 17, 64, 129, 400])
dtypes = st.sampled_from(DTYPES)
kinds = st.sampled_from(["plain", "tiny", "large scale", "shifted", "distinct", *inputs.PATTERNS])
operations = st.sampled_from(sorted(OPERATIONS))


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Small tensors: on a busy machine torch's threads cost more than all the arithmetic here."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def drawn(kind, shape, source, dtype):
    if kind == "distinct":
        return inputs.distinct(shape, source, dtype=dtype)
    named = {"plain": {}, "tiny": {"scale": 1e-3}, "large scale": {"scale": 64.0}, "shifted": {"offset": 5.0}}
    if kind in named:
        return inputs.normal(shape, source, dtype=dtype, **named[kind])
    return inputs.pattern(kind, shape, source, dtype=dtype)


def verdict(operation, answer, args):
    wide = [a.double() for a in args]
    scale = operation.scale(*wide) if operation.scale else None
    bounds = Bounds(terms=longest_sum(args))
    return compare(answer, operation.function(*wide), operation.reference(*args), bounds, scale)


@settings(max_examples=100, deadline=None)
@given(operations, kinds, rows, columns, dtypes, seeds)
def test_eager_exact_and_reordered_arithmetic_pass(name, kind, m, n, dtype, seed):
    operation, source = OPERATIONS[name], inputs.generator(seed)
    args = [drawn(kind, shape, source, dtype) for shape in operation.shapes(m, n)]
    answers = operation.answers[:2] if kind in BIASED and n > 16 else operation.answers
    for number, answer in enumerate(answers):
        assert verdict(operation, answer(*args), args) is None, number


@settings(max_examples=25, deadline=None)
@given(operations, rows, columns, dtypes, seeds, st.sampled_from([*inputs.LAYOUTS]))
def test_the_whole_protocol_passes_honest_answers_in_every_layout(name, m, n, dtype, seed, layout):
    operation, source = OPERATIONS[name], inputs.generator(seed)
    args = [inputs.normal(shape, source, dtype=dtype) for shape in operation.shapes(m, n)]
    args = [inputs.layout(a, layout if a.dim() > 1 else "offset") for a in args]
    for answer in operation.answers[:2]:
        assert (
            judge(answer, *args, reference=operation.reference, oracle=operation.function, scale=operation.scale)
            is None
        )


@settings(max_examples=120, deadline=None)
@example(
    "layernorm", 2, 400, torch.float16, 2_075_931_633, 0.0, "ten bounds off"
)  # eager's own worst element is far off
@given(operations, rows, columns, dtypes, seeds, st.floats(0, 1, exclude_max=True),
       st.sampled_from(["nan", "inf", "-inf", "zero", "sign", "neighbour", "ten bounds off"]))  # fmt: skip
def test_one_corrupted_element_anywhere_fails(name, m, n, dtype, seed, place, how):
    operation, source = OPERATIONS[name], inputs.generator(seed)
    args = [inputs.normal(shape, source, dtype=dtype) for shape in operation.shapes(m, n)]
    right = operation.reference(*args)
    wide = [a.double() for a in args]
    oracle = operation.function(*wide)
    scale = operation.scale(*wide) if operation.scale else oracle.abs().amax(-1, keepdim=True)
    work, terms = torch.finfo(torch.float32).eps, longest_sum(args)
    half = torch.finfo(dtype).eps / 2
    # eager torch is the yardstick: what its worst element misses beyond one rounding is allowed to each
    eager = float((((right.double() - oracle).abs() - half * oracle.abs()).clamp_min(0) / scale).nan_to_num(0.0).max())
    bound = 2 * ((half + 0.25 * work * terms**0.5) * oracle.abs() + max(8 * work, eager) * scale)
    flat, index = right.clone().reshape(-1), int(place * right.numel())
    old, ten = float(flat[index]), 10 * float(bound.expand(right.shape).reshape(-1)[index])
    flat[index] = {
        "nan": float("nan"), "inf": float("inf"), "-inf": float("-inf"), "zero": 0.0, "sign": -old,
        "neighbour": float(flat[index - 1]), "ten bounds off": old + ten,
    }[how]  # fmt: skip
    assume(float(flat[index]) != old and not abs(float(flat[index]) - old) < ten * 0.9)
    miss = verdict(operation, flat.reshape(right.shape), args)
    assert miss is not None and miss.rule == "wrong values"


def tf32(x):
    """Round fp32 to TF32's 10 mantissa bits, half away from zero, as the tensor cores' conversion does."""
    return ((x.contiguous().view(torch.int32) + 0x1000) & ~0x1FFF).view(torch.float32)


LESSER = {
    "tf32 operands": tf32,
    "fp16 operands": lambda x: x.half().float(),
    "bf16 operands": lambda x: x.bfloat16().float(),
}


@settings(max_examples=40, deadline=None)
@given(st.sampled_from(sorted(LESSER)), st.integers(4, 33), st.integers(8, 300), st.integers(4, 33), seeds)
def test_lesser_operands_never_pass_for_fp32_dots(lesser, m, k, n, seed):
    source, less = inputs.generator(seed), LESSER[lesser]
    a, b = inputs.normal((m, k), source), inputs.normal((k, n), source)
    assert verdict(OPERATIONS["matmul"], less(a) @ less(b), [a, b]) is not None


def test_tf32_operands_fail_at_the_largest_dots_too():
    source = inputs.generator(5)
    a, b = inputs.normal((4, 32768), source), inputs.normal((32768, 4), source)
    assert verdict(OPERATIONS["matmul"], a @ b, [a, b]) is None
    assert verdict(OPERATIONS["matmul"], tf32(a) @ tf32(b), [a, b]) is not None


@settings(max_examples=25, deadline=None)
@given(st.integers(4, 17), st.integers(32, 200), st.integers(4, 17), seeds)
def test_bf16_operands_and_fp16_accumulation_never_pass_for_fp16_dots(m, k, n, seed):
    source = inputs.generator(seed)
    a, b = (inputs.normal(shape, source, dtype=torch.float16) for shape in ((m, k), (k, n)))
    rounded_operands = (a.bfloat16().float() @ b.bfloat16().float()).half()
    half_sums = running(a[:, None, :] * b.t()[None])
    for answer in (rounded_operands, half_sums):
        assert verdict(OPERATIONS["matmul"], answer, [a, b]) is not None


@settings(max_examples=30, deadline=None)
@given(rows, st.integers(8, 300), seeds)
def test_softmax_of_values_rounded_to_16_bits_never_passes_for_fp32(m, n, seed):
    x = inputs.normal((m, n), inputs.generator(seed))
    assert verdict(OPERATIONS["softmax"], torch.softmax(x.half().float(), -1), [x]) is not None


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 9), st.integers(1, 40), st.integers(1, 9), seeds, st.floats(0, 1, exclude_max=True),
       st.sampled_from([torch.float32, torch.float16]))  # fmt: skip
def test_exact_mode_accepts_every_order_and_no_other_value(m, k, n, seed, place, dtype):
    source = inputs.generator(seed)
    a, b = (inputs.integers(shape, source, low=-4, high=5, dtype=dtype) for shape in ((m, k), (k, n)))
    oracle, bounds = a.double() @ b.double(), Bounds(exact=True)
    reordered = running((a[:, None, :] * b.t()[None]).flip(-1))
    assert compare(reordered, oracle, None, bounds) is None
    wrong = reordered.reshape(-1).clone()
    wrong[int(place * wrong.numel())] += 1
    assert compare(wrong.reshape(m, n), oracle, None, bounds) is not None


@pytest.mark.parametrize("factor", [1e-3, 1.0, 64.0])
def test_the_bounds_scale_with_the_values(factor):
    a, b = inputs.normal((8, 64), inputs.generator(1), scale=factor), inputs.normal((64, 8), inputs.generator(2))
    oracle = a.double() @ b.double()
    scale = products(a.double(), b.double())
    assert compare((oracle * (1 + 1e-7)).float(), oracle, a @ b, Bounds(terms=64), scale) is None
    assert compare((oracle * (1 + 1e-5)).float(), oracle, a @ b, Bounds(terms=64), scale) is not None
