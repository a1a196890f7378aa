"""Launches heard by hooks, one story a function; where Triton compiles, with the virtual GPU's launcher or a real one's."""

import torch
import triton
import triton.language as tl
from triton import knobs
from triton.compiler.compiler import CompiledKernel

from learning.lens import device, launches, trace

from . import kernels


def heard(place, most=launches.MOST):
    x = torch.ones(2500, device=place)
    out = torch.empty_like(x)
    with launches.recording(most) as tape:
        for _ in range(3):
            kernels.add_kernel[lambda meta: (triton.cdiv(2500, meta["BLOCK"]),)](
                x, x, out, 2500, BLOCK=1024, num_warps=8
            )
    assert out.eq(2).all()
    return tape


def the_launcher_tells_grid_options_and_constexprs(place):
    tape = heard(place)
    assert len(tape.launches) == 3 and not tape.counted and not tape.truncated
    for launch in tape.launches:
        assert (launch.kernel, launch.grid, launch.programs) == ("add_kernel", (3, 1, 1), 3)
        assert launch.constexprs == {"BLOCK": 1024} and launch.options["num_warps"] == 8
        assert (launch.microseconds is None) == (place == "cpu") and (place == "cpu" or launch.microseconds > 0)


def a_launch_has_the_shape_of_a_trace(place):
    (first, *_), seen = heard(place).launches, set(vars(trace.LaunchTrace("k", (1, 1, 1), {}, {})))
    assert set(vars(first)) == seen and first.bytes == 0 and not first.tensors
    if place == "cuda":
        assert device.current().kind == "cuda"
        with trace.recording() as tape:
            x = torch.ones(64, device=place)
            kernels.add_kernel[(1,)](x, x, torch.empty_like(x), 64, BLOCK=64)
        assert [launch.grid for launch in tape.launches] == [(1, 1, 1)] and not tape.counted


def traffic_of_a_launch_on_a_gpu_is_not_made_up(place):
    tape = heard(place)
    for ask in (tape.traffic, tape.unwritten):
        try:
            ask(torch.ones(1))
        except RuntimeError as reason:
            assert "CPU copies" in str(reason)
        else:
            raise AssertionError("traffic was given")


def launches_past_the_limit_run_unwatched(place):
    tape = heard(place, most=2)
    assert len(tape.launches) == 2 and tape.truncated


@triton.autotune([triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128}, num_warps=2)], key=["n"])
@triton.jit
def tuned_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n, other=0.0), mask=i < n)


def the_tuner_s_last_launch_is_the_winner_s(place):
    x = torch.ones(200, device=place)
    with launches.recording(most=1 << 20) as tape:
        tuned_kernel[lambda meta: (triton.cdiv(200, meta["BLOCK"]),)](x, torch.empty_like(x), 200)
    best, last = tuned_kernel.best_config, tape.launches[-1]
    assert last.constexprs["BLOCK"] == best.kwargs["BLOCK"] and last.options["num_warps"] == best.num_warps
    assert last.grid == (triton.cdiv(200, best.kwargs["BLOCK"]), 1, 1) and len(tape.launches) >= 3


def nothing_is_left_behind_also_when_a_kernel_raised(place):
    before = vars(CompiledKernel)["launch_metadata"]
    calls = list(knobs.runtime.launch_enter_hook.calls), list(knobs.runtime.launch_exit_hook.calls)
    try:
        with launches.recording():
            raise KeyError("stop")
    except KeyError:
        pass
    assert vars(CompiledKernel)["launch_metadata"] is before
    assert (knobs.runtime.launch_enter_hook.calls, knobs.runtime.launch_exit_hook.calls) == calls
    listening = launches.Launches().start()
    assert listening.stop() is listening.stop() and vars(CompiledKernel)["launch_metadata"] is before


def a_listener_of_somebody_else_hears_what_it_heard_before(place):
    told = []
    hook = lambda metadata: told.append(metadata.get()["name"])  # noqa: E731 - a hook must be one object
    knobs.runtime.launch_enter_hook.add(hook)
    try:
        heard(place)
    finally:
        knobs.runtime.launch_enter_hook.remove(hook)
    assert told == ["add_kernel"] * 3


def a_captured_launch_has_no_time_of_its_own(place):
    if place != "cuda":
        return
    x = torch.ones(64, device=place)
    out, stream = torch.empty_like(x), torch.cuda.Stream()
    kernels.add_kernel[(1,)](x, x, out, 64, BLOCK=64)
    graph = torch.cuda.CUDAGraph()
    stream.wait_stream(torch.cuda.current_stream())
    with launches.recording() as tape, torch.cuda.graph(graph, stream=stream):
        kernels.add_kernel[(1,)](x, x, out, 64, BLOCK=64)
    graph.replay()
    torch.cuda.synchronize()
    assert tape.launches[0].microseconds is None and out.eq(2).all()
