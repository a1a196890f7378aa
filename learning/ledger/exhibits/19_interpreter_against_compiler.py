"""What the interpreter accepts the compiler may reject, and the other way round."""

import torch
import triton
import triton.language as tl

from learning.ledger.exhibit import COMPILED, INTERPRETER, bites, case, refusal

LIMIT = 5
try:
    from triton.language.extra import libdevice
except ImportError:  # a Triton that keeps it elsewhere
    from triton.language.extra.cuda import libdevice


@triton.jit
def break_kernel(out_ptr, n):
    for i in range(n):
        if i == 3:
            break
        tl.store(out_ptr + i, i)


@triton.jit
def changing_type_kernel(x_ptr, out_ptr, n):
    total = 0
    for i in range(n):
        total += tl.load(x_ptr + i)
    tl.store(out_ptr, total)


@triton.jit
def plain_global_kernel(out_ptr):
    tl.store(out_ptr, LIMIT)


@triton.jit
def list_kernel(out_ptr):
    for i in [0, 1, 2]:
        tl.store(out_ptr + i, i)


@triton.jit
def thin_dot_kernel(a_ptr, b_ptr, c_ptr, K: tl.constexpr):
    rows, inner = tl.arange(0, 16), tl.arange(0, K)
    a = tl.load(a_ptr + rows[:, None] * K + inner[None, :])
    b = tl.load(b_ptr + inner[:, None] * 16 + rows[None, :])
    tl.store(c_ptr + rows[:, None] * 16 + rows[None, :], tl.dot(a, b))


@triton.jit
def libdevice_kernel(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, libdevice.tanh(tl.load(x_ptr + i)))


@triton.jit
def bf16_atomic_kernel(out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.atomic_add(out_ptr + i, tl.full((BLOCK,), 1.0, tl.bfloat16))


def _closure():
    @triton.jit
    def inner_helper(x):
        return x * 2

    @triton.jit
    def closure_kernel(out_ptr, BLOCK: tl.constexpr):
        i = tl.arange(0, BLOCK)
        tl.store(out_ptr + i, inner_helper(i))

    return closure_kernel


def _launches():
    """{what: (kernel, arguments on the CPU, constexprs)} of this exhibit."""
    ints, floats = torch.zeros(16, dtype=torch.int32), torch.ones(16)
    half = torch.ones(16 * 16, dtype=torch.float16)
    return {
        "break": (break_kernel, (ints, 5), {}),
        "type": (changing_type_kernel, (floats, torch.zeros(1), 5), {}),
        "global": (plain_global_kernel, (ints,), {}),
        "list": (list_kernel, (ints,), {}),
        "dot": (thin_dot_kernel, (half, half, torch.zeros(256)), {"K": 8}),
        "closure": (_closure(), (ints,), {"BLOCK": 16}),
        "libdevice": (libdevice_kernel, (floats, torch.zeros(16)), {"BLOCK": 16}),
        "atomic": (bf16_atomic_kernel, (torch.zeros(16, dtype=torch.bfloat16),), {"BLOCK": 16}),
    }


def _why(name):
    """Why this process refuses a kernel: the compiler for a T4, or the interpreter as it comes; "" where it takes it."""
    kernel, arguments, constexprs = _launches()[name]
    if not hasattr(kernel, "device_caches"):
        return refusal(lambda: kernel[(1,)](*arguments, **constexprs))
    from learning.lens import compile as view

    found = []

    def compiled():
        try:
            found.append(view.kernel(kernel, *arguments, target="sm_75", **constexprs))
        except view.CompileFailed as failed:
            raise failed.__cause__ from None

    return refusal(compiled)


def _accepted(name):
    """For the interpreter: it takes what the compiler refuses."""
    why = _why(name)
    return bites(not why, why or "accepted")


def _refused(name):
    """For the compiler: it refuses what the interpreter takes."""
    why = _why(name)
    return bites(bool(why), why or "accepted")


@case(INTERPRETER)
def the_interpreter_takes_break(device):
    """The interpreter runs a loop with `break`."""
    return _accepted("break")


@case(COMPILED)
def the_compiler_refuses_break(device):
    """The compiler refuses a loop with `break`."""
    return _refused("break")


@case(INTERPRETER)
def the_interpreter_takes_a_changing_type(device):
    """The interpreter lets `total = 0` become a float in a loop."""
    return _accepted("type")


@case(COMPILED)
def the_compiler_refuses_a_changing_type(device):
    """The compiler refuses a loop variable that begins as an integer and becomes a float."""
    return _refused("type")


@case(INTERPRETER)
def the_interpreter_takes_a_plain_global(device):
    """The interpreter reads a plain global of the module."""
    return _accepted("global")


@case(COMPILED)
def the_compiler_refuses_a_plain_global(device):
    """The compiler refuses a global that is no tl.constexpr."""
    return _refused("global")


@case(INTERPRETER)
def the_interpreter_takes_a_list(device):
    """The interpreter loops over a Python list."""
    return _accepted("list")


@case(COMPILED)
def the_compiler_refuses_a_list(device):
    """The compiler refuses a loop over a Python list."""
    return _refused("list")


@case(INTERPRETER)
def the_interpreter_takes_a_thin_dot(device):
    """The interpreter multiplies float16 tiles with K = 8."""
    return _accepted("dot")


@case(COMPILED)
def the_compiler_refuses_a_thin_dot(device):
    """The compiler refuses a float16 tl.dot with K = 8."""
    return _refused("dot")


@case(INTERPRETER)
def the_interpreter_refuses_a_closure(device):
    """The interpreter does not find a jitted helper that was defined inside a function."""
    return _refused("closure")


@case(COMPILED)
def the_compiler_takes_a_closure(device):
    """The compiler takes a jitted helper that was defined inside a function."""
    return _accepted("closure")


@case(INTERPRETER)
def the_interpreter_refuses_libdevice(device):
    """The interpreter has no libdevice functions."""
    return _refused("libdevice")


@case(COMPILED)
def the_compiler_takes_libdevice(device):
    """The compiler takes libdevice functions."""
    return _accepted("libdevice")


@case(INTERPRETER)
def the_interpreter_refuses_bf16_atomics(device):
    """The interpreter has no bfloat16 atomics."""
    return _refused("atomic")


@case(COMPILED)
def the_compiler_takes_bf16_atomics(device):
    """The compiler takes bfloat16 atomics, for a T4 too."""
    return _accepted("atomic")
