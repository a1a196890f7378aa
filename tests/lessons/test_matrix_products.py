"""L4's and L5's own promises: what they refuse, their numbers computed again, what the compiler says, their tuned versions."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from learning import attempts, lesson
from learning.judge.finding import PASSED, WAITING
from learning.lens import rehearsal
from tests.lessons.compiling import ran

HERE = Path(__file__).parent
CARDS = {slug: lesson.find(slug) for slug in ("matmul", "gated_mlp")}
TEXT = {slug: (card.folder / "lesson.md").read_text(encoding="utf-8") for slug, card in CARDS.items()}
T4, H200, T4_FLOPS, H200_FLOPS = 320e9, 4.24e12, 8.1e12, 663e12
SQUARE, WEIGHT = 4096 * 4096 * 2, 11008 * 4096 * 2


def tiles_of(down, across):
    """Bytes requested by tiles of down × across at 4096 cubed in fp16, the result included."""
    return (4096 / across + 4096 / down + 1) * SQUARE


def gated(tokens, fused):
    """Bytes that H 4096, I 11008 in fp16 move: one kernel, or four lines of eager code."""
    x, made = tokens * 4096 * 2, tokens * 11008 * 2
    return x + 2 * WEIGHT + made if fused else 2 * (x + WEIGHT + made) + 2 * made + 3 * made


CLAIMS = [
    ("matmul", "three matrices of 33.6 MB", 33.6, round(SQUARE / 1e6, 1)),
    ("matmul", "137.4 · 10⁹ operations", 137.4, round(2 * 4096**3 / 1e9, 1)),
    ("matmul", "274.9 GB | at least 859 ms | at least 64.8 ms", 64.8, round(tiles_of(1, 1) / H200 * 1e3, 1)),
    ("matmul", "274.9 GB | at least 859 ms", 859, round(tiles_of(1, 1) / T4 * 1e3)),
    ("matmul", "17.2 GB, 53.8 ms, 4.06 ms", 53.8, round(tiles_of(16, 16) / T4 * 1e3, 1)),
    ("matmul", "17.2 GB, 53.8 ms, 4.06 ms", 4.06, round(tiles_of(16, 16) / H200 * 1e3, 2)),
    ("matmul", "4.33 GB, 13.5 ms, 1.02 ms", 13.5, round(tiles_of(64, 64) / T4 * 1e3, 1)),
    ("matmul", "4.33 GB, 13.5 ms, 1.02 ms", 1.02, round(tiles_of(64, 64) / H200 * 1e3, 2)),
    ("matmul", "1.64 GB, 5.14 ms, 0.388 ms", 5.14, round(tiles_of(128, 256) / T4 * 1e3, 2)),
    ("matmul", "1.64 GB, 5.14 ms, 0.388 ms", 0.388, round(tiles_of(128, 256) / H200 * 1e3, 3)),
    ("matmul", "100.7 MB | at least 0.315 ms | at least 0.0237 ms", 0.0237, round(3 * SQUARE / H200 * 1e3, 4)),
    ("matmul", "take at least **17.0 ms**", 17.0, round(2 * 4096**3 / T4_FLOPS * 1e3, 1)),
    ("matmul", "which makes **0.207 ms**", 0.207, round(2 * 4096**3 / H200_FLOPS * 1e3, 3)),
    ("matmul", "five times as much memory time", 5, round(tiles_of(64, 64) / H200 / (2 * 4096**3 / H200_FLOPS))),
    ("matmul", "256 FMA a thread", 256, 32**3 // 128),
    ("matmul", "keeps 256 FMA a thread from becoming 8192", 8192, 128 * 256 * 64 // 256),
    ("matmul", "3.88 on average, so at best 97 %", 3.88, round(512 / 132, 2)),
    ("matmul", "so at best 97 %", 97, round(100 * 512 / 132 / 4)),
    ("matmul", "2.1 · 10⁹ operations, which", 2.1, round(2 * 512 * 2048 * 1024 / 1e9, 1)),
    ("matmul", "could do in 3.2 µs", 3.2, round(2 * 512 * 2048 * 1024 / H200_FLOPS * 1e6, 1)),
    ("gated_mlp", "Both weights are 180.4 MB", 180.4, round(2 * WEIGHT / 1e6, 1)),
    ("gated_mlp", "A weight is 90.2 MB", 90.2, round(WEIGHT / 1e6, 1)),
    ("gated_mlp", "(92.1, 92.1, 2.8 and 4.2: 191.3 MB. One kernel: 182.3 MB.)", 191.3, round(gated(64, False) / 1e6, 1)),
    ("gated_mlp", "One kernel: 182.3 MB", 182.3, round(gated(64, True) / 1e6, 1)),
    ("gated_mlp", "191.3 MB | at least 598 µs | at least 45.1 µs", 598, round(gated(64, False) / T4 * 1e6)),
    ("gated_mlp", "191.3 MB | at least 598 µs | at least 45.1 µs", 45.1, round(gated(64, False) / H200 * 1e6, 1)),
    ("gated_mlp", "182.3 MB | at least 570 µs | at least 43.0 µs", 570, round(gated(64, True) / T4 * 1e6)),
    ("gated_mlp", "182.3 MB | at least 570 µs | at least 43.0 µs", 43.0, round(gated(64, True) / H200 * 1e6, 1)),
    ("gated_mlp", "it would be 878.7 MB against 304.1", 878.7, round(gated(4096, False) / 1e6, 1)),
    ("gated_mlp", "878.7 MB against 304.1", 304.1, round(gated(4096, True) / 1e6, 1)),
    ("gated_mlp", "is 739 · 10⁹", 739, round(4 * 4096 * 4096 * 11008 / 1e9)),
    ("gated_mlp", "1.11 ms, against 0.21 ms", 1.11, round(4 * 4096 * 4096 * 11008 / H200_FLOPS * 1e3, 2)),
    ("gated_mlp", "1.11 ms, against 0.21 ms", 0.21, round(gated(4096, False) / H200 * 1e3, 2)),
    ("gated_mlp", "tensor cores of the H200 did 156", 156, round(H200_FLOPS / H200)),
    ("gated_mlp", "some 25 operations for every byte", 25, round(T4_FLOPS / T4)),
]  # fmt: skip


@pytest.mark.parametrize(("slug", "sentence", "number", "recomputed"), CLAIMS)
def test_a_number_in_the_text_is_the_number_computed(slug, sentence, number, recomputed):
    assert sentence in TEXT[slug]
    assert number == recomputed


@pytest.mark.parametrize("slug", CARDS)
def test_no_time_of_ours_is_claimed_and_the_measured_rates_name_their_machine(slug):
    assert "what an H200 took stands in docs/reference-results.md" in TEXT[slug]
    assert "H200" in TEXT[slug] and "torch 2.11" in TEXT[slug]


CASES = {
    "matmul": (4, [64, 64], 9184, {"a": 2, "b": 2, "out": 1}, {"99,71": 40.0 * 99 * 71}),
    "gated_mlp": (6, [32, 32], 3264, {"x": 3, "w_gate": 2, "w_up": 2, "out": 1}, {"39,71": 24.0 * 24 * 71}),
}


@pytest.mark.parametrize("slug", CASES)
def test_the_supplied_answer_meets_the_predictions_that_are_right(slug):
    programs, tile, masked, passes, output = CASES[slug]
    source = attempts.answer(CARDS[slug]).source
    seen = rehearsal.run(CARDS[slug].folder, source, CARDS[slug].entries, outputs=list(output))
    (launch,) = seen["launches"]
    assert launch["programs"] == programs and launch["tile"] == tile
    tensors = seen["tensors"]
    assert {name: tensors[name]["load_passes"] + tensors[name]["store_passes"] for name in passes} == passes
    assert tensors["out"]["masked_stores"] == masked
    assert seen["output"] == output and seen["problems"] == []


@pytest.fixture(scope="module")
def here():
    from learning.lens import device

    return device.current().torch_device


def matrices(torch, here, *shapes, **options):
    return [torch.zeros(shape, device=here, **options) for shape in shapes]


REFUSED = [
    ("matmul", lambda t, h: (3.0, *matrices(t, h, (2, 2))), "a must be a torch.Tensor"),
    ("matmul", lambda t, h: matrices(t, h, (2, 3), (2, 3)), "b must have shape \\[K, N\\] with K = 3"),
    ("matmul", lambda t, h: matrices(t, h, (2, 3), (3,)), "rank 2"),
    ("matmul", lambda t, h: (t.zeros(3, 2, device=h).t(), *matrices(t, h, (3, 2))), "a must be contiguous"),
    ("matmul", lambda t, h: (*matrices(t, h, (2, 3)), t.zeros(3, 2, device=h, dtype=t.float16)), "the dtype of a"),
    ("matmul", lambda t, h: matrices(t, h, (2**16, 0), (0, 2**15)), "2\\*\\*31 - 1"),
    ("gated_mlp", lambda t, h: matrices(t, h, (2, 3), (4, 3), (5, 3)), "w_up must have shape \\[I, H\\] with I = 4"),
    ("gated_mlp", lambda t, h: matrices(t, h, (2, 3), (4, 2), (4, 2)), "w_gate must have shape \\[I, H\\] with H = 3"),
    ("gated_mlp", lambda t, h: (*matrices(t, h, (2, 3), (4, 3)), t.zeros(3, 4, device=h).t()), "w_up must be contiguous"),
    ("gated_mlp", lambda t, h: matrices(t, h, (2**16, 0), (2**15, 0), (2**15, 0)), "2\\*\\*31 - 1"),
    ("gated_mlp", lambda t, h: (t.zeros(1, 3, device=h, requires_grad=True), *matrices(t, h, (4, 3), (4, 3))), "gradient"),
]  # fmt: skip


@pytest.mark.parametrize(("slug", "make", "words"), REFUSED)
@pytest.mark.parametrize("which", ["the entry", "tuned"])
def test_the_answer_refuses_what_the_contract_excludes(slug, make, words, which, here):
    import importlib

    import torch

    answer = importlib.import_module(f"learning.lessons.{slug}.answer")
    entry = answer.tuned if which == "tuned" else getattr(answer, slug)
    with pytest.raises((TypeError, ValueError), match=words):
        entry(*make(torch, here))


@pytest.mark.slow
@pytest.mark.parametrize("slug", CARDS)
def test_the_tuned_version_passes_the_same_checks(slug, grade):
    parameters = {"matmul": "a, b", "gated_mlp": "x, w_gate, w_up"}[slug]
    source = attempts.answer(CARDS[slug]).source
    source += f"\n\n\ndef {slug}({parameters}):\n    return tuned({parameters})\n"
    graded = grade(CARDS[slug], source)
    wrong = [result for result in graded.results if result.state not in (PASSED, WAITING) and not result.needs_gpu]
    assert not wrong, [result.finding.sentence() for result in wrong]


COMPILED = """
import json, sys
sys.path.insert(0, {here!r})
import torch, cross_compile
from learning import lesson

capability, made = int(sys.argv[1]), []
torch.cuda.is_available, torch.cuda.get_device_capability = lambda: True, lambda *_: divmod(capability, 10)
for slug in ("matmul", "gated_mlp"):
    answer = cross_compile.load(lesson.find(slug).folder / "answer.py")
    for dtype in cross_compile.DTYPES:
        x, n = torch.empty(256, 256, dtype=dtype), 256
        args = (x, x, x, n, n, n) if slug == "matmul" else (x, x, x, x, n, n, n, n, 1, 1, n)
        group = {{"GROUP": 8}} if slug == "matmul" else {{}}
        given = {{"a_ptr": x, "x_ptr": x, "n_rows": n}}
        configs = answer.tiles()
        assert 4 <= len(configs) <= 8
        for config in answer.worth_trying(configs, given):
            launch = (answer.tuned_kernel.fn, args, {{**group, **config.all_kwargs()}})
            made += [cross_compile.assembled(kernel) for kernel in cross_compile.compiled([launch], capability)]
print(json.dumps(made))
"""


def compiled(tmp_path, script, *arguments):
    """What a script prints as JSON, with a compiler cache of its own."""
    pytest.importorskip("triton")
    return json.loads(ran(tmp_path, script.format(here=str(HERE)), *arguments))


@pytest.mark.slow
@pytest.mark.parametrize(("capability", "shared"), [("75", 64 << 10), ("90", 227 << 10)])
def test_every_configuration_of_the_tuned_versions_fits_its_card(tmp_path, capability, shared):
    kernels = compiled(tmp_path, COMPILED, capability)
    assert len(kernels) >= 2 * 3 * 2
    assert [kernel for kernel in kernels if kernel["spilled"] or kernel["shared"] > shared] == []


def cell(slug, name):
    """The text of a fence of the lesson."""
    return TEXT[slug].split(f'name="{name}"')[1].split("\n", 1)[1].split("\n```")[0]


def printed(tmp_path, *cells):
    """What cells of a lesson print on a virtual T4, run as they stand."""
    opening = "import torch\nfrom learning.lens import device\n\nDEVICE = device.open('t4').torch_device\nimport triton\nimport triton.language as tl\n"
    file = tmp_path / "cells.py"
    file.write_text("\n\n".join([opening, *cells]), encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment |= {"TRITON_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(HERE.parent.parent)}
    done = subprocess.run([sys.executable, file], env=environment, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def old():
    """Whether this Triton still has block pointers."""
    triton = pytest.importorskip("triton")
    return [int(part) for part in triton.__version__.split(".")[:2]] < [3, 9]


@pytest.mark.slow
def test_the_exhibits_of_l4_show_what_its_text_says(tmp_path, old):
    names = (
        "without_an_end",
        "what_multiplies",
        "three_ways",
        "descriptor_limits",
        "order_and_boundary_check",
        "tile_order",
    )
    said = printed(tmp_path, *(cell("matmul", name) for name in names))
    assert "the sum of 40 ones: 840.0" in said
    rows = {line[:16].strip(): line for line in said.splitlines() if line.startswith(("float16", "float32"))}
    assert rows["float16 ieee"].count("FMA (256 instructions)") == 1 and rows["float16 ieee"].count("mma.sync") == 2
    assert rows["float32 tf32"].count("FMA (256 instructions)") == 1 and rows["float32 tf32"].count("mma.sync") == 2
    assert rows["float32 ieee"].count("FMA (256 instructions)") == 3
    assert "by pointers:       equal to x" in said and "by descriptors:    equal to x" in said
    assert ("by block pointers: equal to x" in said) == old and ("not in this version" in said) == (not old)
    assert "padding '-inf': refused" in said and said.count(", 20 bytes: refused") == 1 and "late: refused" in said
    assert "[ 1.,  2.,  3.,  4.,  0.,  0.,  0.,  0.]" in said and "[nan, nan, nan, nan, nan, nan, nan, nan]" in said
    if old:
        assert "orders (1, 0) and (0, 1) give the same instructions" in said
        assert "left out      0 comparisons" in said and "on both axes  5 comparisons" in said
    else:
        assert "Not here" in said
    assert (
        "1 tile rows of a + 64 tile columns of b = 65" in said
        and "8 tile rows of a +  8 tile columns of b = 16" in said
    )


@pytest.mark.slow
def test_the_exhibits_of_l5_show_what_its_text_says(tmp_path):
    names = ("three_ways_to_write_silu", "what_silu_costs", "guessed_strides", "roundings")
    said = printed(tmp_path, *(cell("gated_mlp", name) for name in names))
    lines = {line[:12].strip(): line for line in said.splitlines()}
    assert "nan" in lines["gate   89.0:"] and "nan" not in lines["gate   88.0:"]
    counted = [int(lines[name].split("mul")[0].split()[-1]) for name in ("by_sigmoid", "by_division")]
    assert counted[0] == counted[1] + 1
    four, once = (float(line.split()[-2]) for line in said.splitlines() if line.startswith("rounded"))
    assert 1.7 < four / once < 2.7
