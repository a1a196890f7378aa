"""A wall clock around a launch times the queue; do_bench clears the cache and repeats, but gives the mean unless asked."""

import inspect
import statistics
import time

import torch
import triton
import triton.language as tl

from learning.ledger.exhibit import COMPILED, INTERPRETER, bites, case, needs_gpu, on_gpu


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) + tl.load(y_ptr + i, mask=i < n), mask=i < n)


def _call(n):
    x, y, out = (torch.ones(n, device="cuda") for _ in range(3))
    return lambda: add_kernel[(triton.cdiv(n, 1024),)](x, y, out, n, BLOCK=1024)


def _wall(call, *, wait):
    """Median microseconds of a wall clock around one call; ``wait`` also waits for the GPU before the clock is read."""
    for _ in range(10):
        call()
    times = []
    for _ in range(50):
        torch.cuda.synchronize()
        started = time.perf_counter()
        call()
        if wait:
            torch.cuda.synchronize()
        times.append((time.perf_counter() - started) * 1e6)
    return statistics.median(times)


def _measured(call):
    """Median microseconds by do_bench, its cache cleared before each run."""
    return triton.testing.do_bench(call, return_mode="median") * 1e3


@case(COMPILED)
def a_clock_that_does_not_wait(device):
    """A clock around a launch of 64 Mi elements stops before the kernel has ended."""
    if not on_gpu():
        return needs_gpu()
    call = _call(1 << 26)
    wall, true = _wall(call, wait=False), _measured(call)
    return bites(wall < 0.5 * true, f"wall clock {wall:.0f} µs", f"do_bench, median: {true:.0f} µs")


@case(COMPILED)
def a_clock_that_waits_times_the_cache(device):
    """Waiting for the GPU is not enough: 1 Mi elements lie in the cache from the run before, and the way to the GPU counts."""
    if not on_gpu():
        return needs_gpu()
    call = _call(1 << 20)
    wall, true = _wall(call, wait=True), _measured(call)
    return bites(
        abs(wall / true - 1) > 0.2, f"wall clock with a wait {wall:.1f} µs", f"do_bench, median: {true:.1f} µs"
    )


@case(COMPILED, INTERPRETER)
def do_bench_unless_asked(device):
    """triton.testing.do_bench reports the mean unless the median is asked for."""
    default = inspect.signature(triton.testing.do_bench).parameters["return_mode"].default
    return bites(default != "median", f'return_mode="{default}"', 'return_mode="median", or "all"')
