"""The page of the compiler's figures says what the compiler does, and lessons say what the page says."""

import json
import re
import subprocess
import sys

import pytest

from learning import lesson as lessons
from learning.course import ROOT

PAGE = (ROOT / "docs" / "compiled.md").read_text(encoding="utf-8")
SAID = {
    "vector_add": [("4096 elements", "4 of 16 bytes", "2 of 16 bytes", "4 loads of 16 bytes")],
    "strided_copy": [("a turned 128 × 256", "4 of 16 bytes", "4 of 16 bytes", "4 loads of 16 bytes a thread and written with 4 stores")],
    "softmax": [
        ("rows of 4096", "4 of 16 bytes", "4 of 16 bytes", "4 loads of 16 bytes"),
        ("rows of 4095", "16 of 4 bytes", "16 of 4 bytes", "16 loads of 4"),
    ],
    "rmsnorm_residual": [("rows of 4096", "12 of 16 bytes", "8 of 16 bytes", "12 loads of 16 bytes a thread and 8 stores")],
    "minmax": [("rows of 4096", "4 of 16 bytes", "4 of 16 bytes", "4 loads of 16 bytes")],
    "layernorm": [("rows of 4096", "12 of 16 bytes", "4 of 16 bytes", "12 loads of 16 bytes")],
    "strided_softmax": [
        ("rows of 4096, side by side", "8 of 16 bytes", "8 of 16 bytes", "8 loads of 16 bytes"),
        ("rows of 4096, two apart", "32 of 4 bytes", "8 of 16 bytes", "32 loads of 4"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("slug", SAID)
def test_what_a_lesson_says_of_wide_loads_stands_in_the_page(slug):
    text = (lessons.load(slug).folder / "lesson.md").read_text(encoding="utf-8")
    for case, loads, stores, sentence in SAID[slug]:
        assert sentence in text
        row = rf"\| {re.escape(case)}: \w+ \| Tesla T4 \| \d+ \| 0 \| \d+ \| {loads} \| {stores} \|"
        assert re.search(row, PAGE.split(f" {slug}\n", 1)[1].split("\n## ")[0]), case


def test_the_t4s_cliff_is_shown_and_no_run_is_claimed():
    assert re.search(
        r"\| 64 × 64 × 32, 4 warps, fp16 \| FMA, 255 registers, \*\*\d+ bytes spilled\*\*.*mma\.sync.*wgmma", PAGE
    )
    assert "Nothing here ran on a T4" in PAGE and "no time follows" in PAGE


def test_what_the_page_says_of_a_gpu_is_what_the_record_holds():
    sys.path.insert(0, str(ROOT / "tools"))
    import compiled_page

    told = "\n".join(compiled_page.against_a_gpu()).strip()
    assert told and PAGE.endswith(told + "\n"), "run tools/compiled_page.py"
    record = json.loads(compiled_page.RECORD.read_text(encoding="utf-8"))["parts"]
    assert all(row["same"] for row in record["registers"]["kernels"]) and not record["registers"]["missing"]
    passes = {row["kernel"]: round(row["dram_over_distinct_read"]) for row in record["traffic"]["kernels"]}
    assert passes.pop("lens_softmax_three_loops_kernel") == 3 and set(passes.values()) == {1}


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_page_is_what_the_compiler_says_today():
    done = subprocess.run(
        [sys.executable, str(ROOT / "tools/compiled_page.py"), "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("slug", [slug for slug in lessons.slugs() if lessons.load(slug).kind == "gpu"])
def test_every_gpu_lesson_asks_for_a_count_that_gate_09_waits_for(slug):
    text = (lessons.load(slug).folder / "lesson.md").read_text(encoding="utf-8")
    for call in ("reading.count(", "my_compiled()"):
        assert call in text, (
            f"{slug}: add the cell with {call} after the comparison, as in learning/lessons/softmax/lesson.md"
        )
