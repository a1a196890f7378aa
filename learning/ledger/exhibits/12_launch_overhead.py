"""A launch costs microseconds of its own, which is a large part of a small kernel's life."""

import statistics

import torch
import triton
import triton.language as tl

from learning.ledger.exhibit import COMPILED, bites, case, needs_gpu, on_gpu

N, CALLS = 4096, 200


@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) + tl.load(y_ptr + i, mask=i < n), mask=i < n)


@triton.jit
def fused_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x, y = tl.load(x_ptr + i, mask=i < n), tl.load(y_ptr + i, mask=i < n)
    tl.store(out_ptr + i, (x + y) + y, mask=i < n)


def _between_events(run):
    """Median microseconds of ``run()`` between two events, over nine rounds."""
    times = []
    for _ in range(9):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda.synchronize()
        start.record()
        run()
        end.record()
        torch.cuda.synchronize()
        times.append(start.elapsed_time(end) * 1e3)
    return statistics.median(times)


def _called_and_replayed(call):
    """(microseconds a call from Python, microseconds a call replayed from a CUDA graph), ``CALLS`` of each in a row."""
    for _ in range(10):
        call()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(CALLS):
            call()
    graph.replay()
    called = _between_events(lambda: [call() for _ in range(CALLS)])
    return called / CALLS, _between_events(graph.replay) / CALLS


@case(COMPILED)
def a_small_kernel_is_mostly_its_launch(device):
    """At 4096 elements at least a third of the time between calls goes into starting the kernel."""
    if not on_gpu():
        return needs_gpu()
    x, y, out = (torch.ones(N, device="cuda") for _ in range(3))
    called, replayed = _called_and_replayed(lambda: add_kernel[(triton.cdiv(N, 1024),)](x, y, out, N, BLOCK=1024))
    share = 1 - replayed / called
    return bites(
        share >= 1 / 3,
        f"{called:.1f} µs a call, {share:.0%} of it the launch",
        f"replayed from a graph: {replayed:.1f} µs",
    )


@case(COMPILED)
def two_launches_against_one(device):
    """Two small kernels in a row take longer than one kernel that does the work of both."""
    if not on_gpu():
        return needs_gpu()
    x, y, out = (torch.ones(N, device="cuda") for _ in range(3))
    grid = (triton.cdiv(N, 1024),)

    def apart():
        add_kernel[grid](x, y, out, N, BLOCK=1024)
        add_kernel[grid](out, y, out, N, BLOCK=1024)

    two, _ = _called_and_replayed(apart)
    one, _ = _called_and_replayed(lambda: fused_kernel[grid](x, y, out, N, BLOCK=1024))
    return bites(two > 1.2 * one, f"two launches {two:.1f} µs", f"one fused launch {one:.1f} µs")
