"""What one call of a wrapper did to the tensors it was given and to those it returned, as plain data.

    with Witness(counts=True) as seen:
        out = softmax(x)
    seen.told([x], [out])       # {"inputs": [...], "outputs": [...], "problems": [...], "sums": [...], ...}

The judge's worker runs a learner's call inside it and sends what was told across. Tensors are known by their place in
memory, whatever a kernel calls its parameters and however many launches and views touch them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from triton.runtime.autotuner import Autotuner

from learning.lens import errors, regions, trace
from learning.lens.interpreter import execute
from learning.lens.memory import Memory
from learning.lens.regions import Region

CLOSE_SECONDS = 0.3
"""Processor seconds spent on looking closely at a call that is only watched for faults; bounds are watched to its end."""
MOST_TOLD = 20  # problems, launches, autotuners
_traceback_of = BaseException.__traceback__.__get__  # past any override of a learner's class
_MACHINERY = ("recorder.py", "memory.py", "regions.py", "witness.py")


class Ordered(execute.Observer):
    """Runs the programs of every launch in another order, and records nothing."""

    def __init__(self, order: str | int):
        self.order = trace.arrangement(order)


class Witness:
    """Watches the launches inside its ``with`` block.

    ``order`` is an order of ``trace.recording``; ``watch`` is "" for nothing but that order, "faults" for bounds, races,
    double writes and reads of unwritten memory, "traffic" for these and for exact counts, whatever time they take: counts are 0
    without it.
    """

    def __init__(self, watch: str = "faults", order: str | int = ""):
        if watch not in ("", "faults", "traffic"):
            raise ValueError(f"watch is {watch!r}; it is '', 'faults' or 'traffic'")
        self.watch, self.order = watch, order
        self.tape: trace.Tape | None = None
        self.tuned: list[dict] = []
        self._open = contextlib.ExitStack()

    def __enter__(self) -> Witness:
        if not self.watch:
            if self.order != "":
                self._open.callback(execute.watch(Ordered(self.order)))
            return self
        counts = self.watch == "traffic"
        seconds = float("inf") if counts else CLOSE_SECONDS
        self.tape = self._open.enter_context(trace.recording(order=self.order, seconds=seconds, counts=counts))
        self._open.enter_context(tuning(self.tuned))
        return self

    def __exit__(self, *exc: Any) -> None:
        self._open.close()

    def told(self, inputs: list[Any], outputs: list[Any], locate: Callable | None = None) -> dict | None:
        """What was seen, in numbers and words that JSON holds; None where nothing was watched.

        ``inputs`` and ``outputs`` are tensors; ``locate(file)`` gives the (cell, source) a line belongs to, or None.

        {"launches": [{"kernel", "grid", "programs", "loaded", "busiest"}], "inputs": [counts], "outputs": [counts], "scratch": bytes moved to
        and from memory that is neither, "problems": [{"kind", "kernel", "argument", "program", "other", "count", "first",
        "last", "size", "line", "text", "cell"}], "sums": [{"how", "dtype", "lanes", "line", "text", "cell"}], "tuned":
        [{"kernel", "configs", "key", "grid_is_function"}], "hurried": whether counts and problems are incomplete}.
        Counts are those of ``counts``, in elements.
        """
        if self.tape is None:
            return None
        views, known = list(self.tape._memory.views.values()), [*inputs, *outputs]
        return {
            "launches": [
                {
                    "kernel": launch.kernel,
                    "grid": list(launch.grid),
                    "programs": launch.programs,
                    "loaded": launch.loaded,
                    "busiest": launch.busiest,
                }
                for launch in self.tape.launches[:MOST_TOLD]
            ],
            "inputs": [counts(tensor, _of(tensor, views, known)) for tensor in inputs],
            "outputs": [self._written(tensor, counts(tensor, _of(tensor, views, known))) for tensor in outputs],
            "scratch": scratch(views, known),
            "problems": [_problem(problem, locate) for problem in self.tape.problems[:MOST_TOLD]],
            "sums": [
                {"how": s.how, "dtype": s.dtype, "lanes": s.lanes, **_place(s, locate)}
                for launch in self.tape.launches[:MOST_TOLD]
                for s in launch.sums
            ],
            "tuned": self.tuned[:MOST_TOLD],
            "hurried": self.tape.hurried,
        }

    def failed(self, problem: BaseException) -> bool:
        """Whether an exception came out of the watching itself, and not out of what was watched."""
        if self.tape is None or self.tape.problems:
            return False
        step = _traceback_of(errors.links(problem)[-1])
        while step is not None and step.tb_next is not None:
            step = step.tb_next
        file = Path(step.tb_frame.f_code.co_filename) if step is not None else Path()
        return file.parent == Path(__file__).parent and file.name in _MACHINERY

    def _written(self, tensor: Any, found: dict) -> dict:
        """Add which elements of a returned tensor nobody wrote, kernel or torch: how many, the first and the last."""
        fresh = self.tape._memory.unwritten_bytes(tensor)
        if fresh is None or self.tape.hurried or not tensor.numel():
            return found
        start, written = fresh
        size, first = tensor.element_size(), tensor.data_ptr() - start
        empty = np.flatnonzero(~written[first : first + tensor.numel() * size : size]) if tensor.is_contiguous() else []
        if len(empty):
            found |= {"untouched": len(empty), "untouched_first": int(empty[0]), "untouched_last": int(empty[-1])}
        return found


def counts(tensor: Any, views: list[Region]) -> dict:
    """How often the elements of ``tensor`` were asked for through ``views`` of its memory that launches were given.

    {"elements" the tensor owns, "itemsize", "loaded", "stored" in all, "read", "written" how many different ones,
    "most_loaded", "most_stored" of one element, "others" the values in masked-off lanes of its loads}
    """
    shape, strides, size = tuple(tensor.shape), tuple(tensor.stride()), tensor.element_size()
    length, first = regions.extent(shape, strides), tensor.data_ptr()
    mine = regions.owned(shape, strides)
    elements = length if mine is None else int(mine.sum())
    loads, stores = (np.zeros(min(length, regions.LARGEST_MAP), np.int64) for _ in range(2))
    others: dict[float, None] = {}
    for region in views:
        others |= dict.fromkeys(map(float, region.others))
        if region.itemsize != size:
            continue
        at = (region.real - first) // size
        low, high = max(0, at), min(len(loads), at + len(region.loads))
        if low < high:
            loads[low:high] += region.loads[low - at : high - at]
            stores[low:high] += region.stores[low - at : high - at]
    return {
        "elements": elements,
        "itemsize": size,
        "loaded": int(loads.sum()),
        "stored": int(stores.sum()),
        "read": int(np.count_nonzero(loads)),
        "written": int(np.count_nonzero(stores)),
        "most_loaded": int(loads.max(initial=0)),
        "most_stored": int(stores.max(initial=0)),
        "others": [value if abs(value) < float("inf") else str(value) for value in others],
    }


def scratch(views: list[Region], known: list[Any]) -> int:
    """Bytes moved to and from memory that lies in none of the storages of ``known``."""
    storages = {tensor.untyped_storage().data_ptr() for tensor in known}
    return sum(
        int(region.loads.sum(dtype=np.int64) + region.stores.sum(dtype=np.int64)) * region.itemsize
        for region in views
        if region.tensor.untyped_storage().data_ptr() not in storages
    )


def _of(tensor: Any, views: list[Region], known: list[Any]) -> list[Region]:
    """The views that count as ``tensor``: its very elements, and whatever else of its storage is no known tensor itself (two
    inputs may overlap, and each of them is read once)."""
    own, start = Memory.key(tensor), tensor.untyped_storage().data_ptr()
    foreign = {Memory.key(other) for other in known} - {own}
    return [
        region
        for region in views
        if region.tensor.untyped_storage().data_ptr() == start and Memory.key(region.tensor) not in foreign
    ]


@contextlib.contextmanager
def tuning(found: list[dict]) -> Iterator[None]:
    """Note in ``found`` the shape of every autotuner that runs in the block, each once."""
    run, seen = Autotuner.run, set()

    def noted(self: Any, *args: Any, **kwargs: Any) -> Any:
        if id(self) not in seen:
            seen.add(id(self))
            found.append(
                {
                    "kernel": getattr(getattr(self, "base_fn", None), "__name__", ""),
                    "configs": len(self.configs),
                    "key": [str(name) for name in self.keys],
                    "grid_is_function": callable(kwargs.get("grid")),
                }
            )
        return run(self, *args, **kwargs)

    Autotuner.run = noted
    try:
        yield
    finally:
        Autotuner.run = run


def _problem(problem: trace.Problem, locate: Callable | None) -> dict:
    return {
        "kind": problem.kind,
        "kernel": problem.kernel,
        "argument": problem.argument,
        "program": list(problem.program),
        "other": list(problem.other) if problem.other else None,
        "count": problem.count,
        "first": problem.first,
        "last": problem.last,
        "size": problem.size,
        **_place(problem, locate),
    }


def _place(thing: Any, locate: Callable | None) -> dict:
    """The line of a problem or a sum and the cell it is in, "" where that is not known."""
    cell = (locate(thing.file) if locate is not None else None) or ("", "")
    return {"line": thing.line, "text": thing.text, "cell": cell[0]}
