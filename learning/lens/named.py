"""Tensors by the names their maker gave them, whatever a kernel calls its parameters."""

from __future__ import annotations

from typing import Any

from learning.lens import regions
from learning.lens.interpreter.execute import Launch, Observer
from learning.lens.interpreter.patches import Patches
from learning.lens.trace import Tape


class Named(Observer):
    """Notes, launch by launch, which argument lies in which storage."""

    def __init__(self) -> None:
        self.launches: list[dict[str, int]] = []

    def begin(self, launch: Launch, patches: Patches) -> None:
        found: dict[str, int] = {}
        for name, value in launch.arguments.items():
            if name not in launch.constexprs:
                _note(name, value, found)
        self.launches.append(found)

    def arguments(self, launch: int, tensor: Any) -> list[str]:
        """The arguments of the launch with that number that lie in ``tensor``'s storage."""
        start = tensor.untyped_storage().data_ptr()
        return [name for name, where in self.launches[launch].items() if where == start]


def _note(name: str, value: Any, found: dict[str, int]) -> None:
    if isinstance(value, tuple):
        for number, item in enumerate(value):
            _note(f"{name}[{number}]", item, found)
        return
    tensor = getattr(value, "base", None)
    tensor = (
        tensor if hasattr(tensor, "untyped_storage") else value
    )  # a descriptor or a reinterpreted tensor has a base
    if hasattr(tensor, "untyped_storage"):
        found[name] = tensor.untyped_storage().data_ptr()


def totals(tensor: Any, tape: Tape, named: Named) -> dict:
    """The traffic of ``tensor`` over all launches and arguments, as plain numbers; empty where no launch was given it."""
    parts = [
        launch.tensors[argument]
        for number, launch in enumerate(tape.launches)
        for argument in named.arguments(number, tensor)
        if argument in launch.tensors
    ]
    if not parts:
        return {}
    shape, strides = tuple(tensor.shape), tuple(tensor.stride())
    mine = regions.owned(shape, strides)
    elements = regions.extent(shape, strides) if mine is None else int(mine.sum())
    size = elements * tensor.element_size()
    others = dict.fromkeys(other for part in parts for other in part.others)
    return {
        "shape": list(shape),
        "elements": elements,
        "itemsize": tensor.element_size(),
        "loaded": sum(part.loaded for part in parts),
        "stored": sum(part.stored for part in parts),
        "load_passes": sum(part.loaded * part.itemsize for part in parts) / size if size else 0.0,
        "store_passes": sum(part.stored * part.itemsize for part in parts) / size if size else 0.0,
        "most_loaded": max(part.most_loaded for part in parts),
        "most_stored": max(part.most_stored for part in parts),
        "masked_loads": sum(part.masked_loads for part in parts),
        "masked_stores": sum(part.masked_stores for part in parts),
        "others": [value if abs(value) < float("inf") else str(value) for value in map(float, others)],
    }
