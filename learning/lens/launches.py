"""Launches as the launcher saw them: grid, options, constexprs and time, by Triton's launch hooks.

    with launches.recording() as tape:
        out = add(x, y)
    tape.launches[0].grid, tape.launches[0].microseconds       # (977, 1, 1), 4.1

Works with the real launcher of a GPU and with the virtual GPU's, from Triton 3.6 to 3.9. The records have the shape of a
trace; what only an interpreter can count (traffic, operations) stays empty.

A hook is told a kernel's name and its stream; grid and arguments reach it through ``CompiledKernel.launch_metadata``, which
Triton calls right before. That method is wrapped while a recording lasts, and put back after it.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from learning.lens.trace import LaunchTrace, Tape

MOST = 4096
"""Launches kept of one recording, unless said otherwise; later ones are counted and left alone."""
OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg")


class Launches:
    """Listens to launches between ``start()`` and ``stop()``; ``tape`` holds what was heard, ``seen`` counts all.

    Past ``most`` launches nothing more is recorded, so that a loop that times a kernel is not slowed by its being watched.
    """

    def __init__(self, most: int = MOST):
        self.tape, self.seen, self.most = Tape(counted=False), 0, most
        self._events: list[tuple[LaunchTrace, Any, Any]] = []
        self._local = threading.local()
        self._restore: Any = None

    def start(self) -> Launches:
        """Begin to listen; raises ``RuntimeError`` where Triton interprets kernels, because no hook is called there."""
        import triton.language
        from triton import knobs
        from triton.compiler.compiler import CompiledKernel

        if type(triton.language.sum).__name__ == "InterpretedFunction":
            raise RuntimeError(
                "Triton calls no hook for interpreted kernels: open the device with target 't4', or a GPU"
            )
        upstream = CompiledKernel.launch_metadata

        def launch_metadata(kernel: Any, grid: Any, stream: Any, *args: Any) -> Any:
            self._announced(kernel, grid, args)
            return upstream(kernel, grid, stream, *args)

        CompiledKernel.launch_metadata = launch_metadata
        knobs.runtime.launch_enter_hook.add(self._enter)
        knobs.runtime.launch_exit_hook.add(self._exit)

        def restore() -> None:
            knobs.runtime.launch_enter_hook.remove(self._enter)
            knobs.runtime.launch_exit_hook.remove(self._exit)
            if CompiledKernel.launch_metadata is launch_metadata:
                CompiledKernel.launch_metadata = upstream

        self._restore = restore
        return self

    def stop(self) -> Tape:
        """End listening, wait for the GPU where one was timed, and return the tape. May be called again."""
        if self._restore is not None:
            self._restore()
            self._restore = None
        for launch, before, after in self._events:
            with contextlib.suppress(RuntimeError):  # a stream that was captured meanwhile has no time of its own
                after.synchronize()
                launch.microseconds = before.elapsed_time(after) * 1e3
        self._events.clear()
        return self.tape

    def _announced(self, kernel: Any, grid: Any, args: tuple) -> None:
        self.seen += 1
        self._local.launch = None
        if len(self.tape.launches) >= self.most:
            self.tape.truncated = True
            return
        self._local.launch = read(kernel, grid, args)

    def _enter(self, metadata: Any) -> None:
        launch = getattr(self._local, "launch", None)
        if launch is None:
            return
        self.tape.launches.append(launch)
        self._local.before = _event()

    def _exit(self, metadata: Any) -> None:
        launch, before = getattr(self._local, "launch", None), getattr(self._local, "before", None)
        self._local.launch = self._local.before = None
        if launch is not None and before is not None:
            after = _event()
            if after is not None:
                self._events.append((launch, before, after))


@contextlib.contextmanager
def recording(most: int = MOST) -> Iterator[Tape]:
    """Record every compiled launch in the ``with`` block; times are there when the block has ended.

    ``microseconds`` is what passes between events before and after the launch on its stream: the kernel, and, where the GPU
    was idle, the way of the launch to it. None on the virtual GPU and while a graph is captured. Raises ``RuntimeError``
    where Triton interprets kernels.
    """
    listening = Launches(most).start()
    try:
        yield listening.tape
    finally:
        listening.stop()


def read(kernel: Any, grid: Any, args: tuple) -> LaunchTrace:
    """A launch of the ``CompiledKernel`` in a trace's shape: ``grid`` as launched, ``args`` all parameters in order."""
    sizes = [int(size) for size in tuple(grid)[:3]]
    sizes += [1] * (3 - len(sizes))
    function = getattr(kernel.src, "fn", None)
    names = list(getattr(function, "arg_names", ()))
    given = dict(zip(names, args, strict=False))
    constexprs = {
        parameter.name: given[parameter.name]
        for parameter in getattr(function, "params", ())
        if parameter.is_constexpr and parameter.name in given
    }
    options = {
        name: getattr(kernel.metadata, name) for name in OPTIONS if getattr(kernel.metadata, name, None) is not None
    }
    made = LaunchTrace(kernel.metadata.name, tuple(sizes), constexprs, options)
    made.programs = sizes[0] * sizes[1] * sizes[2]
    return made


def _event() -> Any:
    """A timing event recorded on the current stream; None where no GPU takes launches, or while a graph is captured."""
    import torch

    from learning.lens import virtual

    if virtual.card() is not None or not torch.cuda.is_initialized() or torch.cuda.is_current_stream_capturing():
        return None
    event = torch.cuda.Event(enable_timing=True)
    event.record()
    return event
