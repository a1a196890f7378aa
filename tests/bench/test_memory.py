"""How much memory a lesson needs: an estimate from shapes that can be recomputed by hand, and the script that measures it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from learning import lesson as lessons
from learning.bench import footprint, plan
from learning.course import ROOT
from tests.bench.conftest import PLANNED
from tests.bench.test_scripts import script

MIB = 1 << 20
BUDGET = 12e9


def test_vector_adds_largest_shape_is_what_one_can_count_by_hand():
    found = plan.load(lessons.load("vector_add"))
    made = footprint.estimate(found, found.shape("64 Mi"))
    assert (made.inputs, made.outputs, made.calls) == (512 * MIB, 256 * MIB, 256 * MIB)
    # two inputs and the truth as doubles, one result, the result as doubles and its distance from the truth
    assert made.truth == (2 * 512 + 512 + 256 + 512 + 512) * MIB
    assert made.total == made.inputs + made.truth and made.unseen == ()


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 4096), min_size=1, max_size=8), st.booleans())
def test_what_is_alive_at_one_time_is_counted_and_what_has_died_is_not(sizes, kept):
    x = torch.empty(1, device="meta")
    rounded = [-(-4 * size // 512) * 512 for size in sizes]

    def call():
        made = []
        for size in sizes:
            one = x.new_zeros(size)
            made.append(one.view(-1)) if kept else None
            del one
        return made

    _, most = footprint.watched(call)
    assert most == (sum(rounded) if kept else max(rounded))


def test_views_and_writes_in_place_cost_nothing():
    x = torch.empty(1024, device="meta")
    assert footprint.watched(lambda: x.view(32, 32).t().add_(1)[3])[1] == 0
    assert footprint.watched(lambda: x.add(1).mul_(2).view(32, 32))[1] == 4096


@pytest.mark.parametrize("slug", PLANNED)
def test_every_lesson_is_estimated_to_fit_a_t4_with_room_to_spare(slug):
    found = plan.load(lessons.load(slug))
    for shape in found.shapes:
        made = footprint.estimate(found, shape)
        assert made.inputs < made.total < BUDGET, f"{slug}, {shape.name}: {made}"
        assert made.unseen == () and made.outputs, f"{slug}, {shape.name}: {made}"


# ---- the script


@pytest.fixture(scope="module")
def peak():
    return script("peak_memory")


class Card:
    """A card whose driver tells more taken memory at every look, up to ``most``."""

    def __init__(self, most):
        self.most, self.looks = most, 0

    def taken(self):
        self.looks += 1
        return min(self.most, 100 * self.looks)


def test_the_card_is_watched_until_the_work_ends(peak, monkeypatch):
    monkeypatch.setattr(peak, "LOOK_EVERY", 0.001)
    card = Card(1000)
    with peak.watch(card) as seen:
        while card.looks < 30:
            pass
    looks = card.looks
    assert max(seen) == 1000 and seen[0] == 100 and card.looks == looks


def test_the_script_of_a_lesson_is_its_notebook_with_the_answer_typed_in(peak):
    made = peak.script(lessons.load("vector_add"))
    compile(made, "vector_add.py", "exec")
    assert made.index("session.begin(") < made.index("def add_kernel(") < made.index("benchmark(add, samples")
    assert "HIDDEN TESTS" not in made and "tl.load" in made


@pytest.mark.slow
@pytest.mark.skipif(torch.cuda.is_available(), reason="the script itself runs here")
def test_its_cells_run_from_top_to_bottom_as_a_script(peak, tmp_path):
    """Here on the virtual T4, in a process as the script makes one."""
    code = (
        f"import sys; sys.path[:0] = [{str(ROOT)!r}, {str(ROOT / 'benchmarks')!r}]; import peak_memory\n"
        "from learning import lesson; peak_memory.run_cells(lesson.load('vector_add'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env=os.environ | {"MPLBACKEND": "agg"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    kept = (tmp_path / "progress.jsonl").read_text(encoding="utf-8")
    assert kept.count('"parity"') >= 4 and "do_bench needs a CUDA GPU" in done.stderr


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_without_a_gpu_nothing_is_measured_and_the_status_says_so(peak, capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(peak, "RECORD", tmp_path / "peak-memory.json")
    assert peak.main([]) == 3 and "nothing was measured" in capsys.readouterr().out
    assert not peak.RECORD.exists()


def test_a_process_that_dies_is_a_failure_with_its_last_words(peak, monkeypatch):
    dying = SimpleNamespace(returncode=1, stdout="", stderr="Traceback\ntorch.OutOfMemoryError: CUDA out of memory")
    monkeypatch.setattr(peak.subprocess, "run", lambda *command, **how: dying)
    found = peak.apart(lessons.load("vector_add"))
    assert found == {"failed": "exit status 1: torch.OutOfMemoryError: CUDA out of memory"}
    assert peak.sentence(found).startswith("FAILED: exit status 1")


@pytest.mark.parametrize(("taken", "fits"), [(12e9, True), (12.1e9, False)])
def test_what_was_taken_is_held_against_12_gb(peak, monkeypatch, taken, fits):
    parts = {"notebook": {"allocated": 3e9, "reserved": 4e9}, "shapes": {"allocated": 2e9, "reserved": 2e9}}
    told = peak.RESULT + json.dumps({"parts": parts, "taken": taken, "card_bytes": 143e9})
    done = SimpleNamespace(returncode=0, stdout=f"noise\n{told}\n", stderr="")
    monkeypatch.setattr(peak.subprocess, "run", lambda *command, **how: done)
    found = peak.apart(lessons.load("vector_add"))
    assert found["fits"] is fits and f"{taken / 1e9:.2f} GB of the card" in peak.sentence(found)
    assert "notebook 3.00 GB in tensors" in peak.sentence(found) and len(found["plan_source"]) == 64
