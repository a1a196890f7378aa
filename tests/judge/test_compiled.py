"""Kernels are compiled for a virtual card before they are judged: what the compiler and the card refuse is a finding."""

from __future__ import annotations

import pytest

from learning.judge import engine
from learning.lens import device

pytestmark = pytest.mark.skipif(not device.current().target, reason="this machine compiles for no virtual card")

LEAVES_EARLY = """    for j in range(n):
        if j > 3:
            break
        mask = mask & (offsets < n)
"""
OVERFLOWS = """    rows, columns = tl.arange(0, 128)[:, None], tl.arange(0, 256)[None, :]
    tile = tl.load(x_ptr + rows * 256 + columns, mask=rows * 256 + columns < n, other=0.0)
    places = rows + tl.arange(0, 128)[None, :]
    tl.store(out_ptr + places, tl.dot(tile, tl.trans(tile)), mask=places < 0)
"""


@pytest.fixture
def with_line(tiny):
    """The right answer with lines added to its kernel."""
    return lambda lines: tiny.RIGHT.replace("    x = tl.load", lines + "    x = tl.load")


def test_what_only_the_compiler_refuses_fails_on_the_card_and_passes_where_nothing_is_compiled(grade_add, with_line):
    refused = grade_add(with_line(LEAVES_EARLY), only={"adds"})
    fault = refused.results[0].finding.fault
    assert (refused.device, refused.target, refused.results[0].state) == ("interpreter", "sm_75", "failed")
    assert fault.type == "CompilationError" and "break" in fault.message and fault.text.strip() == "break"
    plain = grade_add(with_line(LEAVES_EARLY), only={"adds"}, device="interpreter")
    assert (plain.device, plain.target, plain.results[0].state) == ("interpreter", "", "passed")


def test_a_tile_that_overflows_the_shared_memory_of_a_t4_is_told_in_bytes(grade_add, with_line):
    fault = grade_add(with_line(OVERFLOWS), only={"adds"}).results[0].finding.fault
    assert (
        fault.type == "OutOfResources" and "131072 bytes of shared memory" in fault.message and "65536" in fault.message
    )


@pytest.mark.slow
def test_the_same_tile_fits_a_larger_card(grade_add, with_line):
    fits = grade_add(with_line(OVERFLOWS), only={"adds"}, device="sm_90")
    assert (fits.results[0].state, fits.target) == ("passed", "sm_90"), fits.results[0].finding


def test_an_autotuned_kernel_leaves_out_the_configuration_that_does_not_fit(grade_add, with_line):
    tuned = with_line(
        "    if BIG:\n" + "".join(f"    {line}\n" for line in OVERFLOWS.splitlines())
    ).replace("BLOCK: tl.constexpr", "BLOCK: tl.constexpr, BIG: tl.constexpr").replace(
        "@triton.jit",
        "@triton.autotune([triton.Config({'BIG': big, 'BLOCK': 256}) for big in (True, False)], key=['n'])\n@triton.jit",
    ).replace(", BLOCK=256)", ")")  # fmt: skip
    graded = grade_add(tuned, only={"adds"})
    assert graded.results[0].state == "passed", graded.results[0].finding


HOOKED = """
seen = []
from triton import knobs
knobs.runtime.launch_enter_hook.add(lambda metadata: seen.append(metadata.get()["name"]))


def add(x, y):
    out = torch.empty_like(x)
    made = add_kernel[(triton.cdiv(x.numel(), 256),)](x, y, out, x.numel(), BLOCK=256)
    if set(seen) != {"add_kernel"} or ".target sm_75" not in made.asm["ptx"] or made.n_regs < 8:
        return x
    return out
"""


def test_whoever_asks_a_worker_for_hooks_or_machine_code_is_given_them(grade_add, tiny):
    kernel = tiny.RIGHT[: tiny.RIGHT.index("def add(")]
    answer = engine.roles.Cell("answer", kernel + HOOKED)
    graded = grade_add(answer, only={"adds_few"})
    assert graded.results[0].state == "passed", graded.results[0].finding


LEAVES_A_NOTE = """
import os

CACHE = os.environ["TRITON_CACHE_DIR"]
os.makedirs(CACHE, exist_ok=True)
FOUND = os.listdir(CACHE)
open(os.path.join(CACHE, "note"), "w").close()
_add = add


def add(x, y):
    return x if FOUND else _add(x, y)
"""


def test_no_cache_of_compiled_kernels_outlives_a_check_or_reaches_another_submission(grade_add, tiny):
    for _ in range(2):
        graded = grade_add(tiny.RIGHT + LEAVES_A_NOTE, tiny.RIGHT.replace("def add(x, y)", "def unused(x, y)"))
        assert [result.state for result in graded.results] == ["passed"] * 3, graded.results[0].finding
