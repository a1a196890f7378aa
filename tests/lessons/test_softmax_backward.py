"""I2's own promises: the numbers its text states, computed again; the witnesses; what its cells show."""

from __future__ import annotations

import importlib.util
import math
import sys

import pytest
import torch

from learning import attempts, lesson
from learning.lens import device, rehearsal

CARD = lesson.find("softmax_backward")
TEXT = (CARD.folder / "lesson.md").read_text(encoding="utf-8")
TOLD = (CARD.folder / "explanation.md").read_text(encoding="utf-8")
MATRIX = 4096 * 4096 * 2 / 1e6  # MB of 4096 × 4096 in float16
EAGER = 3 + 3 + 6 + 2 + 4 + 6 + 3  # what the seven steps of the reference move, in units of one float16 matrix
HERE = device.current().torch_device


@pytest.fixture(scope="module")
def reference():
    from learning.lessons.softmax_backward import reference

    return reference


CLAIMS = [
    ("33.6 MB a matrix. y and g are read once and dx is written once, 100.7 MB.", 33.6, round(MATRIX, 1)),
    ("| one kernel, two matrices in, one out | 100.7 MB | at least 315 µs | at least 23.7 µs |", 100.7, round(3 * MATRIX, 1)),
    ("| one kernel, two matrices in, one out | 100.7 MB | at least 315 µs | at least 23.7 µs |", 315, round(3 * MATRIX / 0.32)),
    ("| one kernel, two matrices in, one out | 100.7 MB | at least 315 µs | at least 23.7 µs |", 23.7, round(3 * MATRIX / 4.24, 1)),
    ("It comes to nine times the first.", 9, EAGER / 3),
    ("An fp32 matrix is 67.1 MB.", 67.1, round(2 * MATRIX, 1)),
    ("A row of 4096 has 4096² of them, 67.1 MB in fp32", 67.1, round(4096**2 * 4 / 1e6, 1)),
    ("one of 8192 has 268.4 MB, and 4096 rows of 4096 have 275 GB", 268.4, round(8192**2 * 4 / 1e6, 1)),
    ("one of 8192 has 268.4 MB, and 4096 rows of 4096 have 275 GB", 275, round(4096**3 * 4 / 1e9)),
    ("why 16 million derivatives a row are never computed", 16, 4096**2 // 10**6),
    ("| one number for all, strides (0, 0) | 67.1 MB |", 67.1, round(2 * MATRIX, 1)),
    ("(79, 17 and 79.)", 79, 2 * 37 + 5),
    ("(79, 17 and 79.)", 17, 2 * 1 + 5 * 3),
    ("is off by up to 1/32 there", 1 / 32, torch.finfo(torch.float16).eps * 64 / 2),
    ("With `num_warps=4` a program has 128 threads, and at 8192 columns each holds 64 elements of y", 64, 8192 // 128),
    ("the cube root of eps, 6 · 10⁻⁶", 6, round(sys.float_info.epsilon ** (1 / 3) * 1e6)),
]  # fmt: skip


@pytest.mark.parametrize(("sentence", "number", "recomputed"), CLAIMS)
def test_a_number_in_the_text_is_the_number_computed(sentence, number, recomputed):
    assert sentence in TEXT
    assert number == recomputed


def test_no_time_of_ours_stands_in_the_text():
    assert "its time on a T4 is your number, not ours" in TEXT
    assert "906 MB, nine times the 3" in TOLD and round(EAGER * MATRIX) == 906


def test_the_sum_in_float16_stops_at_one_half(tmp_path):
    """The cell as it stands, run: d is ½, every dx half a share, and together they are ½."""
    code = TEXT.split('name="d_in_float16"')[1].split("\n", 1)[1].split("\n\n\ny = ")[0]
    file = tmp_path / "narrow.py"
    file.write_text(f"import triton\nimport triton.language as tl\n\n\n{code}\n", encoding="utf-8")
    spec = importlib.util.spec_from_file_location("narrow", file)
    sys.modules["narrow"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    y = torch.full((4096,), 1 / 4096, dtype=torch.float16, device=HERE)
    g, d = torch.ones_like(y), torch.zeros(1, dtype=torch.float16, device=HERE)
    module.narrow_sum_kernel[(1,)](y, g, d, 4096)
    assert d.item() == 0.5 and (y * (g - d)).float().sum().item() == 0.5
    assert "0.5 + 1/4096 falls halfway between two of them" in TEXT


def test_the_witnesses_agree_and_the_valley_lies_where_the_text_says(reference):
    x = torch.tensor([[0.5, -1.0, 2.0, 0.0, 1.0]], dtype=torch.float64)
    g = torch.tensor([[1.0, -2.0, 0.5, 3.0, -1.0]], dtype=torch.float64)
    exact = reference.backward_reference(torch.softmax(x, dim=1), g)
    assert (reference.by_autograd(x)(None, g) - exact).abs().max() < 1e-15

    def error(power):
        return (reference.by_central_differences(x, 10.0**-power)(None, g) - exact).abs().max().item()

    errors = {power: error(power) for power in range(1, 13)}
    assert min(errors, key=errors.get) in (5, 6)
    for power in (1, 2, 3):
        assert 80 < errors[power] / errors[power + 1] < 125  # the error of the formula goes with h²
    assert errors[12] > 300 * errors[8] and errors[6] < 1e-9


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_what_rounding_may_leave_is_wide_enough_and_not_too_wide(reference, dtype):
    """An honest gradient keeps the law; one that forgets the sum, or rounds y·g and y·d apart, breaks it."""
    source = torch.Generator().manual_seed(7)
    y = torch.softmax(torch.randn(40, 65, generator=source, dtype=torch.float64), dim=1).to(dtype)
    g = torch.randn(40, 65, generator=source, dtype=torch.float64).to(dtype)
    left, allowed = reference.leftover(reference.backward_reference(y, g), y, g)
    assert bool((left.abs() <= allowed).all())
    left, allowed = reference.leftover(y * g, y, g)
    assert int((left.abs() > allowed).sum()) > 30
    truth = reference.backward_oracle(y, g)
    assert bool((allowed < 0.05 * truth.abs().sum(dim=1)).all())


def test_the_supplied_answer_meets_the_predictions_that_are_right():
    seen = rehearsal.run(CARD.folder, attempts.answer(CARD).source + "\nDEVICE = 'cpu'\n", CARD.entries, outputs=["0,0", "0,1", "2,36"])  # fmt: skip
    (launch,), tensors = seen["launches"], seen["tensors"]
    assert launch["programs"] == 3 and launch["tile"] == [64]
    passes = {name: tensors[name]["load_passes"] + tensors[name]["store_passes"] for name in ("y", "g", "dx")}
    assert passes == {"y": 1, "g": 1, "dx": 1}
    assert tensors["dx"]["masked_stores"] == 3 * 27 and tensors["y"]["others"] == tensors["g"]["others"] == [0.0]
    assert seen["output"] == {"0,0": -0.25, "0,1": 0.25, "2,36": 0.0} and seen["problems"] == []


def test_a_wider_step_of_central_differences_would_not_judge_float32():
    """Why the witness works in float64: in fp32 the valley's floor is eps to the power ⅔."""
    floor = torch.finfo(torch.float32).eps ** (2 / 3)
    assert "about 10⁻⁵ to 10⁻⁴ of the value" in TEXT and 1e-5 < floor < 1e-4
    assert math.isclose(torch.finfo(torch.float64).eps, 2.2e-16, rel_tol=0.02)
