"""How much memory a lesson's benchmark holds at most, estimated from shapes alone: nothing is allocated, nothing runs.

    footprint.estimate(plan.load(lesson), shape)      # → Footprint; bytes

The plan's inputs are drawn on torch's ``meta`` device, which has shapes and no memory. The benchmark cell is then followed step
by step: its peers and the float64 oracle are called on them while every storage that is born or dies is counted. What is *not*
seen is said in ``Footprint``. Imports torch when it is called.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from learning.bench.plan import Draw, Plan, Shape

GRANULE = 512
"""torch's allocator hands out multiples of so many bytes."""


@dataclass(frozen=True)
class Footprint:
    """Bytes: ``inputs`` of one call, ``outputs`` of the first peer (the answer returns as many by its contract), ``calls`` the
    most that is alive while a peer computes, inputs not counted, ``truth`` the most that is alive while the float64 oracle
    computes and results are held against it, inputs not counted; ``total`` what the cell holds at its fullest; ``unseen`` the
    peers that do not run without memory. Scratch of a kernel, a library's workspace and the CUDA context are not counted."""

    inputs: int
    outputs: int
    calls: int
    truth: int
    total: int
    unseen: tuple[str, ...] = ()


def estimate(found: Plan, shape: Shape) -> Footprint:
    """The footprint of the benchmark cell on ``shape``: the larger of comparing with the truth, and timing, where the cache
    flush of ``do_bench`` stands beside one call and a captured graph keeps the memory of another."""
    from learning.bench.notebook import FLUSH_BYTES
    from learning.judge import guard

    args, kwargs = found.inputs(Draw(0, "meta"), **shape.sizes)
    inputs = sum(_rounded(count) for count in _storages(args, kwargs).values())
    outputs = calls = 0
    unseen = []
    for peer in (one for one in found.peers if not one.compiled and not one.needs):
        try:
            made, most = watched(lambda peer=peer: peer.call(*args, **kwargs))
        except (NotImplementedError, RuntimeError):
            unseen.append(peer.name)
            continue
        calls = max(calls, most)
        outputs = outputs or sum(_rounded(t.numel() * t.element_size()) for t in guard.tensors_in(made))

    def compared() -> None:
        wide = _doubled((args, kwargs))
        truths = [t.double() for t in guard.tensors_in(found.oracle(*wide[0], **wide[1]))]
        results = guard.tensors_in(found.peers[0].call(*args, **kwargs))
        for got, truth in zip(results, truths, strict=True):
            (got.double() - truth).abs_().norm()

    _, truth = watched(compared)
    return Footprint(inputs, outputs, calls, truth, inputs + max(truth, FLUSH_BYTES + 2 * calls), tuple(unseen))


def watched(call: Callable[[], Any]) -> tuple[Any, int]:
    """What ``call`` returns, and the most bytes of storages made by it that were alive at one time."""
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves

    alive: dict[int, int] = {}
    most = 0

    class Births(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            nonlocal most
            had = _storages(args, kwargs)
            made = function(*args, **(kwargs or {}))
            for tensor in (leaf for leaf in tree_leaves(made) if hasattr(leaf, "untyped_storage")):
                storage = tensor.untyped_storage()
                key = storage._cdata
                if key not in alive and key not in had:
                    alive[key] = _rounded(storage.nbytes())
                    weakref.finalize(storage, alive.pop, key, None)
            most = max(most, sum(alive.values()))
            return made

    with Births():
        return call(), most


def _storages(*values: Any) -> dict[int, int]:
    """Storage → bytes, of all tensors in a tree; views of one storage count once."""
    from torch.utils._pytree import tree_leaves

    kept = [leaf.untyped_storage() for leaf in tree_leaves(values) if hasattr(leaf, "untyped_storage")]
    return {storage._cdata: storage.nbytes() for storage in kept}


def _doubled(value: Any) -> Any:
    """The cell copies its arguments, then widens the copies: both are alive while they are widened one by one."""
    import torch
    from torch.utils._pytree import tree_map

    copies = tree_map(lambda leaf: leaf.clone() if isinstance(leaf, torch.Tensor) else leaf, value)
    return tree_map(
        lambda leaf: leaf.double() if isinstance(leaf, torch.Tensor) and leaf.is_floating_point() else leaf, copies
    )


def _rounded(count: int) -> int:
    return -(-count // GRANULE) * GRANULE
