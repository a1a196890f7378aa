"""Numbers the lessons state are computed again: arithmetic from the text, outputs from the code that the text shows."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from learning import lesson

TEXT = {card.slug: (card.folder / "lesson.md").read_text(encoding="utf-8") for card in lesson.discover()}


@pytest.mark.parametrize(
    ("slug", "sentence", "number", "recomputed"),
    [
        ("vector_add", "the 452 lanes that own something", 452, 2500 - 2 * 1024),
        ("vector_add", "the 572 places behind it", 572, 3 * 1024 - 2500),
        ("vector_add", "64 Mi floats (67 108 864)", 67_108_864, 64 * 2**20),
        ("vector_add", "each tensor holds 268 MB, three of them 805 MB", 805, round(3 * 64 * 2**20 * 4 / 1e6)),
        (
            "vector_add",
            "320 GB/s on paper, not measured by us | 2.5 ms",
            2.5,
            round(3 * 64 * 2**20 * 4 / 320e9 * 1e3, 1),
        ),
        ("vector_add", "4.24 TB/s, measured with a copy | 0.190 ms", 0.190, round(3 * 2**28 / 4.24e12 * 1e3, 3)),
        ("vector_add", "0.083 operations a byte", 0.083, round(1 / 12, 3)),
        ("vector_add", "some 25 operations for every byte", 25, round(8.1e12 / 320e9)),
        (
            "vector_add",
            "48 KB are moved, which a T4's memory could do in 0.15 µs",
            0.15,
            round(4096 * 12 / 320e9 * 1e6, 2),
        ),
        ("vector_add", "Five knobs of three settings would be 243 kernels", 243, 3**5),
        ("online_normalizer", "exp(710) is past it", 710, math.floor(math.log(1.7976931348623157e308)) + 1),
        ("online_normalizer", "4095 roundings stacked on one another against 12", 12, int(math.log2(4096))),
    ],
)
def test_a_number_in_the_text_is_the_number_computed(slug, sentence, number, recomputed):
    assert sentence in TEXT[slug]
    assert number == recomputed


def test_every_measured_time_of_vector_add_names_its_machine():
    assert "on that H200 (torch 2.11, Triton 3.6, timed with events)" in TEXT["vector_add"]
    assert "we had no T4" in TEXT["vector_add"]


def test_a_lesson_that_sends_the_reader_to_the_reference_results_has_a_section_there():
    page = (Path(__file__).parents[2] / "docs" / "reference-results.md").read_text(encoding="utf-8")
    sent = [card for card in lesson.discover() if "stands in docs/reference-results.md" in TEXT[card.slug]]
    assert sent and not [card.slug for card in sent if f" {card.title}\n" not in page]


@pytest.mark.parametrize(
    ("slug", "picture"),
    [
        ("strided_copy", r"matrix_tiles\(shape=\(([^)]*)\)"),
        ("softmax", r"matrix_tiles\(shape=\(([^)]*)\)"),
        ("matmul", r"product\((\d+, \d+, \d+), tile"),
        ("gated_mlp", r"product\((\d+, \d+, \d+), tile"),
        ("gemv", r"row_walk\(shape=\(([^)]*)\)"),
        ("softmax_backward", r"row_programs\((\d+, \d+),"),
        ("online_normalizer", r"rescaling\(([^)]*)\)"),
    ],
)
def test_a_picture_before_the_prediction_is_of_another_case_than_the_one_that_is_asked_about(slug, picture):
    """A number that has been drawn is read off, not predicted."""
    before, _, _ = TEXT[slug].partition("## What do you predict?")
    told = (lesson.load(slug).folder / "trace_case.py").read_text(encoding="utf-8").splitlines()[0]
    asked = {float(number) for number in re.findall(r"\d+", told)}
    drawn = {float(number) for number in re.findall(r"[\d.]+", re.search(picture, before).group(1))}
    assert not drawn <= asked, f"{slug} draws {drawn}, and then asks about it: {told}"


def test_four_hundred_pushes_lose_less_than_the_text_says():
    """ "400 additions lose a few parts in 10^14": counted on a ramp, where every push rescales."""
    from learning.lessons.online_normalizer.answer import EMPTY, push, result
    from learning.lessons.online_normalizer.reference import normalizer_oracle

    values = [0.02 * i for i in range(400)]
    state = EMPTY
    for x in values:
        state = push(state, x)
    expected = normalizer_oracle(values)[1]
    assert abs(result(state)[1] - expected) / expected < 9e-14


LOADS_OF_A_RAGGED_AND_OF_AN_EVEN_LENGTH = """
import json, re, sys
sys.path.insert(0, {here!r})
import torch, cross_compile
from learning import lesson

answer = cross_compile.load(lesson.find("vector_add").folder / "answer.py")
counts = []
for length in (2500, 2560):
    tensors = [torch.empty(length) for _ in range(3)]
    (kernel,) = cross_compile.compiled([(answer.add_kernel, (*tensors, length), {{"BLOCK": 1024}})], 75)
    counts.append(sorted(re.findall(r"ld\\.global[.\\w]*", kernel.asm["ptx"])))
print(json.dumps(counts))
"""


@pytest.mark.slow
def test_a_length_that_sixteen_divides_is_loaded_four_floats_at_a_time(tmp_path):
    """The extension of vector_add: 16 loads of 4 bytes for 2500 elements, 4 loads of 16 bytes for 2560."""
    pytest.importorskip("triton")
    script = tmp_path / "loads.py"
    here = Path(__file__).parent
    script.write_text(LOADS_OF_A_RAGGED_AND_OF_AN_EVEN_LENGTH.format(here=str(here)))
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment |= {"TRITON_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(here.parent.parent)}
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr[-2000:]
    ragged, even = json.loads(done.stdout)
    assert len(ragged) == 16 and all(load.endswith("b32") and ".v" not in load for load in ragged)
    assert len(even) == 4 and all(".v4.b32" in load for load in even)
    assert "there are 16 loads of 4 bytes in the first case and 4 loads of 16 bytes in the second" in TEXT["vector_add"]
