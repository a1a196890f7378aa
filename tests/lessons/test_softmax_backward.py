"""I2's own promises: its numbers computed again, the witnesses, what its cells show, the tuned form under every check."""

from __future__ import annotations

import importlib.util
import json
import math
import re
import sys
from pathlib import Path

import pytest
import torch

from learning import attempts, lesson
from learning.lens import device, rehearsal
from tests.lessons.compiling import ran
from tests.lessons.tuned import passes_every_check

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
    ("| 4 | 128 | 32 | 64 | 4 of 16 bytes |", [128, 32, 64, 4], [4 * 32, 4096 // 128, 4096 // 128 * 2, 4096 // 128 * 2 // 16]),
    ("(16, 8 and 4 elements; two loads of 16 bytes, one of 16, one of 8.)", [16, 8, 4], [4096 // (32 * w) for w in (8, 16, 32)]),
    ("two loads of 16 bytes, one of 16, one of 8.)", [2, 1, 0.5], [4096 // (32 * w) * 2 / 16 for w in (8, 16, 32)]),
    ("any power of two up to 32, which is 1024 threads", 1024, 32 * 32),
    ("holds 16 numbers until d is known. With 4 it holds 64, and asks eight times.", [16, 64], [2 * 4096 // (32 * w) for w in (16, 4)]),
    ("in float32 a thread's 8 elements are two loads", 2, 8 * 4 // 16),
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


@pytest.fixture
def answer(monkeypatch):
    """The supplied answer as a module, set up as a notebook sets it up."""
    from learning.lessons.softmax_backward import answer

    monkeypatch.setattr(answer, "DEVICE", HERE, raising=False)
    return answer


@pytest.fixture
def launched(answer, monkeypatch):
    """The number of warps of every launch of the tuned form, in order."""
    early = HERE == "cuda" and torch.cuda.get_device_capability() >= (9, 0)
    name, seen = "early_kernel" if early else "backward_kernel", []
    plain = getattr(answer, name)

    class Counting:
        def __getitem__(self, grid):
            def launch(*args, num_warps, **options):
                seen.append(num_warps)
                return plain[grid](*args, num_warps=num_warps, **options)

            return launch

    monkeypatch.setattr(answer, name, Counting())
    return seen


@pytest.mark.parametrize(
    ("columns", "asked", "given"),
    [(1, 4, 4), (37, 8, 8), (1024, 4, 4), (1025, 4, 8), (2048, 8, 8), (2049, 4, 16), (4096, 8, 16), (8192, 4, 16)],
)
def test_packed_rows_get_as_many_warps_as_leave_a_thread_eight_elements(
    answer, launched, reference, columns, asked, given
):
    y = torch.softmax(torch.randn(2, columns, generator=torch.Generator().manual_seed(columns)), dim=1).to(HERE)
    g = torch.randn(2, columns, generator=torch.Generator().manual_seed(asked)).to(HERE)
    made = answer.tuned(y, g, num_warps=asked)
    assert launched == [given]
    torch.testing.assert_close(made, reference.backward_reference(y, g), atol=1e-6, rtol=1e-5)


def lying(torch, here):
    """Ways for y and g of 3 rows and 4096 columns to lie: (y, g, the warps of a launch that asks for 4)."""
    wide, tall = torch.randn(3, 8192, device=here), torch.randn(4096, 3, device=here)
    packed = wide[:, :4096].contiguous()
    return {
        "both packed": (packed, packed.clone(), 16),
        "y padded, g one row for all": (wide[:, :4096], packed[:1].expand(3, 4096), 16),
        "g transposed": (packed, tall.t(), 4),
        "y transposed": (tall.t(), packed, 4),
        "y every other column": (wide[:, ::2], packed, 4),
        "g one number for all": (packed, packed[:1, :1].expand(3, 4096), 4),
    }


@pytest.mark.parametrize("name", lying(torch, "cpu"))
def test_rows_that_do_not_lie_side_by_side_get_what_was_asked_for(answer, launched, reference, name):
    y, g, warps = lying(torch, HERE)[name]
    made = answer.tuned(y, g)
    assert launched == [warps] and made.is_contiguous()
    torch.testing.assert_close(made, reference.backward_reference(y, g), atol=2e-3, rtol=1e-4)


def test_both_forms_refuse_alike_and_start_nothing_for_no_rows(answer, launched):
    y = torch.zeros(3, 8, device=HERE)
    for given, options, words in (
        ((y.double(), y.double()), {}, "y must have dtype float32, float16 or bfloat16"),
        ((y, y[0]), {}, "g must be 2-D"),
        ((y, y[:1]), {}, "g must have the shape of y"),
        ((y, y), {"num_warps": 16}, "num_warps must be 4 or 8, not 16"),
        ((y, y), {"num_warps": True}, "num_warps must be 4 or 8, not True"),
    ):
        for function in (answer.backward, answer.tuned):
            with pytest.raises((TypeError, ValueError), match=words):
                function(*given, **options)
    assert answer.tuned(y[:0], y[:0]).shape == (0, 8) and launched == []


@pytest.mark.slow
def test_the_tuned_form_passes_every_check(answer, monkeypatch):
    """The cell named `tuned` is no entry of the lesson: here it stands in for one, past the house rules, which read cells."""
    passes_every_check(CARD, answer.tuned, monkeypatch)


COMPILED = """
import json, sys
sys.path.insert(0, {here!r})
import torch, cross_compile
from learning import lesson

answer, told = cross_compile.load(lesson.find("softmax_backward").folder / "answer.py"), []
for capability in (75, 90):
    for dtype in answer.DTYPES:
        for columns in (4096, 8192):
            for warps in (4, 8, 16, 32):
                x = torch.empty(64, 64, dtype=dtype)
                launch = (answer.backward_kernel, (x, x, x, columns, 1, columns, 1, columns), dict(BLOCK=columns, num_warps=warps))
                both = [launch, (answer.early_kernel, *launch[1:])] if capability >= 90 else [launch]
                for kernel in cross_compile.compiled(both, capability):
                    ptx = kernel.asm["ptx"]
                    waits = [ptx.find(f"griddepcontrol.{{word}}") for word in ("launch_dependents", "wait")]
                    waits.append(ptx.find("ld.global"))
                    told.append(cross_compile.assembled(kernel) | dict(
                        columns=columns, waits=waits, loads=list(cross_compile.reader.read(ptx).widths("load").items())
                    ))
print(json.dumps(told))
"""


@pytest.mark.slow
def test_every_number_of_warps_loads_what_the_text_counts_and_spills_nothing(tmp_path):
    """16 and 32 warps are launched by no check, so they are compiled here; y and g are each loaded as widely as the table says."""
    pytest.importorskip("triton")
    kernels = json.loads(ran(tmp_path, COMPILED.format(here=str(Path(__file__).parent))))
    assert len(kernels) == 72 and [kernel for kernel in kernels if kernel["spilled"]] == []
    early = [kernel["waits"] for kernel in kernels if max(kernel["waits"][:2]) >= 0]
    assert len(early) == 24 and all(0 <= lets < waits < loads for lets, waits, loads in early)
    counted = {4: [[16, 2 * 4]], 8: [[16, 2 * 2]], 16: [[16, 2]], 32: [[8, 2]]}
    for kernel in kernels:
        if kernel["columns"] == 4096 and kernel["types"] != ["fp32"]:
            assert kernel["loads"] == counted[kernel["warps"]], kernel
        elif kernel["warps"] == 16:
            assert kernel["loads"] == [[16, 4 * kernel["columns"] // 4096 if kernel["types"] == ["fp32"] else 4]], (
                kernel
            )


@pytest.mark.gpu
def test_launches_that_begin_early_read_what_the_launch_before_has_written(answer):
    """Each call takes the last one's result for its g, none is waited for, and freed memory is handed out again; by the plain
    kernel the same chain comes out bit for bit."""
    for rows, columns, block, warps in ((33, 4096, 4096, 16), (4096, 4096, 4096, 16), (2000, 1000, 1024, 4)):
        y = (
            (torch.rand(rows, columns, device="cuda") / 5 + 0.9).div(columns).half()
        )  # so that the chain neither dies nor grows
        g = torch.randn(rows, columns, device="cuda").half()
        early, plain = g, g
        for _ in range(40):
            early = answer.tuned(y, early) * columns
        for _ in range(40):
            dx = torch.empty_like(y)
            strides = (*y.stride(), *plain.stride())
            answer.backward_kernel[(rows,)](y, plain, dx, *strides, columns, BLOCK=block, num_warps=warps)
            plain = dx * columns
        assert early.isfinite().all() and early.abs().max() > 0.1 and torch.equal(early, plain)


def test_the_text_calls_cells_by_what_a_learner_sees_of_them_and_times_launches_in_a_row_with_what_there_is():
    """Names of show cells stand in no notebook; and do_bench pauses between calls, so an early start needs another clock."""
    shown = TEXT.split("## Can you write it from memory?")[0]
    names = set(re.findall(r'role="show" name="(\w+)"', TEXT))
    assert names and not {name for name in names if f"`{name}`" in shown}
    pytest.importorskip("triton")
    from triton import testing

    assert "`1e3 * triton.testing.do_bench_cudagraph(lambda: tuned(y, g))`" in TEXT and callable(
        testing.do_bench_cudagraph
    )
