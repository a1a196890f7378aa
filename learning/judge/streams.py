"""Whether results are there for who reads them on the caller's stream: the order of a GPU's streams, made to matter.

A kernel on another stream that nobody joined looks right to a judge that waits for the whole GPU before it reads. So the judge
does not wait. Before a call it occupies the caller's stream for a while, and lets the arguments' bytes arrive only behind that:
work that was not ordered after them reads poison. What came back is then copied on the caller's stream, before anybody waits.
Work that is ordered as it should be notices nothing but the delay. Imports torch at module level, before any learner's code.
"""

from __future__ import annotations

import contextlib
import itertools
from typing import Any

import torch

CYCLES = 2_000_000
"""How long the caller's stream is occupied: about a millisecond, some times as long as a launch takes to be asked for."""
LONG_CYCLES, LONG_EVERY = 60_000_000, 8
"""Of so many calls, beginning with a process's second, one is held up for about 30 ms: longer than a crowded machine keeps a
launch waiting, and than the slices of time in which a GPU serves several processes. Beside other work on the same H200 a
millisecond let two attackers pass that are refused alone: ``leaves_its_stream_current`` and ``side_stream_joined_by_luck``."""
MOST_BYTES = 64 << 20
"""Arguments larger than this altogether stay where they are: their work takes long enough to be caught at."""

_current, _set, _stream = torch.cuda.current_stream, torch.cuda.set_stream, torch.cuda.stream
_clone, _copy_, _fill_ = torch.Tensor.clone, torch.Tensor.copy_, torch.Tensor.fill_
_sleep = getattr(torch._C, "_cuda_sleep", None)  # absent from builds without CUDA
_calls = itertools.count()


class Order:
    """The caller's stream around a call whose arguments have the storages ``raws`` (uint8 tensors); nothing without a GPU."""

    def __init__(self, raws: list[torch.Tensor]):
        self._raws = [raw for raw in raws if raw.device.type == "cuda"]
        if sum(raw.numel() for raw in self._raws) > MOST_BYTES:
            self._raws = []
        self._caller: Any = None

    def begin(self) -> None:
        """Occupy the caller's stream; the arguments hold poison until it is free."""
        if _sleep is None or not torch.cuda.is_initialized():
            return
        self._caller = _current()
        kept = [_clone(raw) for raw in self._raws]
        for raw in self._raws:
            _fill_(raw, 0xFF)
        _sleep(LONG_CYCLES if next(_calls) % LONG_EVERY == 1 else CYCLES)
        for raw, bytes_ in zip(self._raws, kept, strict=True):
            _copy_(raw, bytes_)

    def end(self) -> None:
        """Make the caller's stream the current one again, where the call left another."""
        if self._caller is not None:
            _set(self._caller)

    def reading(self) -> Any:
        """A context in which the caller's stream is the current one."""
        return contextlib.nullcontext() if self._caller is None else _stream(self._caller)
