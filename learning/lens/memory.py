"""What is known of memory while launches are traced: who touched it in this launch, and whether anything wrote it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np

from learning.lens.regions import LARGEST_MAP, Region
from learning.lens.trace import Traffic

MANY = -1
_ALLOCATORS = {"empty", "empty_like", "new_empty", "empty_strided", "new_empty_strided", "empty_permuted"}


class Storage:
    """One storage during one launch: ``readers`` and ``writers`` hold 1 + the number of the program that did, 0 for
    none and ``MANY`` for several; ``atomic`` marks what an atomic operation touched. One entry every ``grain`` bytes."""

    def __init__(self, start: int, size: int, grain: int):
        self.start, self.grain = start, grain
        length = min(size // grain + 1, LARGEST_MAP)
        self.readers, self.writers = np.zeros(length, np.int32), np.zeros(length, np.int32)
        self.atomic = np.zeros(length, bool)

    def at(self, addresses: np.ndarray) -> np.ndarray:
        """Entries of real addresses, those beyond the largest map left out."""
        entries = (addresses - np.uint64(self.start)).astype(np.int64) // self.grain
        return entries[entries < len(self.readers)]

    def read(self, entries: np.ndarray, program: int) -> tuple[np.ndarray, np.ndarray]:
        """Note that ``program`` (from 1) reads; returns (which entries another program wrote, by which)."""
        writers = self.writers[entries]
        clash = (writers != 0) & (writers != program) & ~self.atomic[entries]
        before = self.readers[entries]
        self.readers[entries] = np.where((before == 0) | (before == program), program, MANY)
        return clash, writers

    def write(self, entries: np.ndarray, program: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Note that ``program`` writes; returns (which another wrote, by which, which another read, by which)."""
        writers, readers = self.writers[entries], self.readers[entries]
        free = ~self.atomic[entries]
        self.writers[entries] = program
        return (
            (writers != 0) & (writers != program) & free,
            writers,
            (readers != 0) & (readers != program) & free,
            readers,
        )


class Memory:
    """What outlives a launch: the views launches were given, with their counts, and memory that nothing has written."""

    def __init__(self) -> None:
        self.views: dict[tuple, Region] = {}
        # storage address -> (the storage, kept alive so that the address stays its own; which bytes were written)
        self.fresh: dict[int, tuple[Any, np.ndarray]] = {}

    @staticmethod
    def key(tensor: Any) -> tuple:
        return tensor.data_ptr(), tuple(tensor.shape), tuple(tensor.stride()), tensor.element_size()

    def add(self, region: Region) -> None:
        """Add a finished launch's counts of one argument."""
        key = self.key(region.tensor)
        total = self.views.get(key)
        if total is None:
            self.views[key] = region
            return
        total.loads = total.loads + region.loads
        total.stores = total.stores + region.stores
        for name in ("load_lanes", "masked_loads", "store_lanes", "masked_stores", "load_sectors", "store_sectors"):
            setattr(total, name, getattr(total, name) + getattr(region, name))
        total.others += [other for other in region.others if other not in total.others]

    def traffic(self, tensor: Any) -> Traffic:
        """The summed traffic of a tensor, found by address, shape and strides; ``KeyError`` where none was given it."""
        return traffic(self._view(tensor))

    def unwritten(self, tensor: Any) -> np.ndarray:
        """Offsets of elements of ``tensor`` that no launch wrote."""
        region = self._view(tensor)
        missing = region.stores == 0
        if region.legal is not None:
            missing &= region.legal[: len(missing)]
        return np.flatnonzero(missing)

    def _view(self, tensor: Any) -> Region:
        try:
            return self.views[self.key(tensor)]
        except KeyError:
            names = ", ".join(sorted({region.name for region in self.views.values()})) or "none"
            raise KeyError(f"no traced launch was given this tensor; launches were given {names}") from None

    def uninitialised(self, tensor: Any) -> None:
        """Note that the elements of ``tensor`` hold nothing anybody wrote."""
        storage = tensor.untyped_storage()
        start = storage.data_ptr()
        if start == 0 or storage.nbytes() > LARGEST_MAP:
            return
        if start not in self.fresh:
            self.fresh[start] = (storage, np.ones(storage.nbytes(), bool))
        size, first = tensor.element_size(), tensor.data_ptr() - start
        written = self.fresh[start][1]
        if tensor.is_contiguous():
            written[first : first + tensor.numel() * size] = False
            return
        offsets = np.zeros(1, dtype=np.int64)
        for length, stride in zip(tensor.shape, tensor.stride(), strict=True):
            offsets = (offsets[:, None] + np.arange(length, dtype=np.int64) * stride).ravel()
        written[(first + offsets[:, None] * size + np.arange(size)).ravel()] = False

    def initialised(self, tensor: Any) -> None:
        """Note that something wrote all of ``tensor``'s storage."""
        self.fresh.pop(tensor.untyped_storage().data_ptr(), None)

    def unwritten_bytes(self, tensor: Any) -> tuple[int, np.ndarray] | None:
        """(storage address, which bytes were written) where the tensor lies in memory that was handed out empty."""
        start = tensor.untyped_storage().data_ptr()
        return (start, self.fresh[start][1]) if start in self.fresh else None

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        """Note the allocations of ``torch.empty`` and its kin inside the ``with`` block, and what torch writes to them."""
        import torch
        from torch.overrides import TorchFunctionMode

        memory = self

        class Allocations(TorchFunctionMode):
            def __torch_function__(
                self, function: Any, types: Any, args: tuple = (), kwargs: dict | None = None
            ) -> Any:
                kwargs = kwargs or {}
                name = getattr(function, "__name__", "")
                result = function(*args, **kwargs)
                if name in _ALLOCATORS:
                    if isinstance(result, torch.Tensor) and kwargs.get("out") is None and result.device.type == "cpu":
                        memory.uninitialised(result)
                    return result
                if memory.fresh:
                    writes = (name.endswith("_") and not name.endswith("__")) or name in (
                        "__setitem__",
                        "numpy",
                        "__set__",
                    )
                    targets = [*(args[:1] if writes else ()), *_flat(kwargs.get("out"))]
                    for target in targets:
                        if isinstance(target, torch.Tensor) and target.device.type == "cpu":
                            memory.initialised(target)
                return result

        with Allocations():
            yield


def _flat(value: Any) -> tuple:
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def traffic(region: Region) -> Traffic:
    """The counts of a region as a ``Traffic``."""
    return Traffic(
        name=region.name,
        elements=region.elements,
        itemsize=region.itemsize,
        loaded=int(region.loads.sum(dtype=np.int64)),
        stored=int(region.stores.sum(dtype=np.int64)),
        distinct_loaded=int(np.count_nonzero(region.loads)),
        distinct_stored=int(np.count_nonzero(region.stores)),
        most_loaded=int(region.loads.max(initial=0)),
        most_stored=int(region.stores.max(initial=0)),
        load_lanes=region.load_lanes,
        masked_loads=region.masked_loads,
        store_lanes=region.store_lanes,
        masked_stores=region.masked_stores,
        load_sectors=region.load_sectors,
        store_sectors=region.store_sectors,
        others=tuple(region.others),
    )
