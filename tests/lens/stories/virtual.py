"""What only the virtual GPU does, one story a function: the compiler's errors and limits, hooks, autotuner, cleanliness."""

import sys
import types

import torch
import triton
import triton.language as tl
from triton.runtime.jit import JITFunction

from .corrections import refused
from .kernels import add_kernel, softmax_kernel
from .products import matmul_kernel

VERSION = tuple(int(part) for part in triton.__version__.split(".")[:2])


@triton.jit
def break_kernel(out_ptr, n):
    for i in range(n):
        if i == 3:
            break
        tl.store(out_ptr + i, i)


@triton.jit
def type_change_kernel(x_ptr, out_ptr, n):
    acc = 0
    for i in range(n):
        acc += tl.load(x_ptr + i)
    tl.store(out_ptr, acc)


@triton.jit
def unknown_name_kernel(out_ptr):
    tl.store(out_ptr, triton_is_spelt_wrong(1))  # noqa: F821 - the story


LIMIT = 7


@triton.jit
def plain_global_kernel(out_ptr):
    tl.store(out_ptr, LIMIT)


@triton.jit
def small_dot_kernel(x_ptr, out_ptr, K: tl.constexpr):
    m, k = tl.arange(0, 16), tl.arange(0, K)
    a = tl.load(x_ptr + m[:, None] * K + k[None, :])
    b = tl.load(x_ptr + k[:, None] * 16 + m[None, :])
    tl.store(out_ptr + m[:, None] * 16 + m[None, :], tl.dot(a, b))


def what_the_compiler_rejects_is_rejected_here(device):
    x, out = torch.ones(256), torch.zeros(256)
    refused(lambda: break_kernel[(1,)](out, 5), "break")
    refused(lambda: type_change_kernel[(1,)](x, out, 5), "acc")
    refused(lambda: unknown_name_kernel[(1,)](out), "triton_is_spelt_wrong")
    refused(lambda: plain_global_kernel[(1,)](out), "LIMIT")
    refused(lambda: small_dot_kernel[(1,)](x.half(), out, K=8), "K >= 16")
    assert not out.any()


def a_tile_too_large_for_the_cards_shared_memory_is_refused(device):
    from learning.lens import virtual

    a = torch.ones(256, 256)
    launch = lambda: matmul_kernel[(2, 1)](  # noqa: E731
        a, a, torch.zeros(256, 256), 256, 256, 256, 256, 1, 256, 1, BM=128, BN=256, BK=64, num_warps=8
    )
    assert virtual.card().shared_block == 65536
    refused(launch, "OutOfResources", "shared memory", "65536")


def a_launch_returns_what_the_compiler_made(device):
    x, out = torch.ones(100), torch.empty(100)
    kernel = add_kernel[(1,)](x, x, out, 100, BLOCK=128, num_warps=4)
    assert (out == 2).all()
    assert kernel.metadata.target.arch == 75 and kernel.metadata.num_warps == 4
    assert ".target sm_75" in kernel.asm["ptx"] and kernel.n_regs > 4 and kernel.n_spills == 0


def hooks_see_grid_options_and_arguments(device):
    seen = []
    triton.knobs.runtime.launch_enter_hook.add(lambda data: seen.append(data.get()))
    hook = triton.knobs.runtime.launch_enter_hook.calls[-1]
    softmax_kernel.launch_metadata = lambda grid, metadata, args: {"grid": grid, "args": args, "w": metadata.num_warps}
    try:
        x = torch.randn(5, 30)
        softmax_kernel[(5,)](x, torch.empty_like(x), 30, 1, 30, BLOCK=32, num_warps=2)
    finally:
        triton.knobs.runtime.launch_enter_hook.remove(hook)
        softmax_kernel.launch_metadata = None
    (data,) = seen
    assert data["grid"] == (5,) and data["w"] == 2 and data["args"]["n_cols"] == 30 and data["args"]["x_ptr"] is x


@triton.heuristics({"BLOCK": lambda args: triton.next_power_of_2(args["n"])})
@triton.jit
def heuristic_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n), mask=i < n)


def heuristics_choose_a_constexpr(device):
    x, out = torch.randn(77), torch.zeros(77)
    heuristic_kernel[(1,)](x, out, 77)
    assert torch.equal(out, x)


def kernels_and_helpers_in_a_closure(device):
    factor = tl.constexpr(3)

    @triton.jit
    def scaled(x):
        return x * factor

    @triton.jit
    def kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(out_ptr + i, scaled(tl.load(x_ptr + i)))

    x, out = torch.randn(16), torch.zeros(16)
    kernel[(1,)](x, out, BLOCK=16)
    assert torch.equal(out, x * 3)


@triton.jit
def methods_kernel(x_ptr, out_ptr, flag, n, BLOCK: tl.constexpr):
    x = tl.load(x_ptr + tl.arange(0, BLOCK))
    total = x.sum(axis=0) + x.max(axis=0).to(tl.float32)
    if flag:
        total += 1000
    tl.store(out_ptr, total + min(n, 3) + max(n, 3) + tl.cdiv(n, 2))
    tl.store(out_ptr + 1, tl.sum(tl.minimum(x, 2.0) + tl.softmax(x) + tl.zeros((BLOCK,), tl.float32), axis=0))


def methods_helpers_builtins_and_flags(device):
    x, out = torch.arange(8.0), torch.zeros(2)
    methods_kernel[(1,)](x, out, True, 9, BLOCK=8)
    assert out[0] == 28 + 7 + 1000 + 3 + 9 + 5 and abs(out[1] - 14) < 1e-5, out
    methods_kernel[(1,)](x, out, False, 9, BLOCK=8)
    assert out[0] == 28 + 7 + 3 + 9 + 5, out


def a_grid_no_gpu_could_launch_is_refused(device):
    x, out = torch.ones(8), torch.zeros(8)
    refused(lambda: add_kernel[(1, 70000)](x, x, out, 8, BLOCK=8), "axis 1", "65535")
    add_kernel[(0,)](x, x, out, 8, BLOCK=8)
    assert not out.any()


@triton.jit
def raising_kernel(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    tl.device_assert(i < n, "past the end")
    tl.store(out_ptr + i, x)


def an_error_names_program_and_line(device):
    x, out = torch.ones(32), torch.zeros(32)
    try:
        raising_kernel[(2,)](x, out, 20, BLOCK=16)
    except Exception as fault:
        assert type(fault).__name__ == "KernelFault" and fault.program == (1, 0, 0)
        assert "past the end" in str(fault) and 'tl.device_assert(i < n, "past the end")' in str(fault)
        assert fault.file == __file__
    else:
        raise AssertionError("nothing was raised")


def snapshot():
    """Every attribute of the language's modules, its tensor class and the interpreter's classes."""
    from triton.runtime import interpreter

    owners = [module for name, module in sys.modules.items() if name.startswith("triton.language") and module]
    owners += [tl.tensor, tl.dtype, tl.core.tensor_descriptor_base, JITFunction, interpreter]
    owners += [interpreter.InterpreterBuilder, interpreter.ReduceOps, interpreter.ScanOps, interpreter.GridExecutor]
    return [(owner, dict(vars(owner))) for owner in owners]


def nothing_is_left_patched(device):
    methods_helpers_builtins_and_flags(device)  # whatever is made at a first launch has been made
    before, names = snapshot(), dict(globals())
    methods_helpers_builtins_and_flags(device)
    x, out = torch.ones(32), torch.zeros(32)
    refused(lambda: raising_kernel[(2,)](x, out, 20, BLOCK=16), "past the end")
    for owner, attributes in before:
        now = vars(owner)
        changed = {name for name in {*attributes, *now} if attributes.get(name) is not now.get(name)}
        assert not changed - {"__warningregistry__"}, (owner, changed)
    assert set(globals()) == set(names)
    assert methods_kernel.fn.__globals__ is globals()


def compiling_and_interpreting_alternate(device):
    for length in (16, 32, 64):  # a new constexpr each time: compile, interpret, compile, …
        x, out = torch.randn(length), torch.zeros(length)
        heuristic_kernel[(1,)](x, out, length)
        kernel = add_kernel.warmup(x, x, out, length, BLOCK=length, grid=(1,))
        assert torch.equal(out, x) and "sm_75" in kernel.asm["ptx"]


def another_card_in_the_same_process(device):
    from learning.lens import device as door

    x, out = torch.ones(64), torch.zeros(64)
    try:
        opened = door.open("sm_90")
        assert (opened.name, opened.capability) == ("virtual H100 SXM", (9, 0))
        kernel = add_kernel[(1,)](x, x, out, 64, BLOCK=64)
        assert kernel.metadata.target.arch == 90 and (out == 2).all()
    finally:
        assert door.open("t4").target == "sm_75"
    assert add_kernel[(1,)](x, x, out, 64, BLOCK=64).metadata.target.arch == 75


def a_kernel_in_a_notebooks_namespace_finds_its_globals_and_adds_none(device):
    """As IPython does it: source known to linecache, executed in a namespace of its own."""
    import linecache

    source = (
        "import triton\nimport triton.language as tl\n"
        "@triton.jit\ndef double(x):\n    return x * 2\n"
        "@triton.jit\ndef cell_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):\n"
        "    i = tl.arange(0, BLOCK)\n    tl.store(out_ptr + i, double(tl.load(x_ptr + i)))\n"
    )
    namespace = {"__name__": "cell_namespace"}
    sys.modules["cell_namespace"] = types.ModuleType("cell_namespace")
    for _ in range(2):  # running the cell again redefines the kernel
        linecache.cache["<cell 1>"] = (len(source), None, source.splitlines(True), "<cell 1>")
        exec(compile(source, "<cell 1>", "exec"), namespace)
        before = set(namespace)
        x, out = torch.randn(16), torch.zeros(16)
        namespace["cell_kernel"][(1,)](x, out, BLOCK=16)
        assert torch.equal(out, x * 2) and set(namespace) == before
        source = source.replace("x * 2", "x + x")


def forks_of_a_server_compile_and_compute_on_their_own(device):
    """A grader's server opens the device once and forks a worker for every check."""
    import os
    import tempfile

    length = 96  # a specialisation no other story compiles, so that each fork compiles for itself
    children = []
    for number in range(2):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                with tempfile.TemporaryDirectory() as folder:
                    triton.knobs.cache.dir = folder
                    x, out = torch.full((length,), float(number)), torch.zeros(length)
                    kernel = add_kernel[(1,)](x, x, out, length, BLOCK=128, num_warps=1)
                    good = bool((out == 2 * number).all()) and kernel.metadata.target.arch == 75
                    refused(lambda out=out: break_kernel[(1,)](out, 5), "break")
                    status = 0 if good else 2
            finally:
                os._exit(status)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0, 0]
