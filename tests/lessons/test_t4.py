"""On a T4, which is not here: bf16 cases are skipped with their reason, points for speed are ratios, and the page says so.

The checks of every lesson are walked through as they run on a T4 and on a newer card: its answer is called without a kernel
being launched, and what the parity protocol was asked to judge is noted.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import sys

import pytest

torch = pytest.importorskip("torch")
if importlib.util.find_spec("triton") is None:
    pytest.skip("Triton is not installed", allow_module_level=True)

from learning import contract  # noqa: E402
from learning import lesson as lessons  # noqa: E402
from learning.course import ROOT  # noqa: E402
from learning.judge import Check, setting  # noqa: E402
from learning.judge.finding import NeedsDevice  # noqa: E402
from learning.judge.trial import Trial  # noqa: E402
from learning.lens import device  # noqa: E402
from tests.lessons import cross_compile  # noqa: E402

CARDS = [card for card in lessons.discover() if card.kind == "gpu"]
T4 = device.Device("cuda", "cuda", "Tesla T4", (7, 5))
NEWER = device.Device("cuda", "cuda", "NVIDIA H200", (9, 0))
MOST = 1 << 22
"""Elements of an input: the timing checks draw more, and nothing is timed here."""


class Walked(Trial):
    """A trial on a GPU that is not here: tensors lie on the CPU, and what parity judges is noted in ``judged``."""

    torch_device = "cpu"

    def __init__(self, *given):
        super().__init__(*given)
        self.judged = set()

    def normal(self, *shape, dtype=None, scale=1.0, offset=0.0):
        if torch.Size(shape).numel() > MOST:
            raise NeedsDevice("nothing is timed here")
        return super().normal(*shape, dtype=dtype, scale=scale, offset=offset)

    def structure(self, entry, *args, **options):
        return cross_compile.Unseen()

    def returns(self, entry, *args, **options):
        self.judged |= {value.dtype for value in args if isinstance(value, torch.Tensor)}
        return entry(*args, **options)

    def interleaved(self, entry, args, other, **options):
        self.judged |= {value.dtype for value in args if isinstance(value, torch.Tensor)}

    def faster(self, entry, args, **options):
        raise NeedsDevice("nothing is timed here")

    def expect(self, *condition, **words): ...

    def same(self, *results, **words): ...

    def rejects(self, *args, **words): ...

    def house_rules(self, *args, **words): ...


@pytest.fixture
def walk(monkeypatch):
    """``walk(card, opened)``: check name → the trial that went through it as on the device ``opened``."""
    from triton.runtime.jit import JITFunction

    from learning.judge import parity

    running = []

    class Noting:
        """Stands where the parity protocol stands: a case that comes so far is judged."""

        torch_calls, tried = (), False

        def __init__(self, entry, args, options, case):
            tensors = [value for value in (*args, *options.values()) if isinstance(value, torch.Tensor)]
            running[-1].judged |= {tensor.dtype for tensor in tensors}

        def decide(self): ...

    monkeypatch.setattr(parity, "Parity", Noting)
    monkeypatch.setattr(JITFunction, "run", lambda self, *args, **options: None)
    monkeypatch.setattr(contract, "_kernel_device", lambda: "cpu")

    def walked(card, opened):
        monkeypatch.setattr(device, "current", lambda: opened)
        answer = cross_compile.load(card.folder / "answer.py")
        found = {}
        with setting.use(setting.Setting(lesson=card.slug, device="cuda")):
            for name in ("checks", "hidden"):
                for check in vars(cross_compile.load(card.folder / f"{name}.py")).values():
                    if isinstance(check, Check):
                        running.append(Walked(check, setting.current()))
                        found[check.name] = running[-1]
                        try:
                            check.function(*(getattr(answer, entry) for entry in check.entries), running[-1])
                        except NeedsDevice:
                            continue
        return found

    return walked


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.slug)
def test_a_case_in_bf16_is_skipped_with_its_reason_and_every_other_is_judged(card, walk):
    newer, here = walk(card, NEWER), walk(card, T4)
    narrow = torch.bfloat16
    assert [name for name, trial in newer.items() if narrow in trial.judged], "no check has a case in bf16"
    assert not [name for name, trial in newer.items() if trial.skipped]
    for name, trial in here.items():
        assert trial.judged == newer[name].judged - {narrow}, name
        if narrow in newer[name].judged:
            (line,) = trial.skipped
            assert line.startswith("bfloat16: ") and "emulated on Tesla T4" in line and "float16" in line


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.slug)
def test_points_for_speed_are_a_ratio_to_an_answer_timed_on_the_same_card(card):
    """``trial.faster`` takes ratios, and without ``anchor`` times the lesson's own answer beside the learner's."""
    tree = ast.parse((card.folder / "hidden.py").read_text(encoding="utf-8"))
    timed = [
        node for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "faster"
    ]  # fmt: skip
    assert len(timed) == 1
    given = {word.arg: word.value for word in timed[0].keywords}
    bars = [given[name].value for name in ("full", "half")]
    assert "anchor" not in given and bars == [1.25, 2.0], "docs/t4.md says which ratios"


# ---- the page


@pytest.fixture(scope="module")
def page():
    spec = importlib.util.spec_from_file_location("t4_page", ROOT / "tools" / "t4_page.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["t4_page"] = module
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_its_records_and_the_plans_give(page):
    assert page.PAGE.read_text(encoding="utf-8") == page.page(), "run: python tools/t4_page.py --page"


@pytest.mark.slow
def test_every_answer_is_the_one_that_was_compiled(page):
    left = page.stale(json.loads(page.RECORD.read_text(encoding="utf-8")))
    assert not left, f"run: python tools/t4_page.py {' '.join(left)}"


def test_every_table_names_its_origin_and_no_run_is_claimed(page):
    text = page.PAGE.read_text(encoding="utf-8")
    assert "Nothing on this page was measured on a T4" in text
    _, *sections = text.split("\n## ")
    for section in sections:
        if "|---" in section:
            assert any(word in section.split("\n", 1)[1] for word in ("Origin:", "Origin of", "| origin |")), section[
                :40
            ]
    rows = [line for line in sections[0].splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 10
    for line in rows:
        assert line.rstrip("| ").split(" | ")[-1].startswith((page.PUBLISHED, page.COMPILED)), line


def test_what_is_kept_of_the_compiler_fits_a_t4_and_shows_what_the_page_says(page):
    kept = json.loads(page.RECORD.read_text(encoding="utf-8"))["lessons"]
    assert len(kept) > 10 and set(kept) <= {card.slug for card in CARDS}
    for slug, one in kept.items():
        mine, newer = one["cards"]["sm_75"], one["cards"]["sm_80"]
        assert (mine["spilled"], mine["tensor_cores"], mine["async_copies"], mine["bf16"]) == (0, 0, 0, 0), slug
        assert 0 < mine["registers"] <= 255 and mine["shared"] <= page.T4.shared_block, slug
        assert (newer["bf16"] > 0) is (slug != "strided_copy"), f"{slug}: a copy computes nothing, the others do"
    for slug in ("matmul", "gated_mlp", "fused_gemm", "streaming_attention"):
        assert kept[slug]["cards"]["sm_80"]["tensor_cores"] > 0 < kept[slug]["cards"]["sm_80"]["async_copies"]
        assert kept[slug]["cards"]["sm_75"]["fma"] >= 64


def test_a_changed_answer_is_stale_and_a_changed_comment_is_not(page, tmp_path):
    from types import SimpleNamespace

    path = tmp_path / "answer.py"
    lesson = SimpleNamespace(folder=tmp_path)
    hashes = []
    for text in ("x = 1\n", "# why\nx = 1\n\n", "x = 2\n"):
        path.write_text(text, encoding="utf-8")
        hashes.append(page.code_hash(lesson))
    assert hashes[0] == hashes[1] != hashes[2]


def test_a_measured_peak_replaces_not_measured_yet(page, tmp_path, monkeypatch):
    parts = {"notebook": {"allocated": 3.5e9, "reserved": 4e9}, "shapes": {"allocated": 2e9, "reserved": 2e9}}
    found = {"vector_add": {"fits": True, "parts": parts, "taken": 5.25e9}, "softmax": {"failed": "a | b"}}
    record = {
        "card": "NVIDIA H200",
        "date": "2026-12-01",
        "environment": {"torch": "2.11", "triton": "3.6.0"},
        "lessons": found,
    }
    (tmp_path / "peak.json").write_text(json.dumps(record), encoding="utf-8")
    monkeypatch.setattr(page, "MEMORY", tmp_path / "absent.json")
    before = "\n".join(page.memory_rows())
    assert before.count("not measured yet") == len(CARDS) and "writes the record" in before
    monkeypatch.setattr(page, "MEMORY", tmp_path / "peak.json")
    after = "\n".join(page.memory_rows())
    assert "| 5.25 GB | 3.50 GB |" in after and "failed: a \\| b" in after and "NVIDIA H200" in after
    assert after.count("not measured yet") == len(CARDS) - 2
