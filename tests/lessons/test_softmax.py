"""L3a's own promises: what the answer refuses, and the numbers its text states, computed again."""

from __future__ import annotations

import math

import pytest

from learning import lesson

CARD = lesson.find("softmax")
TEXT = (CARD.folder / "lesson.md").read_text(encoding="utf-8")
SQUARE = 8192 * 8192 * 2 / 1e6  # MB in one 8192 × 8192 fp16 matrix


@pytest.fixture(scope="module")
def here():
    from learning.lens import device

    return device.current().torch_device


@pytest.fixture(scope="module")
def softmax(here):
    """The answer on this machine's device."""
    from learning.lessons.softmax.answer import softmax

    return softmax


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda torch, here: 3.0, "x must be a torch.Tensor"),
        (lambda torch, here: torch.zeros(3, device=here), "rank 2"),
        (lambda torch, here: torch.zeros(2, 2, dtype=torch.float64, device=here), "float64"),
        (lambda torch, here: torch.zeros(2, 2, device="meta"), "device"),
        (lambda torch, here: torch.zeros(2, 2, device=here, requires_grad=True), "gradient"),
        (lambda torch, here: torch.zeros(3, 2, device=here).t(), "contiguous"),
        (lambda torch, here: torch.zeros(2, 0, device=here), "1 to 8192"),
        (lambda torch, here: torch.zeros(0, 8193, device=here), "1 to 8192"),
        (lambda torch, here: torch.empty(2**18, 8192, dtype=torch.float16, device=here), "2\\*\\*31 - 1"),
    ],
)
def test_the_answer_refuses_what_the_contract_excludes(softmax, here, make, words):
    """The last one has 2^31 elements that nobody writes."""
    import torch

    with pytest.raises((TypeError, ValueError), match=words):
        softmax(make(torch, here))


@pytest.mark.parametrize(
    ("sentence", "number", "recomputed"),
    [
        ("67 108 864 elements, 134.2 MB", 134.2, round(SQUARE, 1)),
        ("| 268.4 MB | at least 839 µs | at least 63.3 µs |", 63.3, round(2 * SQUARE / 4.24, 1)),
        ("| 268.4 MB | at least 839 µs | at least 63.3 µs |", 839, round(2 * SQUARE / 0.32)),
        ("(402.7 MB, 1258 µs, 95.0 µs;", 95.0, round(3 * SQUARE / 4.24, 1)),
        ("(402.7 MB, 1258 µs, 95.0 µs;", 1258, round(3 * SQUARE / 0.32)),
        ("and 536.9 MB, 1678 µs, 127 µs.", 127, round(4 * SQUARE / 4.24)),
        ("and 536.9 MB, 1678 µs, 127 µs.", 1678, round(4 * SQUARE / 0.32)),
        ("which is e to the power 88.7", 88.7, round(math.log(3.4028235e38), 1)),
        ("some 25 operations for every byte", 25, round(8.1e12 / 320e9)),
        ("half a million programs read 256 bytes each", 524_288, 2**26 // 128),
        ("moves 0.2 MB, which the H200's memory could do in 0.05 µs", 0.05, round(64 * 781 * 4 / 4.24e6, 2)),
        ("Every program of this case has 27 idle lanes", 27, 64 - 37),
        ("adds up to 0.80", 0.80, round(sum(map(math.exp, (1, 0, -1))) / (sum(map(math.exp, (1, 0, -1))) + 1), 2)),
        ("reach only to 0.01", 0.01, round(sum(map(math.exp, (-5, -6, -7))), 2)),
    ],
)
def test_a_number_in_the_text_is_the_number_computed(sentence, number, recomputed):
    assert sentence in TEXT
    assert number == recomputed


def test_every_measured_time_names_its_machine_and_none_is_ours():
    assert "On that H200 (torch 2.11, Triton 3.6, timed with events) eager" in TEXT
    assert "needed 259 µs for this matrix, `torch.compile` 153, and the kernel of a library, Liger, 67.9" in TEXT
    assert "the times in this text are PyTorch's and Liger's" in TEXT


def test_the_padding_of_zero_is_seen_failing_before_the_trap_is_named():
    assert TEXT.index("zero_padded_kernel") < TEXT.index("has lost 99 percent") < TEXT.index("this is trap 3")


def test_the_padded_kernel_of_the_text_does_what_the_text_says(here, tmp_path):
    """The cell as it stands, run: the first row right to four digits, the second 0.80, the third 0.01."""
    import importlib.util
    import sys

    import torch

    code = TEXT.split('name="padded_with_zero"')[1].split("\n", 1)[1].split("\n\n\nx = ")[0]
    file = tmp_path / "zero_padded.py"
    file.write_text(f"import triton\nimport triton.language as tl\n\n\n{code}\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location("zero_padded", file)
    sys.modules["zero_padded"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    x = torch.tensor([[21.0, 20.0, 19.0], [1.0, 0.0, -1.0], [-5.0, -6.0, -7.0]], device=here)
    out = torch.empty_like(x)
    module.zero_padded_kernel[(3,)](x, out, 3, BLOCK=4)
    right = torch.softmax(x, dim=1)
    assert torch.allclose(out[0], right[0], atol=5e-5)
    assert [round(total, 2) for total in out.sum(dim=1).tolist()] == [1.0, 0.8, 0.01]
