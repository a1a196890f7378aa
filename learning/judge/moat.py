"""Inputs in a moat: a kernel that reads past an edge reads NaN, one that writes there is seen.

A moated copy keeps each tensor's shape, strides, sharing of storage and alignment to 16 bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from learning.judge.inputs import filled
from learning.judge.wire import HOLLOW

MOAT_BYTES = 1 << 15
"""Bytes of moat on each side of an input: a read or store that runs over by a whole 8192-wide fp32 tile lands in it."""


class Moated:
    """Arguments whose tensors lie in moats: the judge's pristine copy, and fresh copies for calls.

    ``args`` are the pristine views (tensors and plain values); ``fresh()`` returns the same arguments in new storage;
    ``damage(bytes)`` says what a call changed.
    """

    def __init__(self, args: tuple, kwargs: dict):
        self._buffers: list[torch.Tensor] = []
        self._places: dict[int, tuple[int, int]] = {}
        self._labels: list[list[tuple[str, torch.Tensor]]] = []
        tensors = [a for a in (*args, *kwargs.values()) if isinstance(a, torch.Tensor)]
        groups: dict[int, list[torch.Tensor]] = {}
        for tensor in tensors:
            groups.setdefault(tensor.untyped_storage()._cdata, []).append(tensor)
        for members in groups.values():
            self._surround(members)
        self.args, self.kwargs = self._build(args, kwargs, self._buffers)
        self._source = (args, kwargs)

    def _surround(self, members: list[torch.Tensor]) -> None:
        first = members[0]
        if any(member.dtype != first.dtype for member in members):
            raise ValueError("arguments that share a storage must share a dtype")
        size = first.element_size()
        low = min(m.storage_offset() for m in members)
        high = max(m.storage_offset() + span(m) for m in members)
        align = low * size % 16 // size
        front = MOAT_BYTES // size + align
        count = front + (high - low) + MOAT_BYTES // size
        count += -count * size % 8 // size
        buffer = filled(count, first.dtype, first.device)
        for member in members:
            start = front + member.storage_offset() - low
            self._places[id(member)] = (len(self._buffers), start)
            write(buffer, start, member)
        self._buffers.append(buffer)

    def _build(self, args: tuple, kwargs: dict, buffers: list[torch.Tensor]) -> tuple[tuple, dict]:
        seen: dict[int, torch.Tensor] = {}

        def place(value: Any) -> Any:
            if not isinstance(value, torch.Tensor):
                return value
            if id(value) not in seen:
                number, start = self._places[id(value)]
                seen[id(value)] = buffers[number].as_strided(value.shape, value.stride(), start)
            return seen[id(value)]

        return tuple(map(place, args)), {key: place(value) for key, value in kwargs.items()}

    def fresh(self) -> tuple[tuple, dict]:
        """The arguments in storage of their own, equal byte for byte to the pristine ones."""
        return self._build(*self._source, [words(buffer).clone().view(buffer.dtype) for buffer in self._buffers])

    def map_floats(self, change: Callable[[torch.Tensor], torch.Tensor]) -> tuple[tuple, dict]:
        """The pristine arguments with ``change`` applied to every floating-point tensor."""

        def turn(value: Any) -> Any:
            return change(value) if isinstance(value, torch.Tensor) and value.is_floating_point() else value

        return tuple(map(turn, self.args)), {key: turn(value) for key, value in self.kwargs.items()}

    def damage(self, storages: list[torch.Tensor], names: list[str]) -> tuple[str, str] | None:
        """Compare the bytes after a call, one uint8 tensor a distinct storage, with the pristine ones.

        Returns ``None``, or ``(what, where)``: which input was written, and at which element.
        """
        if len(storages) != len(self._buffers):
            return ("the worker sent back another number of inputs than it was given", "")
        values = (*self._source[0], *self._source[1].values())
        for number, (after, buffer) in enumerate(zip(storages, self._buffers, strict=True)):
            before, after = raw(buffer), after.reshape(-1).to(buffer.device)
            if after.numel() == 0 and before.numel() > HOLLOW:
                continue  # too large to send back
            if after.numel() != before.numel():
                return ("an input's storage was resized", "")
            if torch.equal(words(after), words(before)):
                continue
            at = int((after != before).nonzero()[0]) // buffer.element_size()
            owners = [
                (names[i] if i < len(names) else f"input {i}", value)
                for i, value in enumerate(values)
                if isinstance(value, torch.Tensor) and self._places[id(value)][0] == number
            ]
            for name, value in owners:
                index = locate(value, at - self._places[id(value)][1])
                if index is not None:
                    return (f"{name} was changed, and inputs are only read", f"at {list(index)} of {name}")
            name, value = owners[0]
            start = self._places[id(value)][1]
            side = "before" if at < start else "past the end of" if at >= start + span(value) else "between the rows of"
            return (f"a store landed {side} {name}", f"{at - start} elements from its first element")
        return None


def span(tensor: torch.Tensor) -> int:
    """Elements from the first to the last that the view reaches: Σ(size − 1)·stride + 1, or 0 where it is empty."""
    if tensor.numel() == 0:
        return 0
    return 1 + sum((n - 1) * s for n, s in zip(tensor.shape, tensor.stride(), strict=True))


def write(buffer: torch.Tensor, start: int, tensor: torch.Tensor) -> None:
    """Copy ``tensor``'s values into ``buffer`` at its own strides from element ``start``; stride-0 axes are written once."""
    if tensor.numel() == 0:
        return
    once = tensor.detach()
    for axis, stride in enumerate(tensor.stride()):
        if stride == 0:
            once = once.narrow(axis, 0, 1)
    target = buffer.as_strided(once.shape, once.stride(), start)
    try:
        target.copy_(once)
    except RuntimeError:  # windows that overlap themselves are written element by element
        places = torch.zeros((), dtype=torch.int64, device=buffer.device)
        for axis, (size, stride) in enumerate(zip(once.shape, once.stride(), strict=True)):
            steps = torch.arange(size, device=buffer.device) * stride
            places = places + steps.reshape([-1 if a == axis else 1 for a in range(once.dim())])
        buffer[(places + start).reshape(-1)] = once.reshape(-1)


def locate(tensor: torch.Tensor, offset: int) -> tuple[int, ...] | None:
    """The first index whose element lies ``offset`` elements from ``tensor``'s first one; ``None`` where none does."""
    if tensor.numel() == 0 or not 0 <= offset < span(tensor):
        return None
    axes = sorted(range(tensor.dim()), key=lambda a: -tensor.stride(a))
    index, rest = [0] * tensor.dim(), offset
    for axis in axes:
        stride = tensor.stride(axis)
        if stride:
            index[axis] = min(rest // stride, tensor.shape[axis] - 1)
            rest -= index[axis] * stride
    return tuple(index) if rest == 0 else None


def words(tensor: torch.Tensor) -> torch.Tensor:
    """A contiguous one-axis tensor as int64 words where its bytes divide so: an eighth of the elements to walk, and few
    enough that torch starts no threads for them."""
    whole = tensor.numel() * tensor.element_size() % 8 == 0 and tensor.storage_offset() * tensor.element_size() % 8 == 0
    return tensor.view(torch.int64) if whole else tensor


def raw(tensor: torch.Tensor) -> torch.Tensor:
    """The bytes of a contiguous one-axis tensor as uint8."""
    return tensor.view(torch.uint8)
