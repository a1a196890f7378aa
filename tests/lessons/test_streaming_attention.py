"""A3's own promises: its numbers computed again, what its exhibits show, its other two walks, what was compiled for which card."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from learning import attempts, lesson
from learning.lens import rehearsal
from tests.lessons.compiling import ran
from tests.lessons.tuned import passes_every_check

HERE = Path(__file__).parent
CARD = lesson.find("streaming_attention")
TEXT = (CARD.folder / "lesson.md").read_text(encoding="utf-8")
T4, H200, T4_FLOPS, H200_FLOPS = 320e9, 4.24e12, 8.1e12, 663e12
HEAD, SCORES, WORK = 2048 * 64 * 2, 2048 * 2048 * 4, 4 * 64 * 2048 * 2048
WRITTEN = 2 * SCORES + SCORES  # scores in float32 there and back, weights in half as many bytes

CLAIMS = [
    ("Each of q, k, v and the result is 0.26 MB", 0.26, round(HEAD / 1e6, 2)),
    ("Scores in float32 are 16.8 MB, weights in fp16 are 8.4", 16.8, round(SCORES / 1e6, 1)),
    ("Scores in float32 are 16.8 MB, weights in fp16 are 8.4", 8.4, round(SCORES / 2e6, 1)),
    ("once each | 1.05 MB | at least 3.3 µs | at least 0.25 µs |", 1.05, round(4 * HEAD / 1e6, 2)),
    ("once each | 1.05 MB | at least 3.3 µs | at least 0.25 µs |", 3.3, round(4 * HEAD / T4 * 1e6, 1)),
    ("once each | 1.05 MB | at least 3.3 µs | at least 0.25 µs |", 0.25, round(4 * HEAD / H200 * 1e6, 2)),
    ("(50.3 MB, 157 and 11.9 µs.)", 50.3, round(WRITTEN / 1e6, 1)),
    ("(50.3 MB, 157 and 11.9 µs.)", 157, round(WRITTEN / T4 * 1e6)),
    ("(50.3 MB, 157 and 11.9 µs.)", 11.9, round(WRITTEN / H200 * 1e6, 1)),
    ("forty-eight bytes in forty-nine", 48, round(49 * WRITTEN / (WRITTEN + 4 * HEAD))),
    ("the scores of one head would be 68.7 GB", 68.7, round(131072**2 * 4 / 1e9, 1)),
    ("1.07 · 10⁹ operations, 133 µs", 1.07, round(WORK / 1e9, 2)),
    ("1.07 · 10⁹ operations, 133 µs", 133, round(WORK / T4_FLOPS * 1e6)),
    ("a T4, 1.6 µs at the 663 · 10¹² a second", 1.6, round(WORK / H200_FLOPS * 1e6, 1)),
    ("it visits 2080 tiles of 4096", 2080, 64 * 65 // 2),
    ("it visits 2080 tiles of 4096", 4096, 64 * 64),
    ("2048 × 4 × 66 numbers of float32, written and read, 4.3 MB", 4.3, round(2 * 2048 * 4 * 66 * 4 / 1e6, 1)),
    ("(128 programs; 8 steps of 64 keys;", 128, 2048 // 64 * 4),
    ("(128 programs; 8 steps of 64 keys;", 8, 512 // 64),
]  # fmt: skip


@pytest.mark.parametrize(("sentence", "number", "recomputed"), CLAIMS)
def test_a_number_in_the_text_is_the_number_computed(sentence, number, recomputed):
    assert sentence in TEXT
    assert number == recomputed


def test_no_time_of_ours_is_claimed_and_the_measured_rates_name_their_machine():
    assert "what an H200 took stands in docs/reference-results.md" in TEXT
    assert "that cuBLAS reached in fp16 on that H200 (torch 2.11)" in TEXT


def test_the_scope_is_stated_in_the_contract():
    for word in (
        "one head",
        "forward only",
        "dropout",
        "padding lengths",
        "arbitrary masks",
        "cross-attention",
        "batch",
    ):
        assert word in CARD.contract.split("**Scope**")[1]


def test_the_supplied_answer_meets_the_predictions_that_are_right():
    seen = rehearsal.run(
        CARD.folder, 'DEVICE = "cpu"\n' + attempts.answer(CARD).source, CARD.entries, outputs=["0,0", "1,5", "69,15"]
    )
    (launch,), tensors = seen["launches"], seen["tensors"]
    assert launch["programs"] == 3 and launch["tile"] == [32, 16]
    passes = {n: tensors[n]["load_passes"] + tensors[n]["store_passes"] for n in ("q", "k", "v", "out")}
    assert passes == {"q": 1, "k": 3, "v": 3, "out": 1}
    assert tensors["out"]["masked_stores"] == 26 * 16 and tensors["k"]["others"] == [0.0]
    assert seen["output"] == {"0,0": 0.0, "1,5": 0.5, "69,15": 34.5} and seen["problems"] == []


@pytest.fixture
def answer():
    """The supplied answer as a module, set up as a notebook sets it up."""
    from learning.lens import device
    from learning.lessons.streaming_attention import answer

    answer.DEVICE = device.current().torch_device
    return answer


@pytest.mark.parametrize("name", ["skipping", "tuned"])
def test_the_other_walks_refuse_what_the_contract_excludes(answer, name):
    import torch

    x = torch.zeros(4, 16, dtype=torch.float16, device=answer.DEVICE)
    for given, options, words in (
        ((x, x[:3], x), {"causal": True}, r"k must have the shape of q, \(4, 16\)"),
        ((x, x, x.float()), {"causal": True}, "v must have dtype float16 or bfloat16"),
        ((x, x, x), {"causal": 1}, "causal must be True or False, not 1"),
        ((x, x, x), {"causal": True, "block_n": 16}, "block_n must be 32 or 64, not 16"),
    ):
        with pytest.raises((TypeError, ValueError), match=words):
            getattr(answer, name)(*given, **options)


def test_what_is_left_out_changes_no_bit(answer):
    import torch

    source = torch.Generator().manual_seed(3)
    q, k, v = (torch.randn(75, 32, generator=source).half().to(answer.DEVICE) for _ in range(3))
    for causal in (True, False):
        one, other = (walk(q, k, v, causal=causal) for walk in (answer.attention, answer.skipping))
        assert torch.equal(one, other)


@pytest.mark.parametrize(
    ("tokens", "causal"), [(300, True), *(pytest.param(n, n > 500, marks=pytest.mark.slow) for n in (270, 545))]
)
def test_parts_are_merged_within_the_bounds_of_the_checks(answer, tokens, causal):
    """Longer than any checked case, so that the keys are really shared out; scores rise, so that each part has another maximum."""
    import torch

    from learning.judge.compare import Bounds, compare
    from learning.lessons.streaming_attention.reference import attention_reference, condition_in

    source = torch.Generator().manual_seed(tokens)
    q, k, v = (torch.randn(tokens, 16, generator=source).half() for _ in range(3))
    q[:, 0], k[:, 0] = 4.0, torch.arange(tokens) * 0.05
    made = answer.tuned(*(x.to(answer.DEVICE) for x in (q, k, v)), causal=causal).cpu()
    wide = [x.double() for x in (q, k, v)]
    truth, eager = attention_reference(*wide, causal=causal), attention_reference(q, k, v, causal=causal)
    assert compare(made, truth, eager, Bounds(terms=tokens), condition_in(q.dtype)(*wide, causal=causal)) is None


@pytest.mark.slow
@pytest.mark.parametrize("name", ["skipping", "tuned"])
def test_the_other_walks_pass_every_check(answer, name, monkeypatch):
    passes_every_check(CARD, getattr(answer, name), monkeypatch)


def test_the_keys_are_cut_as_the_text_says_and_short_calls_are_not(answer, monkeypatch):
    """The launches are looked at, nothing runs."""
    import torch

    seen = {}

    class Part:
        def __getitem__(self, grid):
            return lambda *args, **options: seen.update(
                grid=grid({"BLOCK_M": 64}), parts=args[8], part_keys=args[9], scratch=args[5].shape
            )

    class Merge:
        def __getitem__(self, grid):
            return lambda *args, **options: seen.update(merged=grid)

    monkeypatch.setattr(answer, "part_kernel", Part())
    monkeypatch.setattr(answer, "merge_kernel", Merge())
    monkeypatch.setattr(answer, "skipping", lambda *args, **options: seen.update(parts=1))
    x = torch.empty(2048, 64, dtype=torch.float16, device=answer.DEVICE)
    answer.tuned(x, x, x, causal=True)
    assert seen == {"grid": (32, 4), "parts": 4, "part_keys": 512, "scratch": (2048, 4, 64), "merged": (256,)}
    answer.tuned(x[:1025], x[:1025], x[:1025], causal=False)
    assert seen["parts"] == 4 and 4 * seen["part_keys"] >= 1025
    answer.tuned(x[:256], x[:256], x[:256], causal=True)
    assert seen["parts"] == 1


COMPILED = """
import json, sys
sys.path.insert(0, {here!r})
import torch, cross_compile
from learning import lesson

capability, made = int(sys.argv[1]), []
torch.cuda.is_available, torch.cuda.get_device_capability = lambda: True, lambda *_: divmod(capability, 10)
answer = cross_compile.load(lesson.find("streaming_attention").folder / "answer.py")
assert 4 <= len(answer.pieces()) <= 8
for dtype in answer.DTYPES:
    x, part = torch.empty(2048, 64, dtype=dtype), torch.empty(2048, 4, 64)
    for config in answer.pieces():
        args = (x, x, x, part, part, part, 2048, 0.18, 4, 512)
        launch = (answer.part_kernel.fn, args, dict(CAUSAL=True, D=64, **config.all_kwargs()))
        made += [cross_compile.assembled(kernel) for kernel in cross_compile.compiled([launch], capability)]
    launch = (answer.merge_kernel, (part, part, part, x, 2048), dict(D=64, PARTS=4, ROWS=8, num_warps=4))
    made += [cross_compile.assembled(kernel) for kernel in cross_compile.compiled([launch], capability)]
print(json.dumps(made))
"""


@pytest.mark.slow
@pytest.mark.parametrize(("capability", "shared"), [("75", 64 << 10), ("90", 227 << 10)])
def test_every_configuration_of_the_tuned_version_fits_its_card(tmp_path, capability, shared):
    pytest.importorskip("triton")
    kernels = json.loads(ran(tmp_path, COMPILED.format(here=str(HERE)), capability))
    assert len(kernels) >= 2 * 5
    assert [kernel for kernel in kernels if kernel["spilled"] or kernel["shared"] > shared] == []


LARGER = """
import json, sys
sys.path.insert(0, {here!r})
import torch, cross_compile
from learning import lesson

answer = cross_compile.load(lesson.find("streaming_attention").folder / "answer.py")
x, told = torch.empty(128, 64, dtype=torch.float16), {{}}
for queries, keys in ((32, 32), (16, 64), (32, 64)):
    options = dict(CAUSAL=True, D=64, BLOCK_M=queries, BLOCK_N=keys, num_warps=8)
    (made,) = cross_compile.compiled([(answer.attention_kernel, (x, x, x, x, 128, 0.125), options)], 75)
    told[f"{{queries}} x {{keys}}"] = cross_compile.assembled(made)["spilled"]
print(json.dumps(told))
"""


@pytest.mark.slow
def test_a_t4_has_the_registers_that_the_text_says(tmp_path):
    pytest.importorskip("triton")
    told = json.loads(ran(tmp_path, LARGER.format(here=str(HERE))))
    assert told["32 x 32"] == told["16 x 64"] == 0 < told["32 x 64"]
    assert "With 8 warps these two fit for every D; 32 × 64 does not." in TEXT


def cell(name):
    """The text of a fence of the lesson."""
    return TEXT.split(f'name="{name}"')[1].split("\n", 1)[1].split("\n```")[0]


def test_the_exhibits_show_what_the_text_says(tmp_path):
    said = ran(tmp_path, "\n\n".join(["import torch", cell("two_pieces"), cell("a_short_sum")]))
    shown = {line[:19].strip(): float(line[19:]) for line in said.splitlines()[:4]}
    assert shown["both mended"] == shown["all at once"] != shown["neither"]
    assert shown["the sum alone"] > 60 > shown["neither"] > 10
    assert "a float16 sum of ones stops at 2048, after 2048 of them" in said
