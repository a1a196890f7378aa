"""L2's own promises: what the answer refuses without touching a byte, the numbers its text states, what was compiled."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from learning import lesson

HERE = Path(__file__).parent
CARD = lesson.find("strided_copy")
TEXT = (CARD.folder / "lesson.md").read_text(encoding="utf-8")
SQUARE = 8192 * 8192 * 2 / 1e6  # MB in one 8192 × 8192 fp16 matrix


@pytest.fixture(scope="module")
def materialise():
    """The answer on this machine's device."""
    from learning.lens import device

    device.current()
    from learning.lessons.strided_copy.answer import materialise

    return materialise


@pytest.fixture(scope="module")
def here():
    from learning.lens import device

    return device.current().torch_device


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda torch, here: [[1.0]], "x must be a torch.Tensor"),
        (lambda torch, here: torch.zeros(3, device=here), "rank 2"),
        (lambda torch, here: torch.zeros(1, 2, 3, device=here), "rank 2"),
        (lambda torch, here: torch.zeros(2, 2, dtype=torch.int32, device=here), "int32"),
        (lambda torch, here: torch.zeros(2, 2, device="meta"), "device"),
        (lambda torch, here: torch.zeros(2, 2, device=here, requires_grad=True), "gradient"),
        (lambda torch, here: torch.zeros(1, 1, device=here).expand(2**16, 2**15), "elements"),
        (lambda torch, here: torch.empty(2**31 + 1, dtype=torch.float16, device=here)[:: 2**31, None], "2\\*\\*31 - 1"),
    ],
)
def test_the_answer_refuses_what_the_contract_excludes(materialise, here, make, words):
    """The two last reach past 2^31 - 1 by `expand` and by memory that nobody writes."""
    import torch

    with pytest.raises((TypeError, ValueError), match=words):
        materialise(make(torch, here))


def test_a_stride_that_is_never_taken_may_be_as_large_as_it_likes(materialise, here):
    import torch

    x = torch.arange(30.0, device=here).as_strided((1, 30), (2**31 + 5, 1))
    assert torch.equal(materialise(x), x)


@pytest.mark.parametrize(
    ("sentence", "number", "recomputed"),
    [
        ("Take 8192 × 8192 fp16, 67 108 864 elements", 67_108_864, 8192**2),
        ("| packed | 134.2 MB | 134.2 MB | at least 839 µs | at least 63.3 µs |", 839, round(2 * SQUARE / 0.32)),
        ("| packed | 134.2 MB | 134.2 MB | at least 839 µs | at least 63.3 µs |", 63.3, round(2 * SQUARE / 4.24, 1)),
        ("the writes alone decide, 419 µs and 31.7 µs", 31.7, round(SQUARE / 4.24, 1)),
        ("the writes alone decide, 419 µs and 31.7 µs", 419, round(SQUARE / 0.32)),
        ("so 402.7 MB, 1258 µs and 95.0 µs", 402.7, round(3 * SQUARE, 1)),
        ("so 402.7 MB, 1258 µs and 95.0 µs", 1258, round(3 * SQUARE / 0.32)),
        ("so 402.7 MB, 1258 µs and 95.0 µs", 95.0, round(3 * SQUARE / 4.24, 1)),
        ("all of this is 4.2 MB, 1 µs at", 4.2, round(1024**2 * 4 / 1e6, 1)),
        ("a row of 4 194 241 columns has more tiles of 64", 65_536, -(-4_194_241 // 64)),
        ("64 × 64 × 2, the whole tile", 8192, 64 * 64 * 2),
    ],
)
def test_a_number_in_the_text_is_the_number_computed(sentence, number, recomputed):
    assert sentence in TEXT
    assert number == recomputed


def test_no_time_of_a_copy_is_claimed():
    assert "the time of the supplied answer on a T4, which we did not have" in TEXT
    told = set(re.findall(r"\b[0-9.]+ (?:µs|ms)\b", TEXT))
    assert told == {"1 µs", "31.7 µs", "63.3 µs", "95.0 µs", "419 µs", "839 µs", "1258 µs"}, (
        "floors on paper, and no other time"
    )


def sectors(tile, strides, bytes_each):
    return len({(i * strides[0] + j * strides[1]) * bytes_each // 32 for i in range(tile[0]) for j in range(tile[1])})


def test_a_tile_wastes_no_sector_once_it_is_sixteen_wide_both_ways():
    turned, packed = (1, 8192), (8192, 1)
    assert (sectors((1, 4096), turned, 2), sectors((1, 4096), packed, 2)) == (4096, 256)
    assert (sectors((4096, 1), turned, 2), sectors((4096, 1), packed, 2)) == (256, 4096)
    for tile in ((16, 256), (64, 64), (256, 16)):
        assert sectors(tile, turned, 2) == sectors(tile, packed, 2) == 256
    assert sectors((4, 1024), turned, 2) == 1024


WIDE_AND_NARROW = """
import json, re, sys
sys.path.insert(0, {here!r})
import torch, cross_compile
from collections import Counter
from learning import lesson

answer = cross_compile.load(lesson.find("strided_copy").folder / "answer.py")
told = []
for strides in ((8192, 1), (1, 8192), (1, 8195)):
    x, out = torch.empty(16, dtype=torch.float16), torch.empty(16, dtype=torch.float16)
    launch = (answer.copy_kernel, (x, out, *strides, 8192, 8192), {{"ROWS": 64, "COLS": 64, "num_warps": 8}})
    (kernel,) = cross_compile.compiled([launch], 75)
    counts = Counter(re.findall(r"(?:ld|st)[.]global[.\\w]*", kernel.asm["ptx"]))
    told.append([sorted(counts.items()), kernel.metadata.shared])
for warps in (4, 8):
    launch = (answer.copy_kernel, (x, out, 3, 1, 1777, 3001), {{"ROWS": 64, "COLS": 64, "num_warps": warps}})
    told.append([cross_compile.assembled(kernel)["spilled"] for kernel in cross_compile.compiled([launch], 75)])
print(json.dumps(told))
"""


@pytest.mark.slow
def test_a_turned_matrix_is_read_and_written_wide_through_shared_memory(tmp_path):
    """The extension's numbers, for Triton 3.8 and sm_75."""
    triton = pytest.importorskip("triton")
    if not triton.__version__.startswith("3.8"):
        pytest.skip("the text states what Triton 3.8 does")
    script = tmp_path / "wide.py"
    script.write_text(WIDE_AND_NARROW.format(here=str(HERE)))
    environment = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
    environment |= {"TRITON_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(HERE.parent.parent)}
    done = subprocess.run([sys.executable, script], env=environment, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stderr[-2000:]
    packed, turned, odd, four_warps, eight_warps = json.loads(done.stdout)
    wide = [["ld.global.v4.b32", 2], ["st.global.v4.b32", 2]]
    assert packed == [wide, 0] and turned == [wide, 8192]
    assert odd[0] == [["ld.global.b16", 16], ["st.global.v4.b32", 2]]
    assert four_warps == [16 + 16] and eight_warps == [0]  # stored and loaded again: 16 bytes a thread
    assert "put 16 bytes a thread into slow memory; with 8 none does" in TEXT
