"""What a traced case of a right answer may ask of memory, and in which type it may add."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from learning.judge.entry import here
from learning.lens import device
from tests.judge.parity_kit import run, values

HERE = device.open()
from tests.judge import structures  # noqa: E402 (Triton is imported after the device is opened)

pytestmark = pytest.mark.skipif(HERE.kind != "interpreter", reason="kernels are traced where they are interpreted")
CELLS = [("answer", Path(structures.__file__).read_text())]


def same(x, *_):
    return x.clone()


def sums(x, *_):
    return x.sum(dim=1)


def judged(entry, *args, ask, reference=same, **options):
    """The result of a check that asks ``ask(seen)`` of the structure of ``entry(*args)``."""
    body = lambda trial: ask(trial.structure(entry, *args, reference=reference, names="x y", **options))  # noqa: E731
    return run(body, cells=CELLS)


def once(seen):
    seen.passes(x=1, out=1)


@pytest.mark.parametrize("entry", [structures.copy, structures.tuned])
def test_one_pass_is_counted_as_one_whoever_chose_the_tile(entry):
    result = judged(entry, values(500), ask=once)
    assert result.state == "passed" and result.notes == ["passes requested: x 1.00, out 1.00"]


def test_twice_the_bytes_are_told_with_the_trap_to_read():
    found = judged(structures.copy_read_twice, values(500), ask=once).finding
    assert found.rule == "structure" and found.got.startswith("2.00 passes over x: 4000 bytes of loads requested")
    assert (found.expected, found.trap) == ("at most 1", 15) and "cache may absorb" in found.advice
    accepted = judged(structures.copy_read_twice, values(500), ask=lambda seen: seen.passes(x=(1, 2), out=1))
    assert accepted.state == "passed" and "2.00 times where 1 would do" in accepted.notes[1]


def test_memory_in_between_counts():
    found = judged(structures.copy_by_way_of_scratch, values(500), ask=once).finding
    assert found.got.startswith("4000 bytes that go to memory which is neither input nor output")
    assert judged(structures.copy_by_way_of_scratch, values(500), ask=lambda seen: seen.passes(x=1, out=1, scratch=1)).state == "passed"  # fmt: skip


def test_a_copy_that_torch_made_does_not_count_as_reading():
    found = judged(structures.copy_of_a_copy, values(500), ask=once).finding
    assert found.got == "500 of the 500 elements of x that no kernel of yours loads"


def test_each_element_is_stored_once():
    x = values(500)
    x[-1] = 0.0
    assert judged(structures.copy, x, ask=lambda seen: seen.writes_once()).state == "passed"
    found = judged(structures.copy_in_overlapping_tiles, x, ask=lambda seen: seen.writes_once("out")).finding
    assert found.expected == "each element stored exactly once" and "stored twice" in found.got
    found = judged(structures.copy_all_but_a_zero, x, ask=lambda seen: seen.writes_once()).finding
    assert found.got == "1 of the 500 elements of out that no kernel stores"


@pytest.mark.parametrize(
    ("dtype", "how", "told"),
    [
        (torch.float16, "float32", ""),
        (torch.float32, "tl.sum", ""),
        (torch.float16, "tl.sum", "tl.sum with partial sums in fp16"),
        (torch.float16, "+=", "+= with partial sums in fp16"),
        (torch.bfloat16, "+=", "+= with partial sums in bf16"),
        (torch.float16, "tl.cumsum", "tl.cumsum with partial sums in fp16"),
    ],
)
def test_sums_of_zeros_and_ones_are_right_in_16_bits_and_told_all_the_same(dtype, how, told):
    x = torch.arange(256).reshape(2, 128).remainder(2).to(dtype)
    result = judged(structures.row_sums, x, how, reference=sums, exact=True, ask=lambda seen: seen.adds_in_float32())
    assert (result.finding.got if result.finding else "") == told
    assert not told or (
        result.finding.trap == 8 and "row_sums" not in result.finding.where and "line" in result.finding.where
    )


def test_a_narrow_dot_and_a_narrow_atomic_are_told_and_one_addition_is_not():
    ask = lambda seen: seen.adds_in_float32()  # noqa: E731
    a = torch.eye(16, dtype=torch.float16)
    multiplied = {"reference": lambda a, b, *_: a @ b, "exact": True, "ask": ask}
    assert judged(structures.product, a, a, **multiplied).state == "passed"
    assert judged(structures.product, a, a, True, **multiplied).finding.got == "tl.dot with partial sums in fp16"
    ones = torch.ones(128, dtype=torch.float16)
    total = judged(structures.total_by_atomics, ones, reference=lambda x: x.sum().reshape(1), exact=True, ask=ask)
    assert total.finding.got == "tl.atomic_add with partial sums in fp16"
    assert judged(structures.sum_of_two, ones[:64], ones[:64], reference=lambda x, y: x + y, ask=ask).state == "passed"


@pytest.mark.parametrize(
    ("dtype", "how", "told"),
    [
        (torch.float32, "unless told", True),
        (torch.float32, "tf32", True),
        (torch.float32, "ieee", False),
        (torch.float32, "tf32x3", False),
        (torch.float16, "unless told", False),
    ],
)
def test_a_float32_dot_left_to_tf32_is_told_though_the_values_are_right_here(dtype, how, told):
    a = torch.eye(16, dtype=dtype)
    result = judged(
        structures.product, a, a, False, how, reference=lambda a, b, *_: a @ b, exact=True,
        ask=lambda seen: seen.multiplies_in_float32(),
    )  # fmt: skip
    assert (result.state == "failed") is told, result
    assert not told or (result.finding.expected == 'input_precision="ieee"' and "line" in result.finding.where)


@pytest.mark.parametrize(
    ("arguments", "ask", "told"),
    [
        ((), {}, ""),
        ((), {"key": "n m"}, ""),
        ((), {"configs": (5, 8)}, "4 configurations of tuned_kernel"),
        ((), {"key": "n, k"}, "the key ['n', 'm'] of tuned_kernel"),
        ((True,), {}, "a grid of tuned_kernel that is fixed"),
    ],
)
def test_the_shape_of_an_autotuner(arguments, ask, told):
    fixed = values(32) if arguments else values(500)
    result = judged(structures.tuned, fixed, *arguments, ask=lambda seen: seen.autotunes(**ask))
    assert (result.finding.got if result.finding else "") == told
    assert not told or result.finding.trap == 10


def test_no_autotuner_is_told():
    found = judged(structures.copy, values(500), ask=lambda seen: seen.autotunes()).finding
    assert found.got == "no autotuner in what ran"


@pytest.mark.parametrize(("padding", "right"), [(-float("inf"), True), (-65504.0, False), (-3.0, False)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_padding_that_only_happens_to_be_harmless_meets_rows_below_it(padding, right, dtype):
    if padding == -65504.0 and dtype == torch.float16:
        right = True  # no value lies below it, and a row of it has it as its maximum
    x = values(3, 37).abs().to(dtype)
    result = judged(structures.largest, x, padding, reference=lambda x, *_: x.amax(1), exact=True,
                    ask=lambda seen: seen.padding_never_matters("x"))  # fmt: skip
    assert (result.state == "passed") is right, result.finding


def test_structure_counts_for_right_answers_that_keep_the_house_rules_alone():
    found = judged(structures.copy_read_twice, values(500), reference=lambda x: x + 1, ask=once).finding
    assert found.rule == "wrong values"
    cells = [("answer", CELLS[0][1].replace("def copied(", "import numpy\n\n\ndef copied("))]
    broken = run(lambda trial: once(trial.structure(structures.copy, values(5), reference=same)), cells=cells).finding
    assert broken.rule == "house rule"
    idle = [("answer", "import torch\n\n\ndef copy(x):\n    return torch.zeros_like(x)\n")]
    assert (
        run(lambda trial: trial.structure(lambda x: x.clone(), values(5), reference=same), cells=idle).finding
        is not None
    )


def test_on_a_gpu_machine_the_case_runs_on_cpu_copies_beside(monkeypatch):
    asked = []

    def apart(name):
        asked.append(name)
        return here(getattr(structures, name))

    x = values(40, 16).t()
    body = lambda trial: once(trial.structure(structures.copy, x, reference=same))  # noqa: E731
    result = run(body, device="cuda", cells=CELLS, resources={"apart": apart})
    assert asked == ["copy"] and result.state == "failed"  # the copy kernel reads x as if it were packed
    result = run(lambda trial: once(trial.structure(structures.copy, values(500), reference=same)), device="cuda",
                 cells=CELLS, resources={"apart": apart})  # fmt: skip
    assert (result.state, result.notes) == ("passed", ["passes requested: x 1.00, out 1.00"])


def test_copies_keep_strides_and_shared_storage():
    from learning.judge.structure import cpu

    base = values(100)
    x, y, number = cpu((base[10:90].reshape(8, 10).t(), base[5:], 3))
    assert x.stride() == (1, 10) and torch.equal(x, base[10:90].reshape(8, 10).t()) and number == 3
    assert torch.equal(y, base[5:]) and x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr()


@pytest.mark.slow
def test_a_notebooks_entry_runs_in_a_process_of_its_own():
    from learning.judge import apart

    entry = apart.entry("copy", [("imports", "import torch\nimport triton")], CELLS, ("copy",))
    try:
        called = entry.guarded((values(500),), look="traffic")
        assert called.fault is None and torch.equal(called.value, values(500))
        assert called.trace.inputs[0].passes == called.trace.outputs[0].passes == 1.0
    finally:
        apart._end()
