"""Memory nobody wrote tries a contract's limit of 2³¹ − 1 without a gigabyte being written, sent or copied."""

import time

import pytest
import torch

from learning.judge import call, wire


@pytest.fixture
def far_apart():
    """Two elements of float16 that lie 2³¹ elements apart: 4 GiB of address space, no page of it touched."""
    return torch.empty(2**31 + 1, dtype=torch.float16)[:: 2**31, None]


def test_it_crosses_by_its_size_alone_and_only_towards_the_worker(far_apart):
    packer = wire.Packer()
    tree = packer.tree(far_apart)
    assert packer.blobs == [] and packer.storages[0]["hollow"] == 2 * (2**31 + 1)
    came = wire.Unpacker(packer.storages, [], hollow=True).tree(tree)
    assert (came.shape, came.stride(), came.dtype) == ((2, 1), far_apart.stride(), torch.float16)
    with pytest.raises(wire.WireError):
        wire.Unpacker(packer.storages, []).tree(tree)


@pytest.mark.parametrize("claim", [-1, 5, 2**41, "4", None, True])
def test_a_hollow_storage_of_an_impossible_size_is_refused(far_apart, claim):
    packer = wire.Packer()
    tree = packer.tree(far_apart)
    packer.storages[0]["hollow"] = claim
    with pytest.raises(wire.WireError):
        wire.Unpacker(packer.storages, [], hollow=True).tree(tree)


def test_a_watched_call_reads_none_of_it(far_apart):
    started = time.process_time()
    came = call.guarded(lambda x: x.shape[0], (far_apart,), {}, poison=0)
    assert came.value == 2 and came.fault is None and came.storages[0].numel() == 0
    assert time.process_time() - started < 1.0
