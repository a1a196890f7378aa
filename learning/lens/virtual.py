"""The virtual GPU: Triton compiles for a real card, and the interpreter computes.

A driver of our own stands where Triton looks for CUDA's. Plain ``@triton.jit`` and ``kernel[grid](cpu_tensors)`` then take
Triton's own way to a binary for the card: specialisation, the real compiler with its errors, hooks, the autotuner, the
card's limits. Only the last step differs: the launcher runs the kernel's interpreted twin on the CPU tensors.

Nothing of Triton is replaced; the driver is set through ``triton.runtime.driver.set_active``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from triton.backends.compiler import GPUTarget
from triton.runtime import driver as active

from learning.lens import cards, cubin
from learning.lens.cards import Card


class NoClock(RuntimeError):
    """Something asked the virtual GPU for a time; it computes results, and takes no GPU's time to do so."""


class Driver:
    """What Triton asks of a driver, answered for ``card``; launches go to the interpreter."""

    def __init__(self, card: Card):
        self.card = card
        self.target = GPUTarget("cuda", card.arch, card.warp)
        self.utils = Utilities(card)
        self.launcher_cls = Launcher

    def is_active(self) -> bool:
        return True

    def get_current_target(self) -> GPUTarget:
        return self.target

    def get_current_device(self) -> int:
        # Triton keeps compiled kernels by device number, so each architecture needs its own.
        return self.card.arch

    def set_current_device(self, device: int) -> None:
        pass

    def get_current_stream(self, device: int) -> int:
        return 0

    def get_device_capability(self, device: int | None = None) -> tuple[int, int]:
        return self.card.capability

    def get_active_torch_device(self) -> Any:
        import torch

        return torch.device("cpu")

    def map_python_to_cpp_type(self, ty: str) -> str:
        raise NoClock("the virtual GPU builds no launcher in C")

    def get_benchmarker(self) -> Callable:
        """What the autotuner times configurations with: each runs once, timed by the CPU's clock."""
        return benchmark

    def get_device_interface(self) -> Any:
        raise NoClock(
            f"there is no GPU here to time: on the virtual {self.card.name} kernels are computed by an interpreter, whose "
            "time says nothing about a GPU; benchmark where there is one"
        )

    get_empty_cache_for_benchmark = get_device_interface

    def clear_cache(self, cache: Any) -> None:
        raise NoClock("the virtual GPU has no cache to clear")


def benchmark(kernel_call: Callable, *, quantiles: Sequence[float] | None = None, **_: Any) -> Any:
    """Milliseconds one call of ``kernel_call`` takes in the interpreter; a list where ``quantiles`` are asked for.

    The autotuner thus walks all its configurations, each compiled for the card; which one wins means nothing.
    """
    started = time.perf_counter()
    kernel_call()
    took = (time.perf_counter() - started) * 1e3
    return took if quantiles is None else [took] * len(quantiles)


class Utilities:
    """The driver's module loader and device properties."""

    def __init__(self, card: Card):
        self.card = card

    def get_device_properties(self, device: int) -> dict[str, int]:
        """The properties Triton reads; the clock and bus width of a card nobody has here are left out."""
        return {
            "max_shared_mem": self.card.shared_block,
            "max_num_regs": self.card.registers,
            "multiprocessor_count": self.card.processors,
            "warpSize": self.card.warp,
        }

    def load_binary(self, name: str, binary: bytes, shared: int, device: int) -> tuple[Any, Any, int, int, int]:
        """(module, function, registers a thread, spilled words a thread, threads a block) read from the binary; of an
        empty one, where only the compiler's verdict was asked for, neither is known."""
        if not binary:
            return object(), object(), 0, 0, 1024
        usage = cubin.usage(binary, name)
        return object(), object(), usage.registers, usage.stack // 4, 1024

    def unload_module(self, module: Any) -> None:
        pass


class Launcher:
    """Takes the place of the launcher Triton would compile in C: runs the interpreted twin between the hooks."""

    def __init__(self, src: Any, metadata: Any):
        self.function = src.fn
        self.metadata = metadata

    def __call__(self, x: int, y: int, z: int, stream: int, function: Any, packed: Any, launch_metadata: Any,
                 enter: Callable | None, leave: Callable | None, *args: Any) -> None:  # fmt: skip
        from learning.lens.interpreter import execute

        names = [parameter.name for parameter in self.function.params]
        constexprs = [parameter.name for parameter in self.function.params if parameter.is_constexpr]
        options = {name: getattr(self.metadata, name) for name in ("num_warps", "num_stages", "num_ctas")}
        launch = execute.Launch(
            self.function, (x, y, z), dict(zip(names, args, strict=True)), constexprs, options, self.metadata
        )
        if enter is not None:
            enter(launch_metadata)
        execute.execute(launch)
        if leave is not None:
            leave(launch_metadata)


def install(target: str | int) -> Card:
    """Make Triton in this process compile for ``target`` and compute on the CPU; returns its card.

    May be called again to change the target; Triton must have been imported without ``TRITON_INTERPRET``.
    """
    chosen = cards.card(target)
    active.set_active(Driver(chosen))
    return chosen


def card() -> Card | None:
    """The card of the virtual GPU in force, None where the active driver is another."""
    driver = active._active
    return driver.card if isinstance(driver, Driver) else None
