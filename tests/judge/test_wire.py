"""Values cross exactly; forged frames raise ``WireError`` and nothing else."""

from __future__ import annotations

import json
import math
import socket
import struct
import threading

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from learning.judge import wire
from learning.judge.call import Foreign

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: (
        st.lists(inner, max_size=5) | st.lists(inner, max_size=5).map(tuple) | st.lists(st.floats(), min_size=14)
    ),
    max_leaves=20,
)


def across(value):
    packer = wire.Packer()
    tree = json.loads(json.dumps(packer.tree(value)))
    blobs = [bytearray(memoryview(blob).cast("B")) if len(blob) else bytearray() for blob in packer.blobs]
    return wire.Unpacker(packer.storages, blobs).tree(tree)


def same(one, other):
    if type(one) is not type(other):
        return False
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(same, one, other))
    return struct.pack("<d", one) == struct.pack("<d", other) if isinstance(one, float) else one == other


@given(PLAIN)
def test_plain_values_cross_bit_for_bit(value):
    assert same(across(value), value)


def test_signs_and_payloads_of_floats_cross():
    odd = struct.unpack("<d", bytes.fromhex("010000000000f87f"))[0]
    for value in (-0.0, -math.inf, odd, 5e-324, (odd,) * 20):
        assert same(across(value), value)


DTYPES = [torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.bool, torch.uint8, torch.float8_e4m3fn]


@settings(deadline=None)
@given(st.sampled_from(DTYPES), st.lists(st.integers(0, 4), max_size=3), st.integers(0, 3), st.booleans())
def test_tensors_cross_with_layout_and_bits(dtype, shape, offset, turned):
    count = math.prod(shape) + offset
    base = torch.randint(0, 256, (count * dtype.itemsize,), dtype=torch.uint8)
    base = (base % 2 if dtype is torch.bool else base).view(dtype)
    tensor = base[offset:].view(shape)
    if turned and len(shape) > 1:
        tensor = tensor.transpose(0, 1)
    came = across(tensor)
    assert (came.dtype, came.shape, came.stride(), came.storage_offset()) == (
        tensor.dtype, tensor.shape, tensor.stride(), tensor.storage_offset(),
    )  # fmt: skip
    assert bytes(came.untyped_storage()) == bytes(tensor.untyped_storage())


def test_a_storage_crosses_once_and_stays_shared():
    base = torch.arange(10.0)
    one, other, again = across((base[:4], base[2:], base))
    one[3] = 99.0
    assert other[1] == 99.0 and again[3] == 99.0


def test_a_view_far_larger_than_its_storage_crosses_as_its_storage():
    packer = wire.Packer()
    tree = packer.tree(torch.ones(1).expand(2**31 + 8))
    assert sum(len(blob) for blob in packer.blobs) == 4
    data = [bytearray(packer.blobs[0])]
    assert wire.Unpacker(packer.storages, data, hollow=True).tree(tree).shape == (2**31 + 8,)
    with pytest.raises(
        wire.WireError, match="more elements than its storage"
    ):  # from a worker: nobody would walk over it
        wire.Unpacker(packer.storages, data).tree(tree)


def test_an_answer_of_more_plain_values_than_anybody_returns_is_refused_before_it_is_read():
    here, there = socket.socketpair()
    with here, there:
        there.sendall(wire._HEAD.pack(wire._MAGIC, wire.MOST_ANSWER + 1, 0))
        with pytest.raises(wire.WireError, match="plain values"):
            wire.receive(here, 5.0, most_header=wire.MOST_ANSWER)


def test_gradient_flags_dtypes_meta_tensors_and_foreign_marks_cross():
    assert across(torch.ones(2, requires_grad=True)).requires_grad
    assert across(torch.float16) is torch.float16
    assert across(torch.empty(2**40, device="meta")).shape == (2**40,)
    assert across([Foreign("numpy.ndarray")]) == [Foreign("numpy.ndarray")]


@pytest.mark.parametrize("value", [{1, 2}, object(), b"raw", 1j, torch.zeros(2).to_sparse()])
def test_what_does_not_cross_is_refused_by_type(value):
    with pytest.raises(TypeError, match="does not cross"):
        wire.Packer().tree(value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("ifstlxdv") | st.text(max_size=3), inner)
    ),
)
VIEW = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from(["float32", "int8", "nonsense", 3]),
        "shape": st.lists(st.integers(-3, 2**63), max_size=3),
        "strides": st.lists(st.integers(-3, 2**63), max_size=3),
        "offset": st.integers(-3, 2**63),
        "storage": st.integers(-2, 3) | st.none(),
    },
    optional={"grad": st.booleans(), "device": st.sampled_from(["meta", "cpu", "x"])},
)


@settings(deadline=None)
@given(JSON | VIEW.map(lambda view: {"v": view}))
def test_a_forged_value_is_a_wire_error_or_a_value(tree):
    storages = [{"blob": 0, "device": "cpu"}, {"blob": 7, "device": "cpu"}, {"blob": 0, "device": "tpu"}]
    try:
        value = wire.Unpacker(storages, [bytearray(16)]).tree(tree)
    except wire.WireError:
        return
    if isinstance(value, torch.Tensor) and value.device.type != "meta" and value.numel() < 10**6:
        value.clone()


def pair():
    one, other = socket.socketpair()
    return one, other


@given(st.binary(max_size=200))
def test_garbage_on_the_line_is_a_wire_error(garbage):
    one, other = pair()
    with one, other:
        other.sendall(garbage)
        other.close()
        with pytest.raises(wire.WireError):
            wire.receive(one, 1.0)


@given(st.binary(max_size=60))
def test_a_frame_whose_header_is_not_an_object_is_a_wire_error(text):
    one, other = pair()
    with one, other:
        other.sendall(struct.pack("<4sII", b"LJW1", len(text), 0) + text)
        other.close()
        try:
            header, _ = wire.receive(one, 1.0)
        except wire.WireError:
            return
        assert isinstance(header, dict)


def test_a_deeply_nested_header_is_a_wire_error():
    text = b"[" * 100_000
    one, other = pair()
    with one, other:
        thread = threading.Thread(target=other.sendall, args=(struct.pack("<4sII", b"LJW1", len(text), 0) + text,))
        thread.start()
        with pytest.raises(wire.WireError):
            wire.receive(one, 5.0)
        thread.join()


def test_a_frame_that_claims_too_many_bytes_is_refused_before_anything_is_allocated():
    one, other = pair()
    with one, other:
        other.sendall(struct.pack("<4sII", b"LJW1", 2, 1) + struct.pack("<Q", 1 << 50))
        with pytest.raises(wire.WireError, match="at most"):
            wire.receive(one, 1.0, most_bytes=1000)


def test_a_sender_that_drips_is_cut_off_by_the_clock():
    one, other = pair()
    stop = threading.Event()

    def drip():
        other.sendall(struct.pack("<4sII", b"LJW1", 1000, 0))
        while not stop.wait(0.05):
            other.sendall(b" ")

    thread = threading.Thread(target=drip)
    thread.start()
    with one, other:
        with pytest.raises(TimeoutError):
            wire.receive(one, 0.3)
        stop.set()
        thread.join()


def test_large_and_small_blobs_share_a_frame():
    one, other = pair()
    blobs = [b"", b"abc", bytes(3 << 20), torch.arange(5, dtype=torch.uint8).numpy()]
    with one, other:
        thread = threading.Thread(target=wire.send, args=(other, {"a": 1}, blobs, 5.0))
        thread.start()
        header, came = wire.receive(one, 5.0, allocate=wire.tensor_buffer)
        thread.join()
    assert header == {"a": 1} and [bytes(blob) for blob in came] == [bytes(blob) for blob in blobs]
