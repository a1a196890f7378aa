"""I1's own promises: the numbers its text states, the tuned form under every check, what the compiler makes of it."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from learning import lesson
from tests.lessons.compiling import ran
from tests.lessons.tuned import passes_every_check

HERE = Path(__file__).parent
CARD = lesson.find("strided_softmax")
TEXT = (CARD.folder / "lesson.md").read_text(encoding="utf-8")
MATRIX, H200, T4 = 4096 * 8192 * 2 / 1e6, 4.24, 0.32  # MB in float16; MB a µs

CLAIMS = [
    ("| softmax, read where it lies | 134.2 MB | at least 419 µs | at least 31.6 µs |", 134.2, round(2 * MATRIX, 1)),
    ("| softmax, read where it lies | 134.2 MB | at least 419 µs | at least 31.6 µs |", 419, round(2 * MATRIX / T4)),
    ("| softmax, read where it lies | 134.2 MB | at least 419 µs | at least 31.6 µs |", 31.7, round(2 * MATRIX / H200 + 0.05, 1)),
    ("at least 839 µs | at least 63.3 µs |", 839, round(4 * MATRIX / T4)),
    ("at least 839 µs | at least 63.3 µs |", 63.3, round(4 * MATRIX / H200, 1)),
    ("In one column they are 64 neighbours, 128 bytes in fp16, four whole sectors", 4, 64 * 2 // 32),
    ("But 64 rows of 8192 are 1 MiB", 1, 64 * 8192 * 2 >> 20),
    ("A thread loads 16 bytes, 8 rows of one column; 8 threads make a column of 64 rows", 8, 64 // (16 // 2)),
    ("128 threads hold 16 columns at once", 16, 128 // 8),
    ("Written as `[16, 16, 64]`, the 256 columns of a step", 16, 256 // 16),
    ("one instruction less for 67.1 million weights", 67.1, round(2 * 4096 * 8192 / 1e6, 1)),
    ("65504, times log2(e) is rounded by less than 0.004", 0.00390625, math.ulp(65504 * math.log2(math.e)) * 2**29 / 2),
    ("A float32 of 10³⁰ is rounded by up to 7.6 · 10²²", 7.6, round(math.ulp(1e30 * math.log2(math.e)) * 2**29 / 2e22, 1)),
    ("all of its 128 numbers at once, as 64 registers in fp16", 64, 256 * 64 // 128 // 2),
    ("would like 104 or more in all; programs of 128 such threads share a multiprocessor by fours", 4, 65536 // (128 * 104)),
    ("With 96 it is fives", 5, 65536 // (128 * 96)),
    ("4096 rows in bands of 64 are 64 programs", 64, 4096 // 64),
    ("64 · 32 = 2048 programs", 2048, 64 * (8192 // 256)),
    ("x has 67.1 MB here, the L2 cache of an H200 holds 60", 67.1, round(MATRIX, 1)),
    ("8 bands ago, 8.4 MB of x ago", 8.4, round(8 * 64 * 8192 * 2 / 1e6, 1)),
    ("x once and the result once are 134.2 MB, 31.6 µs at 4.24 TB/s", 31.6, int(20 * MATRIX / H200) / 10),
    ("201.3 MB and at least 47.5 µs if none does", 201.3, round(3 * MATRIX, 1)),
    ("201.3 MB and at least 47.5 µs if none does", 47.5, round(3 * MATRIX / H200, 1)),
    ("So ask 16384 times", 16384, 1 << 14),
    ("4096 rows are 256 of them where `tuned` starts 2304", 2304, (64 + 8) * 32),
]  # fmt: skip


@pytest.mark.parametrize(("sentence", "number", "recomputed"), CLAIMS)
def test_a_number_in_the_text_is_the_number_computed(sentence, number, recomputed):
    assert sentence in TEXT
    assert number == recomputed


def test_no_time_of_ours_stands_in_the_text():
    assert "its time on a T4 is your number, not ours" in TEXT


@pytest.fixture
def answer(monkeypatch):
    """The supplied answer as a module, set up as a notebook sets it up."""
    from learning.lens import device
    from learning.lessons.strided_softmax import answer

    monkeypatch.setattr(answer, "DEVICE", device.current().torch_device, raising=False)
    return answer


@pytest.fixture
def launched(answer, monkeypatch):
    """The names of the kernels launched, in order, each with its grid."""
    seen = []

    class Counting:
        def __init__(self, name):
            self.name, self.kernel = name, getattr(answer, name)

        def __getitem__(self, grid):
            seen.append((self.name, grid))
            return self.kernel[grid]

    for name in ("softmax_kernel", "clear_kernel", "bands_kernel"):
        monkeypatch.setattr(answer, name, Counting(name))
    return seen


TURNED = [(1, 40), (8, 1), (70, 72), (64, 64), (130, 600), (9, 1025)]


@pytest.mark.parametrize(("rows", "columns"), TURNED)
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_a_turned_matrix_is_read_along_its_lines(answer, launched, rows, columns, dtype):
    """Ragged bands, ragged tiles, a last part of one column; rows around -200, where any 0 read for nothing wins."""
    import torch

    from learning.lessons.strided_softmax.reference import softmax_oracle

    drawn = torch.Generator().manual_seed(rows + columns)
    lines = torch.randn(columns, -(-rows // 8) * 8, generator=drawn).mul(4).sub(200).to(getattr(torch, dtype))
    x = lines.to(answer.DEVICE).t()[:rows]
    made = answer.tuned(x)
    bands, parts = -(-rows // 64), -(-columns // 256)
    once = ("bands_kernel", ((bands + 8) * parts,))
    assert launched == [("clear_kernel", (1,)), *[once] * (1 if x.is_cuda else 2)]
    assert made.is_contiguous() and made.dtype == x.dtype
    rounding = {"float32": 1e-6, "float16": 2**-11, "bfloat16": 2**-8}[dtype]
    torch.testing.assert_close(made.cpu().double(), softmax_oracle(x.cpu()), atol=2e-7, rtol=2 * rounding)


@pytest.mark.parametrize(("rows", "columns"), [(70, 600), (128, 512), (3, 257)])
@pytest.mark.parametrize("lead", [0, 1, 64])
def test_a_band_that_is_never_ready_is_finished_all_the_same(answer, monkeypatch, rows, columns, lead):
    """Whoever has asked in vain works the two numbers of its rows out anew: here nobody ever reads."""
    import torch

    from learning.lessons.strided_softmax.reference import softmax_oracle

    class OnlyFinishing:
        def __init__(self, kernel):
            self.kernel = kernel

        def __getitem__(self, grid):
            def launch(*args, READS, ENDS, **options):
                if ENDS:  # past the last band of rows: programs that ask, and have nothing to read
                    self.kernel[grid](*args[:11], 0, *args[12:], READS=True, ENDS=True, **options)

            return launch

    monkeypatch.setattr(answer, "bands_kernel", OnlyFinishing(answer.bands_kernel))
    monkeypatch.setattr(answer, "LEAD", lead)
    monkeypatch.setattr(answer, "PATIENCE", 2)
    drawn = torch.Generator().manual_seed(rows)
    x = torch.randn(columns, rows, generator=drawn).mul(4).sub(200).to(answer.DEVICE).t()
    torch.testing.assert_close(answer.tuned(x).cpu().double(), softmax_oracle(x.cpu()), atol=2e-7, rtol=2e-6)


@pytest.mark.parametrize(
    ("dtype", "size"), [("float16", 65000), ("float16", 1e-3), ("bfloat16", 1e35), ("float32", 1e30), ("float32", 3e38)]
)
def test_values_may_be_of_any_size(answer, dtype, size):
    """In powers of two the shift of a value of 10³⁰ would be rounded by far more than any difference is worth."""
    import torch

    from learning.lessons.strided_softmax.reference import softmax_oracle

    drawn = torch.Generator().manual_seed(7)
    x = torch.rand(300, 72, generator=drawn).mul(2).sub(1).mul(size).to(getattr(torch, dtype))
    x[::2] = x[0]  # a maximum that comes up many times is what a wrong shift would weigh wrongly
    x = x.to(answer.DEVICE).t()
    rounding = {"float32": 1e-6, "float16": 2**-11, "bfloat16": 2**-8}[dtype]
    made = answer.tuned(x).cpu().double()
    torch.testing.assert_close(made, softmax_oracle(x.cpu()), atol=2e-7, rtol=2 * rounding)


@pytest.mark.gpu
@pytest.mark.parametrize(("lead", "patience"), [(0, 16384), (1, 0), (8, 1), (64, 16384)])
def test_no_order_of_the_programs_decides_what_comes_out(answer, monkeypatch, lead, patience):
    import torch

    from learning.lessons.strided_softmax.reference import softmax_oracle

    monkeypatch.setattr(answer, "LEAD", lead)
    monkeypatch.setattr(answer, "PATIENCE", patience)
    x = torch.randn(2049, 1000, device="cuda").mul(4).sub(200).t()
    torch.testing.assert_close(answer.tuned(x).double(), softmax_oracle(x), atol=2e-7, rtol=2e-6)


@pytest.mark.gpu
def test_calls_on_two_streams_meet_in_nothing(answer):
    """Flags and states are the call's own: two streams that run at the same time do not change each other's result."""
    import torch

    streams = [torch.cuda.Stream() for _ in range(2)]
    given = [torch.randn(4096, 1024, device="cuda").mul(4).half().t() for _ in streams]
    alone = [answer.tuned(x) for x in given]
    torch.cuda.synchronize()
    for _ in range(50):
        made = []
        for stream, x in zip(streams, given, strict=True):
            with torch.cuda.stream(stream):
                made.append(answer.tuned(x))
        torch.cuda.synchronize()
        for one, other in zip(made, alone, strict=True):  # who gives up adds in another order: a last digit may differ
            torch.testing.assert_close(one, other, atol=1e-7, rtol=2**-10)


def not_turned(torch, here):
    """Views whose rows do not lie side by side, each on a line of its own, and one without rows."""
    base = torch.randn(4096, device=here)
    return {
        "packed": base[:72].view(6, 12),
        "every line the same": base[:8].view(1, 8).expand(5, 8).t(),
        "every other row": base[:192].view(12, 16).t()[::2],
        "lines that overlap": base.as_strided((16, 7), (1, 8)),
        "no rows": base[:96].view(12, 8).t()[:0],
    }


@pytest.mark.parametrize("name", not_turned(__import__("torch"), "cpu"))
def test_what_is_not_turned_goes_to_the_taught_kernel(answer, launched, name):
    import torch

    x = not_turned(torch, answer.DEVICE)[name]
    made = answer.tuned(x, num_warps=8)
    assert launched == ([("softmax_kernel", (x.shape[0],))] if x.shape[0] else [])
    torch.testing.assert_close(made, torch.softmax(x, 1).contiguous())


def askew(torch, here):
    """Turned matrices whose lines begin where no load of 16 bytes may begin."""
    base = torch.randn(4096, device=here)
    return {
        "lines of 13 floats": base[:156].view(12, 13).t(),
        "an address 4 bytes on": base[1:97].view(12, 8).t(),
        "lines 70 floats apart, of which 64 are ours": base[: 40 * 70].view(40, 70).t()[:64],
    }


@pytest.mark.parametrize("name", askew(__import__("torch"), "cpu"))
def test_a_line_may_begin_anywhere(answer, launched, name):
    import torch

    x = askew(torch, answer.DEVICE)[name]
    made = answer.tuned(x, num_warps=8)
    assert {kernel for kernel, _ in launched} == {"clear_kernel", "bands_kernel"}
    torch.testing.assert_close(made, torch.softmax(x, 1).contiguous())


def test_both_forms_refuse_alike(answer):
    import torch

    x = torch.zeros(8, 3, device=answer.DEVICE).t()
    for given, options, words in (
        ((x.double(),), {}, "x must have dtype float32, float16 or bfloat16"),
        ((x[0],), {}, "x must be 2-D"),
        ((x,), {"num_warps": True}, "num_warps must be 4 or 8, not True"),
        ((x[:, :0],), {}, "x must have 1 to 8192 columns"),
    ):
        for function in (answer.softmax, answer.tuned):
            with pytest.raises((TypeError, ValueError), match=words):
                function(*given, **options)


@pytest.mark.slow
def test_the_tuned_form_passes_every_check(answer, monkeypatch):
    """The cell named `tuned` is no entry of the lesson: here it stands in for one, past the house rules, which read cells."""
    passes_every_check(CARD, answer.tuned, monkeypatch)


COMPILED = """
import json, sys
sys.path.insert(0, {here!r})
import torch, cross_compile
from learning import lesson

answer = cross_compile.load(lesson.find("strided_softmax").folder / "answer.py")
tile = {{name: getattr(answer, name) for name in ("BAND", "PART", "STEP", "TILE", "LEAD", "PATIENCE")}}
told = []
for capability in (75, 90):
    for dtype in answer.DTYPES:
        for warps in (4, 8):
            for whole in (True, False):
                x, scratch, flags = torch.empty(64, 64, dtype=dtype), torch.empty(64), torch.empty(64, dtype=torch.int32)
                args = (x, *[scratch] * 4, flags, flags, x, 4096, 8192, 4096, 64, 32)
                lanes = warps * 512 // (answer.BAND * x.element_size())
                ahead, half = capability >= 90, dtype == torch.float16
                options = tile | dict(PARTS=32, LANES=lanes, WHOLE=whole, READS=True, ENDS=True, AHEAD=ahead, BINARY=half, num_warps=warps)
                options |= dict(maxnreg=answer.REGISTERS) if ahead and whole and half and warps == 4 else {{}}
                (kernel,) = cross_compile.compiled([(answer.bands_kernel, args, options)], capability)
                told.append(cross_compile.assembled(kernel) | dict(whole=whole, dtype=str(dtype), num_warps=warps))
print(json.dumps(told))
"""


@pytest.mark.slow
def test_the_tuned_form_fits_a_t4_and_an_h200(tmp_path):
    """Its kernels are launched by no check at their widest, so they are compiled here: for a T4 without a spilled register."""
    pytest.importorskip("triton")
    kernels = json.loads(ran(tmp_path, COMPILED.format(here=str(HERE))))
    old = [kernel for kernel in kernels if kernel["target"] == "sm_75"]
    assert len(kernels) == 24 and len(old) == 12
    half = {one["whole"]: one["registers"] for one in kernels if one["target"] != "sm_75" and one["dtype"] == "torch.float16" and one["num_warps"] == 4}  # fmt: skip
    assert half[True] <= 96 < half[False], "the text says that masks cost registers, and how many are asked for"
    few = [one for one in kernels if one["target"] != "sm_75" and one["dtype"] == "torch.float16" and one["whole"]]
    hardly = 96 * 4 // 10  # bytes a thread, stored and loaded: 8 and 8 in Triton 3.9, 0 in 3.6 and 3.8
    assert max(kernel["spilled"] for kernel in few) < hardly, "the text says that hardly anything spills"
    assert [kernel for kernel in old if kernel["spilled"] or kernel["shared"] > 64 << 10] == []
    assert [kernel for kernel in kernels if kernel["shared"] > 227 << 10] == []
