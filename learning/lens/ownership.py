"""Which program owns which part of a tensor, as boxes in the tensor's own indices: what pictures are drawn from.

A block of offsets that steps evenly along the tensor's strides is a box, of which some lanes may lie past the edge; any
other pattern is kept as runs of elements.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from learning.lens.trace import Access, LaunchTrace

MOST_RUNS = 256
MOST_TILES = 4096


@dataclass
class Tile:
    """One load or store of one program: ``program`` (x, y, z); ``start`` its first index and ``size`` its lanes on each of
    the tensor's axes (``size`` counts lanes past the edge too); ``active`` and ``masked`` lanes; ``runs`` of elements
    (leading index raveled, first, last + 1) where lanes make no box, ``holes`` the same for masked lanes inside the box."""

    program: tuple[int, int, int]
    store: bool
    start: tuple[int, ...]
    size: tuple[int, ...]
    active: int
    masked: int
    runs: list[tuple[int, int, int]] = field(default_factory=list)
    holes: list[tuple[int, int, int]] = field(default_factory=list)


@dataclass
class Ownership:
    """One tensor of one launch: ``name``, ``shape``; ``loads`` and ``stores`` its passes; ``tiles`` in the order they ran;
    ``programs`` in the grid; ``complete`` False where accesses were too many to keep."""

    name: str
    shape: tuple[int, ...]
    loads: float
    stores: float
    programs: int
    tiles: list[Tile] = field(default_factory=list)
    complete: bool = True

    def as_dict(self) -> dict:
        """Plain JSON-able form."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict) -> Ownership:
        """Inverse of ``as_dict``."""
        tiles = []
        for tile in data["tiles"]:
            places = {name: tuple(tile[name]) for name in ("program", "start", "size")}
            spans = {name: [tuple(run) for run in tile[name]] for name in ("runs", "holes")}
            tiles.append(Tile(**{**tile, **places, **spans}))
        return cls(**{**data, "shape": tuple(data["shape"]), "tiles": tiles})


def of(launch: LaunchTrace, argument: str, tensor: Any, name: str = "", *, complete: bool = True) -> Ownership:
    """The ownership of the kernel's ``argument`` in a launch recorded with ``keep``; ``tensor`` gives shape and strides.

    Raises ``KeyError`` where the launch has no such argument.
    """
    if argument not in launch.tensors:
        raise KeyError(f"{launch.kernel} has no tensor argument {argument!r}; it has {', '.join(launch.tensors)}")
    shape, strides = tuple(tensor.shape), tuple(tensor.stride())
    counted = launch.tensors[argument]
    made = Ownership(name or argument, shape, counted.load_passes, counted.store_passes, launch.programs)
    for access in launch.accesses:
        if access.argument == argument:
            made.tiles.append(tile(access, shape, strides))
    made.complete = complete and len(made.tiles) <= MOST_TILES
    del made.tiles[MOST_TILES:]
    return made


def tile(access: Access, shape: tuple[int, ...], strides: tuple[int, ...]) -> Tile:
    """``access`` in the indices of a view with ``shape`` and ``strides``."""
    offsets, active = np.asarray(access.offsets), np.asarray(access.active, bool)
    program = tuple(int(number) for number in access.program)
    on = int(active.sum())
    plain = Tile(program, access.store, (0,) * len(shape), (0,) * len(shape), on, int(active.size) - on)
    box = _box(offsets, shape, strides)
    if box is not None:
        start, steps = box
        lanes = np.stack([np.broadcast_to(axis, offsets.shape) for axis in _indices(offsets.shape, start, steps)])
        inside = np.ones(offsets.shape, bool)
        for axis, length in enumerate(shape):
            inside &= (lanes[axis] >= 0) & (lanes[axis] < length)
        if not (active & ~inside).any():  # else lanes wrap around an edge, and the box would lie
            size = [1] * len(shape)
            for lane_axis, axis in steps.items():
                size[axis] = offsets.shape[lane_axis]
            plain.start, plain.size = tuple(start), tuple(size)
            plain.holes = _runs([axis[inside & ~active] for axis in lanes], shape)
            return plain
    where = unravel(offsets[active], shape, strides)
    plain.runs = _runs(where, shape)
    return plain


def unravel(offsets: np.ndarray, shape: tuple[int, ...], strides: tuple[int, ...]) -> list[np.ndarray]:
    """Indices, one array an axis, of element offsets from the view's first; the axis of the largest stride takes what is
    left, so an offset past the end gets an index past the edge. Axes of stride 0 or length 1 get 0."""
    rest, found = np.asarray(offsets), [np.zeros_like(np.asarray(offsets))] * len(shape)
    for axis in sorted(range(len(shape)), key=lambda a: -strides[a]):
        if strides[axis] and shape[axis] > 1:
            found[axis], rest = rest // strides[axis], rest % strides[axis]
    return found


def _box(offsets: np.ndarray, shape: tuple, strides: tuple) -> tuple[list[int], dict[int, int]] | None:
    """(first index, lane axis → tensor axis) where lanes step evenly along the tensor's strides, else None."""
    first = int(offsets.flat[0]) if offsets.size else 0
    expected, steps = np.full(offsets.shape, first), {}
    for axis, length in enumerate(offsets.shape):
        if length == 1:
            continue
        ahead = tuple(1 if a == axis else 0 for a in range(offsets.ndim))
        step = int(offsets[ahead]) - first
        lane = np.arange(length).reshape([-1 if a == axis else 1 for a in range(offsets.ndim)])
        expected = expected + step * lane
        along = [a for a in range(len(shape)) if strides[a] == step and a not in steps.values()]
        if not along:
            return None
        steps[axis] = max(along, key=lambda a: (shape[a] > 1, a))
    if not np.array_equal(expected, offsets):
        return None
    start = [int(index) for index in unravel(np.array(first), shape, strides)]
    return start, steps


def _indices(lanes: tuple[int, ...], start: list[int], steps: dict[int, int]) -> list[np.ndarray]:
    found: list[Any] = [np.array(index) for index in start]
    for lane_axis, axis in steps.items():
        spread = [-1 if a == lane_axis else 1 for a in range(len(lanes))]
        found[axis] = found[axis] + np.arange(lanes[lane_axis]).reshape(spread)
    return found


def _runs(where: list[np.ndarray], shape: tuple[int, ...]) -> list[tuple[int, int, int]]:
    """Neighbours along the last axis joined: (raveled leading index, first, last + 1), at most ``MOST_RUNS``."""
    if not where or not np.asarray(where[-1]).size:
        return []
    lead = np.zeros_like(np.asarray(where[-1]))
    for axis, length in enumerate(shape[:-1]):
        lead = lead * length + where[axis]
    width = max(int(np.max(where[-1])) + 1, shape[-1], 1)
    flat = np.unique(lead.astype(np.int64) * width + where[-1])
    breaks = np.flatnonzero((np.diff(flat) != 1) | (flat[1:] % width == 0)) + 1
    parts = np.split(flat, breaks)[:MOST_RUNS]
    return [(int(p[0] // width), int(p[0] % width), int(p[-1] % width) + 1) for p in parts]
