"""The judge's verdict beside the whole compilation: the same errors, the same shared memory where it matters."""

import torch
import triton
import triton.language as tl
from triton.runtime.errors import OutOfResources
from triton.runtime.jit import JITFunction

from learning.lens import verdict, virtual


@triton.jit
def transpose_kernel(x_ptr, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows, columns = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    tile = tl.load(x_ptr + rows[:, None] * COLUMNS + columns[None, :])
    tl.store(out_ptr + columns[:, None] * ROWS + rows[None, :], tl.trans(tile))


@triton.jit
def reduce_kernel(x_ptr, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows, columns = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    tile = tl.load(x_ptr + rows[:, None] * COLUMNS + columns[None, :])
    tl.store(out_ptr + rows, tl.sum(tile, axis=1) + tl.max(tile, axis=1))
    tl.store(out_ptr + columns, tl.sum(tile, axis=0))


@triton.jit
def scan_kernel(x_ptr, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows, columns = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    offsets = rows[:, None] * COLUMNS + columns[None, :]
    tl.store(out_ptr + offsets, tl.cumsum(tl.load(x_ptr + offsets), axis=0))


@triton.jit
def dot_kernel(x_ptr, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows, columns = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    tile = tl.load(x_ptr + rows[:, None] * COLUMNS + columns[None, :])
    tl.store(out_ptr + rows[:, None] * ROWS + rows[None, :], tl.dot(tile, tl.trans(tile)))


KERNELS = (transpose_kernel, reduce_kernel, scan_kernel, dot_kernel)
SHAPES = ((16, 16), (64, 32), (16, 256))


def _asked(kernel, *args, **kwargs):
    """(source, backend, options) as a launch with these arguments hands them to the compiler."""
    caches = kernel.device_caches[virtual.card().arch]
    backend, binder = caches[3], caches[4]
    kwargs = {"debug": False, "instrumentation_mode": "", **kwargs}
    bound, specialization, given = binder(*args, **kwargs)
    options, signature, constexprs, attrs = kernel._pack_args(backend, kwargs, bound, specialization, given)
    return kernel.ASTSource(kernel, signature, constexprs, attrs), backend, options


def shared_memory_is_planned_as_the_whole_compilation_plans_it_or_small_enough_not_to_matter(place):
    planned = 0
    for kernel in KERNELS:
        for rows, columns in SHAPES:
            if kernel is dot_kernel and rows * columns > 1024:
                continue  # a large dot's machine code takes minutes
            for dtype in (torch.float32, torch.float16):
                x, out = torch.zeros(rows * columns, dtype=dtype), torch.zeros(rows * max(rows, columns), dtype=dtype)
                whole = kernel.warmup(x, out, ROWS=rows, COLUMNS=columns, grid=(1,)).metadata
                told = verdict.judge(*_asked(kernel, x, out, ROWS=rows, COLUMNS=columns))
                assert told.shared in (0, whole.shared), (kernel, rows, columns, dtype, told, whole.shared)
                assert told.shared or whole.shared <= virtual.card().shared_block, (kernel, rows, columns, dtype)
                assert (told.num_warps, told.name) == (whole.num_warps, whole.name)
                planned += bool(told.shared)
    assert planned >= 2  # the dots and the scans, at the least


def what_does_not_fit_is_refused_by_name(place):
    x = torch.zeros(256 * 256)
    told = verdict.judge(*_asked(dot_kernel, x, x, ROWS=256, COLUMNS=256))
    try:
        verdict.Verdict(None, told, None).run  # noqa: B018 - a property that raises
    except OutOfResources as refusal:
        assert refusal.required == told.shared > refusal.limit == virtual.card().shared_block
    else:
        raise AssertionError("it fits")


def a_kernel_is_compiled_once_for_its_types_and_constexprs_and_results_stay_right(place):
    before, judge, asked_for = JITFunction._do_compile, verdict.judge, []
    verdict.judge = lambda *args: asked_for.append(args) or judge(*args)
    try:
        verdict.only()
        x = torch.arange(64 * 64, dtype=torch.float32)
        for source in (x, x[:-1][1:].clone(), torch.cat([x, x])[3 : 64 * 64 + 3]):  # aligned or not
            out = torch.zeros(64 * 64)
            reading = source if source.numel() >= 64 * 64 else torch.cat([source, x[:2]])
            transpose_again[(1,)](reading, out, ROWS=64, COLUMNS=64)
            assert torch.equal(out.view(64, 64), reading.view(64, 64).T)
        assert len(asked_for) == 1
        out = torch.zeros(32 * 32)
        transpose_again[(1,)](x, out, ROWS=32, COLUMNS=32)
        transpose_again[(1,)](x.half(), torch.zeros(32 * 32).half(), ROWS=32, COLUMNS=32)
        assert len(asked_for) == 3
        assert torch.equal(out.view(32, 32), x[: 32 * 32].view(32, 32).T)
    finally:
        JITFunction._do_compile, verdict.judge = before, judge


@triton.jit
def transpose_again(x_ptr, out_ptr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    rows, columns = tl.arange(0, ROWS), tl.arange(0, COLUMNS)
    tile = tl.load(x_ptr + rows[:, None] * COLUMNS + columns[None, :])
    tl.store(out_ptr + columns[:, None] * ROWS + rows[None, :], tl.trans(tile))


def a_launch_never_asks_for_machine_code(place):
    """Whatever Triton asks of a kernel on the way to a launch, what only a whole compilation has is left alone."""
    source, backend, options = _asked(reduce_kernel, torch.zeros(256), torch.zeros(256), ROWS=16, COLUMNS=16)

    def whole():
        raise AssertionError("machine code was asked for")

    kernel = verdict.Verdict(source, verdict.judge(source, backend, options), whole)
    assert not hasattr(kernel, "result")  # Triton 3.6 looks for a promise of a kernel there
    assert kernel.launch_metadata((1,), 0) is None and kernel.run is not None
