"""I3's own promises: its numbers computed again, what its exhibits show, what the compiler says, its tuned version."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from learning import attempts, lesson
from learning.judge.finding import PASSED, WAITING
from learning.lens import rehearsal
from learning.widgets.orders import needed, place
from tests.lessons.compiling import ran

HERE = Path(__file__).parent
CARD = lesson.find("fused_gemm")
TEXT = (CARD.folder / "lesson.md").read_text(encoding="utf-8")
T4, H200, T4_FLOPS, H200_FLOPS = 320e9, 4.24e12, 8.1e12, 663e12
RESULT, SMALL, WORK = 4096 * 4096 * 2, 512 * 1024 * 2, 2 * 4096**3


def moved(together, group):
    """Bytes that crowds of ``together`` programs need at 4096 cubed in tiles of 64 × 64, nothing kept between them."""
    return sum(needed(64, 64, together, group)) * 64 * 4096 * 2 * 4096 / together


CLAIMS = [
    ("| one kernel | 1 | 33.6 MB | at least 105 µs | at least 7.9 µs |", 33.6, round(RESULT / 1e6, 1)),
    ("| one kernel | 1 | 33.6 MB | at least 105 µs | at least 7.9 µs |", 105, round(RESULT / T4 * 1e6)),
    ("| one kernel | 1 | 33.6 MB | at least 105 µs | at least 7.9 µs |", 7.9, round(RESULT / H200 * 1e6, 1)),
    ("(5 crossings, 167.8 MB, 524 and 39.6 µs.)", 167.8, round(5 * RESULT / 1e6, 1)),
    ("(5 crossings, 167.8 MB, 524 and 39.6 µs.)", 524, round(5 * RESULT / T4 * 1e6)),
    ("(5 crossings, 167.8 MB, 524 and 39.6 µs.)", 39.6, round(5 * RESULT / H200 * 1e6, 1)),
    ("So fusing saves 134.2 MB, 31.7 µs", 134.2, round(4 * RESULT / 1e6, 1)),
    ("So fusing saves 134.2 MB, 31.7 µs", 31.7, round(4 * RESULT / H200 * 1e6, 1)),
    ("137.4 · 10⁹ operations take at least 17.0 ms", 137.4, round(WORK / 1e9, 1)),
    ("137.4 · 10⁹ operations take at least 17.0 ms", 17.0, round(WORK / T4_FLOPS * 1e3, 1)),
    ("and 207 µs at the rate of 663 · 10¹² a second", 207, round(WORK / H200_FLOPS * 1e6)),
    ("on the H200 it is 15 percent of it", 15, round(100 * 4 * RESULT / H200 / (WORK / H200_FLOPS))),
    ("against 3.2 µs of arithmetic", 3.2, round(2 * 512 * 2048 * 1024 / H200_FLOPS * 1e6, 1)),
    ("(4.2 MB, 1.0 µs; two launches.)", 4.2, round(4 * SMALL / 1e6, 1)),
    ("(4.2 MB, 1.0 µs; two launches.)", 1.0, round(4 * SMALL / H200 * 1e6, 1)),
    ("is 64 × 4096 numbers, 0.52 MB", 0.52, round(64 * 4096 * 2 / 1e6, 2)),
    ("1.77 GB or 0.48 on the T4", 1.77, round(moved(80, 1) / 1e9, 2)),
    ("1.77 GB or 0.48 on the T4", 0.48, round(moved(80, 8) / 1e9, 2)),
    ("5.5 ms or 1.5 at 320 GB/s", 5.5, round(moved(80, 1) / T4 * 1e3, 1)),
    ("5.5 ms or 1.5 at 320 GB/s", 1.5, round(moved(80, 8) / T4 * 1e3, 1)),
    ("On an H200 561 MB are 132 µs and 334 are 79", 561, round(moved(264, 1) / 1e6)),
    ("On an H200 561 MB are 132 µs and 334 are 79", 132, round(moved(264, 1) / H200 * 1e6)),
    ("On an H200 561 MB are 132 µs and 334 are 79", 334, round(moved(264, 8) / 1e6)),
    ("On an H200 561 MB are 132 µs and 334 are 79", 79, round(moved(264, 8) / H200 * 1e6)),
    ("Requested are 4.33 GB in every row", 4.33, round((64 + 64 + 1) * RESULT / 1e9, 2)),
    ("b is requested 4096 / tile_m times, 256, 128 or 64", 256, 4096 // 16),
    ("Set the number beside 64 · 64 · 16 / 256", 256, 64 * 64 * 16 // 256),
    ("At 4096 cubed there are 512 tiles of 128 × 256", 512, 4096 // 128 * (4096 // 256)),
    ("With 132 programs, 116 of them take 4 and 16 take 3", 116, 512 - 3 * 132),
    ("in fp16 passes through 64 KiB of shared memory", 64, 128 * 256 * 2 >> 10),
    ("beside it, 48 KiB each", 48, (128 * 64 + 64 * 256) * 2 >> 10),
    ("three of them and the result are 208 KiB", 208, 3 * 48 + 64),
]  # fmt: skip


@pytest.mark.parametrize(("sentence", "number", "recomputed"), CLAIMS)
def test_a_number_in_the_text_is_the_number_computed(sentence, number, recomputed):
    assert sentence in TEXT
    assert number == recomputed


def test_the_counts_of_bands_are_those_of_text_and_model_answer():
    told = (CARD.folder / "explanation.md").read_text(encoding="utf-8")
    assert [needed(8, 8, 16, group) for group in (1, 4, 8)] == [
        (2, 8),
        (4, 4),
        (8, 2),
    ] and "2 + 8, 4 + 4, 8 + 2" in TEXT
    assert [sum(needed(64, 64, 80, group)) for group in (1, 4, 8)] == [66, 24, 18] and "it is 66, 24 and 18" in told
    assert sum(needed(64, 64, 264, 4)) > sum(needed(64, 64, 264, 1)) and "bands of 4 do worse than bands of 1" in TEXT
    assert place(34, 6, 8, 4) == (4, 1) and "34 is place 2 of a band of 2 tile rows" in told


def test_no_time_of_ours_is_claimed_and_the_measured_rates_name_their_machine():
    assert "what an H200 took stands in docs/reference-results.md" in TEXT
    assert "that cuBLAS reached in fp16 on that H200 (torch 2.11)" in TEXT


def test_the_supplied_answer_meets_the_predictions_that_are_right():
    """Six programs, downwards first: program 1 owns the tile below program 0's, program 3 the first of the second column."""
    source = 'DEVICE = "cpu"\n' + attempts.answer(CARD).source
    seen = rehearsal.run(CARD.folder, source, CARD.entries, outputs=["0,71", "1,71", "148,10"])
    (launch,), tensors = seen["launches"], seen["tensors"]
    assert launch["programs"] == 6 and launch["tile"] == [64, 64] and launch["constexprs"]["GROUP_M"] == 8
    passes = {n: tensors[n]["load_passes"] + tensors[n]["store_passes"] for n in ("a", "b", "bias", "out")}
    assert passes == {"a": 2, "b": 3, "bias": 3, "out": 1}
    assert tensors["out"]["masked_stores"] == 6 * 64 * 64 - 150 * 72 and tensors["bias"]["others"] == [0.0]
    assert seen["output"] == {"0,71": 61.0, "1,71": 0.0, "148,10": 0.0} and seen["problems"] == []
    assert [place(number, 3, 2, 8) for number in (1, 3)] == [(1, 0), (0, 1)]


@pytest.fixture
def answer():
    """The supplied answer as a module, set up as a notebook sets it up."""
    from learning.lens import device
    from learning.lessons.fused_gemm import answer

    answer.DEVICE = device.current().torch_device
    return answer


def test_the_tuned_version_refuses_what_the_contract_excludes(answer):
    import torch

    a, b, bias = (torch.zeros(shape, dtype=torch.float16, device=answer.DEVICE) for shape in ((2, 3), (3, 4), (4,)))
    for given, options, words in (
        ((a, b, bias[:3]), {}, "bias must have shape"),
        ((a.float(), b, bias), {}, "a must have dtype float16 or bfloat16"),
        ((a, b, bias), {"group_m": True}, "group_m must be one of 1, 4, 8, not True"),
        ((a, b, bias), {"tile_m": 128}, "tile_m must be one of 16, 32, 64, not 128"),
    ):
        with pytest.raises((TypeError, ValueError), match=words):
            answer.tuned(*given, **options)


@pytest.mark.parametrize("group_m", [1, 4])
@pytest.mark.parametrize("programs", [1, 4, 64])
def test_programs_that_stay_compute_every_tile(answer, monkeypatch, programs, group_m):
    """12 tiles, ragged below and on the right, taken by 1, 4 or 12 programs: the same bytes as from the taught kernel."""
    import torch

    monkeypatch.setattr(answer, "MULTIPROCESSORS", programs)
    drawn = torch.Generator().manual_seed(1)
    a, b, bias = (
        torch.randint(-4, 5, shape, generator=drawn).half().to(answer.DEVICE)
        for shape in ((150, 24), (24, 200), (200,))
    )
    taught = answer.matmul_bias_relu(a, b, bias, group_m=group_m)
    assert torch.equal(answer.tuned(a, b, bias, group_m=group_m), taught)


def test_descriptors_are_given_memory_that_was_written(answer, monkeypatch):
    """Where an sm_90 puts a descriptor, an exchange reads what was there: initcheck reports it unless it was written."""
    import torch

    zeros = torch.zeros
    monkeypatch.setattr(torch, "zeros", lambda size, **options: zeros(size, **options | {"device": "cpu"}))
    room = answer.room_for_descriptors(384, 128, None)
    assert room.nbytes == 384 and not room.any()


@pytest.mark.slow
def test_the_tuned_version_passes_the_same_checks(grade):
    given = "a, b, bias, *, group_m=8, tile_m=64"
    source = attempts.answer(CARD).source.replace(
        "        return matmul_bias_relu(a, b, bias,", "        return taught(a, b, bias,"
    )
    source += f"\n\n\ntaught = matmul_bias_relu\n\n\ndef matmul_bias_relu({given}):\n    return tuned(a, b, bias, group_m=group_m, tile_m=tile_m)\n"
    graded = grade(CARD, source)
    wrong = [result for result in graded.results if result.state not in (PASSED, WAITING) and not result.needs_gpu]
    assert not wrong, [result.finding.sentence() for result in wrong]


COMPILED = """
import json, sys, types
sys.path.insert(0, {here!r})
import torch, cross_compile
from learning import lesson

capability, made = int(sys.argv[1]), []
torch.cuda.is_available, torch.cuda.get_device_capability = lambda: bool(capability), lambda *_: divmod(capability, 10)
torch.cuda.get_device_properties = lambda *_: types.SimpleNamespace(multi_processor_count=132)
answer = cross_compile.load(lesson.find("fused_gemm").folder / "answer.py")
assert 4 <= len(answer.tiles()) <= 8 if capability else len(answer.tiles()) == 1
for dtype in answer.DTYPES:
    x, bias = torch.empty(256, 256, dtype=dtype), torch.empty(256, dtype=dtype)
    for config in answer.tiles():
        launch = (answer.tuned_kernel.fn, (x, x, bias, x, 256, 256, 256), dict(GROUP_M=8, **config.all_kwargs()))
        made += [cross_compile.assembled(kernel) for kernel in cross_compile.compiled([launch], capability or 75)]
print(json.dumps(made))
"""


@pytest.mark.slow
@pytest.mark.parametrize(("capability", "shared"), [("0", 64 << 10), ("75", 64 << 10), ("90", 227 << 10)])
def test_every_configuration_of_the_tuned_version_fits_its_card(tmp_path, capability, shared):
    """Capability 0 is no GPU at all: its one configuration is compiled for a T4, as the virtual one compiles it."""
    pytest.importorskip("triton")
    kernels = json.loads(ran(tmp_path, COMPILED.format(here=str(HERE)), capability))
    assert len(kernels) >= 2 * (4 if capability != "0" else 1)
    assert [kernel for kernel in kernels if kernel["spilled"] or kernel["shared"] > shared] == []


def cell(name):
    """The text of a fence of the lesson."""
    return TEXT.split(f'name="{name}"')[1].split("\n", 1)[1].split("\n```")[0]


def test_the_exhibits_show_what_the_text_says(tmp_path):
    said = ran(tmp_path, "\n\n".join(["import torch", cell("two_roundings"), cell("bands_at_4096")]))
    assert "float16    rounded once 0.3000   rounded twice 0.2500" in said
    assert "bfloat16   rounded once 0.3008   rounded twice 0.0000" in said
    assert "80 together   bands of 8:  8 + 10 bands,    483 MB in all" in said
    assert "264 together  bands of 4:  8 + 64 bands" in said
