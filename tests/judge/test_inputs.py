"""Inputs: the same bytes for a seed, values that tell indices apart, layouts and moats that keep them."""

from __future__ import annotations

import itertools

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from learning.judge import inputs
from learning.judge.moat import MOAT_BYTES, Moated, locate, span, words

FLOATS = [torch.float32, torch.float16, torch.bfloat16]
dtypes = st.sampled_from([*FLOATS, torch.float64, torch.int8, torch.int32, torch.int64, torch.uint8, torch.bool])


def source(seed=7):
    return inputs.generator(seed)


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_seed_gives_the_same_bytes_and_another_seed_others(dtype):
    one, two, other = (inputs.normal((50, 3), source(s), dtype=dtype) for s in (7, 7, 8))
    assert torch.equal(one, two) and not torch.equal(one, other)


def test_normal_values_are_finite_whatever_the_scale():
    assert inputs.normal((1000,), source(), dtype=torch.float16, scale=1e5).isfinite().all()


@pytest.mark.parametrize(
    ("dtype", "count"), [(torch.float32, 100_000), (torch.float16, 2049), (torch.bfloat16, 257), (torch.int32, 999)]
)
def test_distinct_values_are_distinct_small_and_shuffled(dtype, count):
    x = inputs.distinct((count,), source(), dtype=dtype)
    assert x.unique().numel() == count
    assert not dtype.is_floating_point or float(x.abs().max()) < 4
    assert not torch.equal(x, x.sort().values)


def test_where_a_dtype_runs_out_of_values_equal_ones_are_never_neighbours_by_block():
    x = inputs.distinct((5000,), source(), dtype=torch.bfloat16)
    blocks = x[: 5000 // 128 * 128].reshape(-1, 128)
    assert all(not torch.equal(a, b) for a, b in itertools.pairwise(blocks))


@pytest.mark.parametrize("shape", [(0,), (1,), (3, 0), (2, 3)])
@pytest.mark.parametrize("make", [inputs.normal, inputs.integers, inputs.distinct])
def test_every_shape_can_be_drawn(make, shape):
    assert make(shape, source()).shape == shape


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("kind", inputs.PATTERNS)
def test_every_pattern_is_finite_in_every_dtype(kind, dtype):
    for shape in ((3, 17), (5,), (2, 0)):
        x = inputs.pattern(kind, shape, source(), dtype=dtype)
        assert x.shape == shape and x.dtype == dtype and x.isfinite().all()


def test_patterns_are_what_they_say():
    draw = lambda kind, dtype=torch.float32: inputs.pattern(kind, (4, 33), source(), dtype=dtype)  # noqa: E731
    assert (draw("constant_rows").diff(dim=1) == 0).all() and draw("constant_rows")[:, 0].unique().numel() == 4
    assert ((draw("spikes") > 10).sum(1) == 1).all()
    assert (draw("ramp").diff(dim=1) > 0).all()
    assert set(draw("ties").unique().tolist()) == {1.5, -0.5}
    assert (draw("alternating")[:, ::2] > 0).all() and (draw("alternating")[:, 1::2] < 0).all()
    zeros = draw("signed_zeros")
    assert (zeros == 0).all() and 0 < int(torch.signbit(zeros).sum()) < zeros.numel()
    tiny = draw("subnormals", torch.float16)
    assert float(tiny.abs().max()) < torch.finfo(torch.float16).smallest_normal and (tiny != 0).any()
    assert float(draw("large", torch.float16).abs().max()) > 6e4
    with pytest.raises(ValueError, match="spikes"):
        draw("spike")


@pytest.mark.parametrize("block", [2, 16, 1024])
def test_ragged_lengths_hold_the_edges_and_a_prime(block):
    lengths = inputs.ragged(block)
    assert {0, 1, block - 1, block, block + 1, 2 * block + 3} <= set(lengths)
    assert lengths == sorted(set(lengths)) and len(lengths) >= 6


@pytest.mark.parametrize("kind", inputs.LAYOUTS)
@pytest.mark.parametrize("shape", [(3, 5), (1, 1), (0, 4), (2, 3, 5)])
@pytest.mark.parametrize("dtype", [torch.float16, torch.int32])
def test_a_layout_keeps_the_values_and_changes_the_strides(kind, shape, dtype):
    x = inputs.integers(shape, source(), dtype=dtype)
    laid = inputs.layout(x, kind)
    expected = {
        "broadcast_rows": lambda: x[..., :1, :].expand(shape) if shape[-2] else x,
        "broadcast_cols": lambda: x[..., :1].expand(shape),
    }.get(kind, lambda: x)()
    assert torch.equal(laid, expected) and laid.dtype == dtype
    if x.numel() > 1 and kind not in ("contiguous", "offset"):
        assert not laid.is_contiguous()
    assert (laid.storage_offset() > 0) == (kind in ("offset", "sliced"))


def test_a_layout_that_cannot_be_is_refused():
    with pytest.raises(ValueError, match="two axes"):
        inputs.layout(torch.zeros(3), "transposed")
    with pytest.raises(ValueError, match="transposed"):
        inputs.layout(torch.zeros(3, 3), "transpose")


@st.composite
def views(draw):
    """A view of a fresh tensor: any strides, gaps, stride 0, offsets, empty axes."""
    dtype = draw(dtypes)
    rows, columns = draw(st.integers(0, 5)), draw(st.integers(0, 5))
    row_stride, column_stride = draw(st.integers(0, 12)), draw(st.integers(0, 3))
    offset = draw(st.integers(0, 9))
    storage = torch.arange(200).to(dtype)
    return storage.as_strided((rows, columns), (row_stride, column_stride), offset)


@settings(max_examples=150, deadline=None)
@given(views())
def test_a_moat_keeps_values_strides_and_alignment(view):
    moated = Moated((view,), {})
    for args in (moated.args, moated.fresh()[0]):
        assert torch.equal(args[0], view) and args[0].stride() == view.stride()
        assert not view.numel() or args[0].data_ptr() % 16 == view.storage_offset() * view.element_size() % 16
        assert args[0].storage_offset() * view.element_size() >= MOAT_BYTES
    assert moated.damage([b.clone().view(torch.uint8) for b in moated._buffers], ["x"]) is None


@settings(max_examples=100, deadline=None)
@given(views(), st.integers(0, 2**20))
def test_any_changed_byte_is_found(view, place):
    moated = Moated((view,), {})
    raw = moated._buffers[0].clone().view(torch.uint8)
    raw[place % raw.numel()] ^= 0xFF
    harm = moated.damage([raw], ["x"])
    assert harm is not None and "x" in harm[0]


@settings(max_examples=100, deadline=None)
@given(views())
def test_what_lies_around_a_view_is_moat(view):
    moated = Moated((view,), {})
    owned = torch.zeros(moated._buffers[0].numel(), dtype=torch.bool)
    start = moated.args[0].storage_offset()
    for i in range(view.shape[0]):
        for j in range(view.shape[1]):
            owned[start + i * view.stride(0) + j * view.stride(1)] = True
    around = moated._buffers[0][~owned]
    assert torch.equal(around.view(torch.uint8), inputs.filled(around.numel(), view.dtype, "cpu").view(torch.uint8))


def test_the_moat_is_nan_or_a_pattern():
    for dtype in FLOATS:
        assert inputs.filled(5, dtype, "cpu").isnan().all()
    assert inputs.filled(3, torch.int16, "cpu").tolist() == [0x5A5A] * 3
    assert inputs.filled(3, torch.uint8, "cpu").tolist() == [0x5A] * 3


def test_arguments_share_storage_as_before_and_keywords_count():
    storage = torch.arange(20.0)
    moated = Moated((storage[:5], 3, storage[2:9]), {"weight": storage[::4], "eps": 1e-5})
    (x, three, y), kwargs = moated.fresh()
    assert three == 3 and kwargs["eps"] == 1e-5 and torch.equal(kwargs["weight"], storage[::4])
    x[3] = 100
    assert float(y[1]) == 100
    assert len(moated._buffers) == 1


def test_a_storage_of_two_dtypes_is_refused():
    x = torch.zeros(4)
    with pytest.raises(ValueError, match="share a dtype"):
        Moated((x, x.view(torch.int32)), {})


@given(st.integers(1, 5), st.integers(1, 5), st.integers(0, 4))
def test_locate_is_the_inverse_of_an_offset(rows, columns, pad):
    view = torch.empty(200).as_strided((rows, columns), (columns + pad, 1))
    hits = {locate(view, offset) for offset in range(-2, span(view) + 2)} - {None}
    assert hits == {(i, j) for i in range(rows) for j in range(columns)}


def test_words_are_an_eighth_of_the_bytes_where_they_divide():
    assert words(torch.zeros(16, dtype=torch.uint8)).numel() == 2
    assert words(torch.zeros(15, dtype=torch.uint8)).numel() == 15
