"""A kernel argument's memory as a kernel sees it: where it lies, what of it may be touched, what was.

While a launch is traced every tensor argument is given an address range of its own, far outside real memory and 2**48
bytes from the next. An address therefore says which argument it came from even after it overran its tensor, was chosen
lane by lane between two tensors, or went through an integer; and nothing illegal can reach real memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

SHIFT = np.uint64(48)
FIRST = 0x0100  # numbers above every real address, whose upper 16 bits are zero
MIDDLE = 1 << 47
LARGEST_MAP = 1 << 26  # elements; beyond it only the range of offsets is checked, and nothing is counted
SECTOR = 32  # bytes a GPU moves at least


def extent(shape: tuple[int, ...], strides: tuple[int, ...]) -> int:
    """Elements from the first to one past the last a view with these nonnegative strides reaches; 0 if it is empty."""
    if 0 in shape:
        return 0
    return 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))


def owned(shape: tuple[int, ...], strides: tuple[int, ...]) -> np.ndarray | None:
    """Which of ``extent`` elements the view owns, as booleans; None where it owns every one of them."""
    length = extent(shape, strides)
    dense = 1
    for size, stride in sorted(zip(shape, strides, strict=True), key=lambda axis: axis[1]):
        if size > 1 and stride:
            if stride > dense:
                break
            dense = (size - 1) * stride + dense
    if dense >= length or length > LARGEST_MAP:
        return None
    offsets = np.zeros(1, dtype=np.int64)
    for size, stride in zip(shape, strides, strict=True):
        if size > 1 and stride:
            offsets = (offsets[:, None] + np.arange(size, dtype=np.int64) * stride).ravel()
    legal = np.zeros(length, dtype=bool)
    legal[offsets] = True
    return legal


@dataclass
class Region:
    """One tensor argument of one launch.

    ``name`` of the argument; ``tensor`` the torch tensor; ``base`` its made-up address, ``real`` its address; ``loads``
    and ``stores`` counters of one entry an element of the tensor's extent; ``others`` the values that stood in
    masked-off lanes of loads; ``shared`` what is known of the storage it lies in; ``fresh`` its (address, which bytes were
    written) where it was handed out empty.
    """

    number: int
    name: str
    tensor: Any
    itemsize: int
    base: int = 0
    real: int = 0
    length: int = 0
    legal: np.ndarray | None = None
    loads: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int32))
    stores: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int32))
    shared: Any = None
    fresh: Any = None
    load_lanes: int = 0
    masked_loads: int = 0
    store_lanes: int = 0
    masked_stores: int = 0
    load_sectors: int = 0
    store_sectors: int = 0
    others: list[float] = field(default_factory=list)

    @classmethod
    def of(cls, number: int, name: str, value: Any, counts: bool = True) -> Region:
        """The region of argument ``value``, a tensor or Triton's ``TensorWrapper`` of one; without ``counts`` its counters
        are empty."""
        tensor = getattr(value, "base", value)
        region = cls(number, name, tensor, value.element_size())
        region.real = value.data_ptr()
        # the low bits stay, so that alignment is the real tensor's
        region.base = ((FIRST + number) << int(SHIFT)) + MIDDLE + region.real % 4096
        shape, strides = tuple(tensor.shape), tuple(tensor.stride())
        region.length = extent(shape, strides)
        region.legal = owned(shape, strides)
        counted = min(region.length, LARGEST_MAP) if counts else 0
        region.loads, region.stores = np.zeros(counted, np.int32), np.zeros(counted, np.int32)
        return region

    @property
    def elements(self) -> int:
        """Elements of memory the tensor owns: its size, an axis of stride 0 counted once."""
        return self.length if self.legal is None else int(self.legal.sum())

    def offsets(self, addresses: np.ndarray) -> np.ndarray:
        """Offsets in elements from the tensor's first, of made-up addresses of this region (rounded down)."""
        return (addresses - np.uint64(self.base)).astype(np.int64) // self.itemsize

    def may(self, offsets: np.ndarray) -> np.ndarray:
        """Which offsets lie in elements the tensor owns."""
        inside = (offsets >= 0) & (offsets < self.length)
        if self.legal is not None:
            inside &= self.legal[np.where(inside, offsets, 0)]
        return inside

    def real_addresses(self, addresses: np.ndarray) -> np.ndarray:
        """Where made-up addresses of this region really lie."""
        return addresses - np.uint64(self.base) + np.uint64(self.real)


def numbers(addresses: np.ndarray) -> np.ndarray:
    """The region number of each made-up address; negative for a real one."""
    return (addresses >> SHIFT).astype(np.int64) - FIRST


def sectors(addresses: np.ndarray) -> int:
    """How many 32-byte sectors the addresses, on one axis, touch."""
    touched = addresses >> np.uint64(5)
    before, after = touched[:-1], touched[1:]
    if (before <= after).all():  # the usual case, and ten times faster than a set
        return int(np.count_nonzero(before != after)) + (len(touched) > 0)
    return len(np.unique(touched))


def count(counters: np.ndarray, offsets: np.ndarray) -> None:
    """Add one to ``counters`` at each of ``offsets``, which may repeat."""
    if not len(offsets):
        return
    low, high = int(offsets.min()), int(offsets.max())
    if high - low < 4 * len(offsets) + 64:  # a tile of neighbours, and ten times faster than add.at
        counters[low : high + 1] += np.bincount(offsets - low, minlength=high - low + 1).astype(counters.dtype)
    else:
        np.add.at(counters, offsets, 1)
