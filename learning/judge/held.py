"""Arguments held beside a function for timing: rotating copies, a captured graph, results that are really computed.

The same code runs in a worker and, for a learner's own numbers, in one process. Imports torch at module level, before any
learner's code is loaded, so that what it times and reads with was bound before anybody could patch it.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

import torch

from learning.judge import faults, guard
from learning.judge.call import Called

MOST_PLACES = 1 << 16
_Tensor = torch.Tensor
_Graph, _capture, _Event = torch.cuda.CUDAGraph, torch.cuda.graph, torch.cuda.Event
_replay = torch.cuda.CUDAGraph.replay
_clock, _roll, _tensor_of = time.perf_counter, torch.roll, torch.tensor
_finish = getattr(torch._C, "_cuda_synchronize", lambda: None)  # absent from builds without CUDA


class Held:
    """``copies`` equal sets of one call's arguments, of which successive calls take the next, and what was made of each.

    Copies have storages of their own and the same strides, offsets and shared storages as the first. A run of calls thus
    reads other memory each time; with enough copies nothing is left of them in L2.
    """

    def __init__(self, args: tuple, kwargs: dict, copies: int = 1):
        self.sets = [(args, kwargs)] + [copied((args, kwargs)) for _ in range(copies - 1)]
        self.outputs: list[Any] = [None] * len(self.sets)
        self._graph: Any = None
        self._next = 0
        self._marks: dict[int, list[tuple]] = {}
        self.names: dict[str, None] = {}
        """Torch functions that were called in calls that are replayed, and in one after each change of values."""
        self.on_gpu = any(t.device.type == "cuda" for t in guard.tensors_in(args, kwargs))

    def beside(self) -> Held:
        """Another holder of the same sets, with results and a graph of its own."""
        twin = Held(*self.sets[0])
        twin.sets, twin.outputs = self.sets, [None] * len(self.sets)
        return twin

    def serve(self, function: Callable, request: dict, locate: Callable | None = None) -> Called:
        """One request of the judge: ``{"op": "run" | "capture" | "stir" | "mark" | "show", …}``."""
        called = Called()
        try:
            op = request["op"]
            if op == "run":
                self._run(function, int(request["repeats"]), called)
            elif op == "capture":
                called.value = self.capture(function, int(request["calls"]), int(request["before"]))
            elif op == "stir":
                copy = int(request["copy"])
                if self._graph is None:  # calls that are timed one by one go unwatched, and this may be any of them
                    args, kwargs = self.sets[copy]
                    with guard.Calls(self.names):
                        function(*args, **kwargs)
                self.stir(copy, int(request["shift"]), float(request["share"]))
            elif op == "mark":
                self.mark([int(copy) for copy in request["copies"]], float(request["at"]))
            else:
                places = [int(place) for place in request["places"]]
                called.value = self.show(int(request["copy"]), places, float(request["at"]))
        except BaseException as problem:
            called.fault = faults.read(problem, locate)
        called.torch_calls = list(self.names)
        return called

    def _run(self, function: Callable, repeats: int, called: Called) -> None:
        """``repeats`` replays of the graph where there is one, else calls; ``claimed`` is the GPU's own time between events
        (without a GPU the clock's), ``seconds`` the wall's, both up to the end of the last one's work."""
        events = (_Event(enable_timing=True), _Event(enable_timing=True)) if self.on_gpu else None
        started = _clock()
        if events:
            events[0].record()
        if self._graph is not None:
            for _ in range(repeats):
                _replay(self._graph)
        else:
            self._calls(function, repeats)
        if events:
            events[1].record()
            _finish()
        called.seconds = _clock() - started
        called.claimed = events[0].elapsed_time(events[1]) / 1e3 if events else called.seconds

    def _calls(self, function: Callable, count: int) -> None:
        sets, outputs = self.sets, self.outputs
        turns = self._turns(count)
        for number in range(count):
            at = self._next
            self._next = (at + 1) % len(sets)
            args, kwargs = sets[at]
            for window, content in turns.get(number, ()):
                window.copy_(content)
            outputs[at] = None
            outputs[at] = function(*args, **kwargs)

    def _turns(self, count: int) -> dict[int, list[tuple]]:
        """Before which of ``count`` calls a marked set's window is written: other values before its first, its own before its
        last. A call in between is thus worth nothing to who answers the last one with what an earlier one made."""
        turns: dict[int, list[tuple]] = {}
        for copy, windows in self._marks.items():
            first = (copy - self._next) % len(self.sets)
            if first >= count:
                continue
            last = first + (count - 1 - first) // len(self.sets) * len(self.sets)
            turns[first] = [(window, other) for window, _, other in windows]
            turns[last] = [(window, own) for window, own, _ in windows]
        return turns

    def mark(self, copies: list[int], at: float) -> None:
        """From now on the sets ``copies`` hold other values for a while in every run: in a window of each floating tensor,
        ``at`` (0 … 1) of the way through it, during all calls on that set but the last."""
        self._marks = {}
        for copy in copies:
            windows = []
            for tensor in guard.tensors_in(*self.sets[copy]):
                if not tensor.is_floating_point() or distinct(tensor).numel() < 2:
                    continue
                window = window_of(distinct(tensor), at)
                windows.append((window, window.clone(), _roll(window, 1)))
            self._marks[copy] = windows
        if self.on_gpu:
            _finish()

    def capture(self, function: Callable, calls: int, before: int = 0) -> str:
        """Capture ``calls`` calls, of the sets in turn, into one CUDA graph that later runs replay; 0 goes back to plain calls.
        ``before`` more than are needed to warm up come first, so that who counts calls cannot tell where the capture ends.

        Returns "" where it was captured, else why it cannot be. Raises what the function raises outside a capture.
        """
        self._graph, self._next = None, 0
        self.outputs = [None] * len(self.sets)
        if calls == 0:
            return ""
        if not self.on_gpu:
            return "there is no GPU to capture on"
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):  # what a first call sets up must not fall into the capture
            self._calls(function, max(2, len(self.sets)) + before)
        torch.cuda.current_stream().wait_stream(side)
        _finish()
        self._next = 0
        graph, collecting, stream = _Graph(), gc.isenabled(), torch.cuda.current_stream()
        gc.disable()  # in Triton 3.6 to 3.8 a collection during a capture breaks it
        try:
            with _capture(graph, capture_error_mode="thread_local"), guard.Calls(self.names):
                self._calls(function, calls)
            _replay(graph)
            _finish()
        except Exception as problem:
            del graph
            torch.cuda.set_stream(stream)  # a capture that breaks off leaves its own stream behind
            self.outputs, self._next = [None] * len(self.sets), 0
            return f"{type(problem).__name__}: {str(problem).splitlines()[0] if str(problem) else 'no reason given'}"[
                :200
            ]
        finally:
            if collecting:
                gc.enable()
        self._graph = graph
        for copy in range(
            len(self.sets)
        ):  # replays alone shall make results: work that escaped the capture has run already
            self._spoil(copy)
        _finish()
        return ""

    def _spoil(self, copy: int) -> None:
        """Overwrite what was made of set ``copy`` with NaN, unless it lies in the set's own memory."""
        own = {tensor.untyped_storage().data_ptr() for tensor in guard.tensors_in(*self.sets[copy])}
        for made in guard.tensors_in(self.outputs[copy]):
            if made.untyped_storage().data_ptr() not in own:
                made.detach().fill_(guard.poison_value(made.dtype, 0))

    def stir(self, copy: int, shift: int, share: float = 1.0) -> None:
        """Move the values of set ``copy`` about, where they lie: in a run of ``share`` (0 … 1) of each tensor's elements, in
        the order of its indices, by ``shift`` places round; integers stay where floats are moved, since they may be indices.
        What was made of the set before is forgotten, and overwritten with NaN, as its reader may."""
        tensors, seen = guard.tensors_in(*self.sets[copy]), set()
        floating = [tensor for tensor in tensors if tensor.is_floating_point()]
        for tensor in floating or tensors:
            once = distinct(tensor)
            key = (once.data_ptr(), tuple(once.shape), tuple(once.stride()), once.dtype)
            count = once.numel()
            width = count if share >= 1.0 else max(2, round(share * count))
            if key in seen or not 2 <= width <= count or share <= 0.0:
                continue
            seen.add(key)
            flat = once.reshape(-1).clone()
            part = flat.narrow(0, shift % (count - width + 1), width)
            part.copy_(_roll(part, 1 + shift % (width - 1)))
            once.copy_(flat.reshape(once.shape))
        self._spoil(copy)
        if self._graph is None:
            self.outputs[copy] = None
        if self.on_gpu:
            _finish()

    def show(self, copy: int, places: list[int], at: float = 0.0) -> list | None:
        """What the last call on set ``copy`` made: of each tensor its dtype, its shape, the values at ``places`` (taken
        modulo its size, in the order of its indices) and those of the window at ``at``; None where it made no plain tensors."""
        made = self.outputs[copy]
        found = made if type(made) in (tuple, list) else (made,)
        if not all(type(one) is _Tensor for one in found):
            return None
        shown = []
        for one in found:
            where = [place % one.numel() for place in places[:MOST_PLACES]] if one.numel() else []
            picked = one.detach().reshape(-1)[_tensor_of(where, dtype=torch.int64, device=one.device)]
            shown.append([str(one.dtype), list(one.shape), picked, window_of(one.detach(), at).clone()])
        return shown


def copied(value: Any, storages: dict | None = None) -> Any:
    """A deep copy of a tree of tuples, lists, dicts and plain values; tensors keep strides, offsets and shared storages."""
    storages = {} if storages is None else storages
    if isinstance(value, _Tensor):
        raw = guard.storage_bytes(value)
        key = (raw.data_ptr(), raw.numel())
        if key not in storages:
            storages[key] = raw.clone()
        twin = torch.empty(0, dtype=value.dtype, device=value.device)
        return twin.set_(storages[key].untyped_storage(), value.storage_offset(), value.shape, value.stride())
    if isinstance(value, (tuple, list)):
        return type(value)([copied(item, storages) for item in value])
    if isinstance(value, dict):
        return {key: copied(item, storages) for key, item in value.items()}
    return value


WIDEST = 4096


def window_of(tensor: torch.Tensor, at: float) -> torch.Tensor:
    """A view of an eighth of the longest axis, 16 to 4096 elements, that holds the element ``at`` (0 … 1) of the way through
    ``tensor`` in the order of its indices."""
    if not tensor.numel() or not tensor.dim():
        return tensor.reshape(-1)
    index, left = [], min(int(at * tensor.numel()), tensor.numel() - 1)
    for size in reversed(tensor.shape):
        left, place = divmod(left, size)
        index.insert(0, place)
    axis = max(range(tensor.dim()), key=lambda one: tensor.shape[one])
    size = tensor.shape[axis]
    width = min(size, max(16, size // 8), WIDEST)
    for one, place in reversed(list(enumerate(index))):
        start = min(place, size - width) if one == axis else place
        tensor = tensor.narrow(one, start, width) if one == axis else tensor.narrow(one, start, 1)
    return tensor.reshape(-1) if tensor.is_contiguous() else tensor.squeeze()


def distinct(tensor: torch.Tensor) -> torch.Tensor:
    """``tensor`` without its repetitions: axes of stride 0 cut to their first index."""
    for axis, (size, stride) in enumerate(zip(tensor.shape, tensor.stride(), strict=True)):
        if stride == 0 and size > 1:
            tensor = tensor.narrow(axis, 0, 1)
    return tensor.detach()


def held_bytes(*values: Any) -> int:
    """Bytes of the distinct storages under the tensors of these trees."""
    sizes = {}
    for tensor in guard.tensors_in(*values):
        raw = guard.storage_bytes(tensor)
        sizes[raw.data_ptr()] = raw.numel()
    return sum(sizes.values())


def cache_bytes() -> int:
    """The L2 cache of the GPU in use, bytes; 0 where there is no GPU."""
    if not torch.cuda.is_available():
        return 0
    return int(getattr(torch.cuda.get_device_properties(torch.cuda.current_device()), "L2_cache_size", 0)) or 64 << 20


ROTATION = 5
"""Rotating inputs exceed this many times the L2 cache (RIGOR)."""
MOST_COPIES = 64
MOST_ROTATING = 4 << 30


def rotation(*values: Any) -> tuple[int, bool]:
    """How many sets of these arguments rotate, and whether they exceed 5 × L2 (with few small ones they do not: 64 sets and
    4 GiB are the most, and a quarter of the GPU's free memory)."""
    size, cache = held_bytes(*values), cache_bytes()
    if not cache or not size:
        return 1, False
    room = min(MOST_ROTATING, torch.cuda.mem_get_info()[0] // 4)
    wanted = -(-ROTATION * cache // size)
    copies = max(1, min(wanted, MOST_COPIES, room // size))
    return copies, copies * size >= ROTATION * cache
