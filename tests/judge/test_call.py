"""One call under watch: poison, guard bands, shared memory, faults; the same here as in a worker."""

from __future__ import annotations

import gc
import textwrap

import pytest
import torch

from learning.judge import faults, torch_calls
from learning.judge.call import Foreign, guarded, invoke

FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]


def poisons(function, *args):
    return [guarded(function, args, poison=poison) for poison in (0, 1)]


@pytest.mark.parametrize(
    "allocate",
    [
        torch.empty_like,
        lambda x: torch.empty(x.shape),
        lambda x: torch.empty(*x.shape),
        lambda x: x.new_empty(x.shape),
        lambda x: torch.empty_strided((3, 4), (1, 3)),
        lambda x: torch.empty_permuted((3, 4), (1, 0)),
        lambda x: x.new_empty_strided((3, 4), (4, 1)),
    ],
)
def test_unwritten_memory_differs_between_the_poisons(allocate):
    first, second = poisons(allocate, torch.zeros(3, 4))
    assert torch.isnan(first.value).all()
    assert (second.value > 1e37).all()
    assert first.outputs[0].offset == 0 and first.outputs[0].exact_type and first.outputs[0].plain


@pytest.mark.parametrize("dtype", [*FLOATS, torch.int8, torch.int64, torch.uint8, torch.bool, torch.complex64])
def test_every_dtype_has_two_poisons_that_differ(dtype):
    first, second = (called.value for called in poisons(lambda: torch.empty(5, dtype=dtype)))
    assert first.dtype == second.dtype == dtype
    assert not torch.equal(first, second)


def test_zeros_ones_and_full_keep_their_values():
    for poison in (0, 1):
        value = guarded(lambda: (torch.zeros(3), torch.ones(3), torch.full((3,), 7.0)), (), poison=poison).value
        assert [part.tolist() for part in value] == [[0.0] * 3, [1.0] * 3, [7.0] * 3]


def test_an_allocation_keeps_what_was_asked_for():
    def allocate():
        return torch.empty((2, 3, 4, 4), memory_format=torch.channels_last, requires_grad=True), torch.empty(0, 5)

    wide, none = guarded(allocate, ()).outputs
    assert wide.strides == (48, 1, 12, 3) and wide.requires_grad
    assert none.shape == (0, 5)


@pytest.mark.parametrize(("start", "count", "words"), [(-2, 2, "8 bytes before the start"), (10, 3, "12 bytes past")])
@pytest.mark.parametrize("poison", [0, 1])
def test_a_store_outside_an_allocation_breaks_its_guard(start, count, words, poison):
    def overrun():
        out = torch.zeros(10)
        out.as_strided((count,), (1,), out.storage_offset() + start).fill_(5.0)
        return out

    (sentence,) = guarded(overrun, (), poison=poison).guards
    assert words in sentence and "float32[10] tensor made by torch.zeros" in sentence


def test_honest_writes_break_nothing():
    assert guarded(lambda x: torch.empty_like(x).copy_(x), (torch.randn(777),)).guards == []


def test_shared_memory_is_named_for_inputs_and_earlier_outputs():
    x, y = torch.randn(4), torch.randn(4)
    called = guarded(lambda x, y: (x + y, y[1:], x.view(2, 2), x), (x, y))
    assert [output.overlaps for output in called.outputs] == [[], [1], [0], [0]]
    assert [output.shares_with for output in called.outputs] == [[], [], [], [2]]
    assert called.value[3].data_ptr() != x.data_ptr()


def test_input_bytes_come_back_once_per_storage():
    base = torch.arange(6.0)

    def zero(a, b, c):
        a.zero_()
        return None

    called = guarded(zero, (base[:3], base[3:], torch.ones(2)))
    assert [len(storage) for storage in called.storages] == [24, 8]
    assert called.storages[0].view(torch.float32).tolist() == [0.0, 0.0, 0.0, 3.0, 4.0, 5.0]


def test_a_subclass_and_an_instance_override_are_told():
    class Sneaky(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            return True

        def __eq__(self, other):
            return True

    def both(x):
        plain = x + 0
        plain.equal = lambda other: True
        return x.as_subclass(Sneaky), plain

    called = guarded(both, (torch.ones(3),))
    assert [(output.exact_type, output.plain) for output in called.outputs] == [(False, True), (True, False)]
    assert all(type(part) is torch.Tensor for part in called.value)


def test_objects_that_lie_about_themselves_become_foreign_marks():
    class Everything(float):
        def __eq__(self, other):
            return True

        __hash__ = None

    value = guarded(lambda: (Everything(1.0), {"a": 1}, [1, (2.5, None)], "x"), ()).value
    assert type(value[0]) is Foreign and value[1] == Foreign("dict") and value[2:] == ([1, (2.5, None)], "x")


def test_a_value_that_contains_itself_is_a_fault():
    loop = []
    loop.append(loop)
    assert "nested" in guarded(lambda: loop, ()).fault.message


def test_torch_calls_are_named_and_torchs_own_are_not():
    def wrapper(x):
        torch.empty_like(x)
        torch.nn.functional.layer_norm(x, (3,))
        return x.contiguous()

    names = guarded(wrapper, (torch.ones(3),)).torch_calls
    assert names[0] == "torch.empty_like" and "Tensor.contiguous" in names
    told = [name for name in names if "layer_norm" in name]
    assert told == ["torch.nn.functional.layer_norm", "aten.native_layer_norm"]


def test_repeats_are_kept_apart():
    seen = []
    called = guarded(lambda x: x + len(seen) + (seen.append(1) or 0), (torch.zeros(1),), repeats=3)
    assert [called.value.item(), *(again.item() for again in called.again)] == [0.0, 1.0, 2.0]


def test_the_watch_ends_with_the_call():
    guarded(lambda: 1 / 0, ())
    assert torch.empty(4).storage_offset() == 0 and torch.zeros(4).untyped_storage().nbytes() == 16


def test_a_plain_function_is_invoked_here():
    assert invoke(lambda a, b=1: a + b, (1,), {"b": 5}).value == 6


def run(source, name="f", filename="cell.py"):
    source = textwrap.dedent(source)
    namespace: dict = {}
    exec(compile(source, filename, "exec"), namespace)
    return guarded(namespace[name], (), locate={filename: ("answer", source)}.get).fault


def test_a_fault_is_placed_at_the_learners_innermost_line():
    fault = run("import json\n\ndef g():\n    json.loads('{')\n\ndef f():\n    g()\n")
    assert (fault.type, fault.cell, fault.line, fault.text.strip()) == (
        "JSONDecodeError",
        "answer",
        4,
        "json.loads('{')",
    )


def test_a_fault_is_read_at_its_innermost_cause():
    fault = run(
        "def f():\n    try:\n        1 / 0\n    except ZeroDivisionError as e:\n        raise ValueError('x') from e\n"
    )
    assert (fault.type, fault.line) == ("ZeroDivisionError", 3)


@pytest.mark.parametrize(
    ("body", "kind", "type_"),
    [
        ("raise SystemExit(0)", "raised", "SystemExit"),
        ("raise KeyboardInterrupt", "raised", "KeyboardInterrupt"),
        ("raise MemoryError", "memory", "MemoryError"),
        ("f()", "raised", "RecursionError"),
    ],
)
def test_whatever_is_raised_becomes_a_fault(body, kind, type_):
    fault = run(f"def f():\n    {body}\n")
    assert (fault.kind, fault.type, fault.line) == (kind, type_, 2)


def test_an_exception_that_fights_back_is_still_read():
    fault = run(
        """
        class Hostile(Exception):
            def __str__(self): raise RuntimeError
            def __getattribute__(self, name): raise RuntimeError
        def f(): raise Hostile
        """
    )
    assert fault.type == "Hostile" and fault.message == ""


def test_a_compiler_error_counts_from_def_and_is_moved_into_the_cell():
    import linecache

    source = "import triton\n\n\n@triton.jit\ndef kernel(x):\n    y = x\n    return z\n"
    linecache.cache["cell.py"] = (len(source), None, source.splitlines(True), "cell.py")

    class CompilationError(Exception):
        src = "def kernel(x):\n    y = x\n    return z\n"
        node = type("Node", (), {"lineno": 3, "col_offset": 0})()
        error_message = "z is not defined"

    fault = faults.read(CompilationError("long"), {"cell.py": ("answer", source)}.get)
    assert (fault.line, fault.text, fault.message) == (7, "    return z", "z is not defined")


def test_what_triton_adds_for_a_wrapper_is_the_wrappers_call():
    constexpr = pytest.importorskip("triton.language").constexpr
    called = guarded(lambda x: (constexpr(x) + constexpr(x)).value, (torch.ones(3),))
    assert "Tensor.add" in called.torch_calls or "Tensor.__add__" in called.torch_calls


def test_a_traced_graph_hides_no_operator():
    traced = torch.jit.trace(lambda a: a + a, (torch.ones(3),))
    assert "aten.add" in guarded(traced, (torch.ones(3),)).torch_calls


def test_a_fill_with_a_tensors_value_is_a_copy_and_with_a_number_none():
    called = guarded(lambda x: torch.empty(2).fill_(x[0]), (torch.ones(3),))
    assert "Tensor.copy_" in called.torch_calls
    assert "Tensor.copy_" not in guarded(lambda x: torch.empty(2).fill_(1.0), (torch.ones(3),)).torch_calls


def test_whoever_has_torch_write_all_values_is_told_and_a_print_is_not():
    values, much = torch.ones(900), "Tensor.__repr__ of thousands of values"
    assert much not in guarded(lambda x: repr(x), (values,)).torch_calls
    assert much in guarded(lambda x: [repr(x) for _ in range(9)], (values,)).torch_calls


def test_a_subclass_at_work_is_told():
    class Quiet(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
            return torch.ones(1) + torch.ones(1)

    lazy = torch.Tensor._make_subclass(Quiet, torch.ones(1))
    assert torch_calls.SUBCLASS in guarded(lambda x: lazy.new_empty(1), (torch.ones(1),)).torch_calls
    plain = torch.nn.Parameter(torch.ones(1))
    assert torch_calls.SUBCLASS not in guarded(lambda x: plain.new_empty(1), (torch.ones(1),)).torch_calls


def test_nothing_is_collected_between_the_call_and_the_copy_of_its_result():
    gc.enable()
    inside = guarded(lambda: gc.isenabled(), ())
    assert inside.value is True and gc.isenabled()
    assert guarded(lambda: 1 / 0, ()).fault is not None and gc.isenabled()


def test_a_gather_is_no_view_and_a_slice_is():
    names = guarded(lambda x: x[[2, 0, 1]], (torch.arange(3.0),)).torch_calls
    assert "aten.index" in names
    names = guarded(lambda x: x[1:].view(1, 2).t().copy_(x[1:, None]), (torch.arange(3.0),)).torch_calls
    assert not [name for name in names if name.startswith("aten.")]


def test_a_caller_is_told_by_its_file_not_by_its_modules_name():
    space = {"__name__": "triton.mine"}
    exec("def plus(x):\n    return x + x", space)
    assert "Tensor.add" in guarded(space["plus"], (torch.ones(3),)).torch_calls
