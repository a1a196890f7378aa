"""The benchmark cell: refused in words where it cannot time, and whole where it can; the GPU's clocks stand aside here."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
import torch

from learning import lesson as lessons
from learning import session as sessions
from learning.bench import notebook, plan
from learning.gates import records
from learning.gates.progress import progress
from learning.judge import setting
from learning.lens import device
from tests.bench.conftest import PLANNED


@pytest.fixture
def opened_lesson(tmp_path):
    """A notebook's session on vector_add, with its evidence in a folder of its own."""
    before = setting._default
    yield sessions.begin("vector_add", folder=tmp_path)
    setting.install(before)


def times(call, *, count=7):
    """What ``do_bench(call, return_mode="all")`` gives: milliseconds."""
    call()
    return [0.2 + 0.001 * k for k in range(count)]


@pytest.fixture
def on_a_gpu(monkeypatch, opened_lesson):
    """The cell believes in a T4: tiny shapes, CPU tensors, clocks that do not ask a GPU."""
    whole = plan.load(lessons.load("vector_add"))
    small = replace(whole, shapes=tuple(replace(shape, sizes=whole.tiny) for shape in whole.shapes))
    monkeypatch.setattr(notebook.plans, "load", lambda lesson: small)
    card = replace(device.current(), kind="cuda", name="Tesla T4", torch_device="cpu")
    monkeypatch.setattr(device, "current", lambda: card)
    monkeypatch.setattr(notebook, "_warm", lambda call: [1e3 * t + 10 for t in times(call)])
    monkeypatch.setattr(notebook, "_graph", lambda call: [1e3 * t for t in times(call)])
    monkeypatch.setattr(opened_lesson.history, "cells", lambda: [("In[1]", "def add(x, y):\n    return x + y\n")])
    return opened_lesson


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_without_a_gpu_it_says_so_in_one_sentence_and_how_to_get_one(opened_lesson):
    made = notebook.benchmark(lambda x, y: x + y, times)
    assert "needs a CUDA GPU" in repr(made) and "Colab" in repr(made) and "estimate" in repr(made)
    assert "<table" not in made._repr_html_() and not opened_lesson.evidence()


def test_the_answer_and_its_peers_are_timed_with_every_sample_kept(on_a_gpu):
    made = notebook.benchmark(torch.add, times)
    assert [case["case"] for case in made.cases] == ["4096", "64 Mi"], "the shape predictions are about comes last"
    last = made.cases[-1]
    assert last["microseconds"] == {"cold": 203.0, "warm": 213.0, "graph": 203.0, "events": 213.0}
    assert (
        last["launch_tax"] == 10.0 and len(last["samples"]["cold"]) == 7 and last["peers"]["eager"]["samples"]["warm"]
    )
    assert "compiled=True" in last["peers"]["torch.compile"]["unavailable"]
    kept = on_a_gpu.evidence()
    assert [one["event"] for one in kept] == ["benchmark"] and kept[0]["payload"]["cases"] == json.loads(
        json.dumps(made.cases)
    )
    gate = next(g for g in progress(on_a_gpu.lesson, kept).gates if g.id == "bench")
    assert gate.proved and made.words == ""


def test_its_display_is_a_table_in_html_and_in_text(on_a_gpu):
    made = notebook.benchmark(torch.add, times)
    text, page = repr(made), made._repr_html_()
    assert text.splitlines()[1].split()[:2] == ["64", "Mi"] and "launch tax" in text and "203 µs" in text
    assert page.count("<tr>") == len(made.rows()) and "<script" not in page
    rows = text.split("\n\n")[0].splitlines()
    assert len({line.index("µs") for line in rows if "µs" in line}) == 1


def test_a_sentence_reads_each_size_and_the_prediction_stands_beside_the_measurement(on_a_gpu):
    fields = {"microseconds": [100.0, 150.0], "launch_share": [0.0, 0.1], "bound": "memory", "grid": [3]}
    on_a_gpu.note("prediction", {"fields": fields, "case": "", "revision": False})
    made = notebook.benchmark(torch.add, times)
    assert [line.split(":")[0] for line in made.sentences] == ["64 Mi float32 elements", "4096 float32 elements"]
    assert "as fast as eager" in made.sentences[0] and "the measurement lies above: 1.35 × 150 µs" in made.sentences[0]
    assert {row[0].split()[0] for row in made.compared[1:]} == {"microseconds", "launch_share", "bound"}
    assert "100 to 150 µs" in repr(made) and "100 to 150 µs" in made._repr_html_()


def test_further_cases_of_the_answer_come_before_the_headline(on_a_gpu):
    x = torch.ones(5)
    made = notebook.benchmark(torch.add, times, also=lambda: {"halves": lambda: torch.add(x, x), "4096": None})
    assert [case["case"] for case in made.cases] == ["halves", "4096", "64 Mi"] and "halves" in repr(made)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda x, y: None, "returns None so far"),
        (lambda x, y: x - y, "Fast and wrong is worth nothing"),
        (lambda x, y: x[:5], "is wrong"),
        (lambda x, y: x + y + 1e-3, "Fast and wrong is worth nothing"),
        (lambda x, y: torch.full_like(x, float("nan")), "is wrong"),
    ],
)
def test_what_is_not_written_or_wrong_is_not_timed(on_a_gpu, answer, words):
    made = notebook.benchmark(answer, times)
    assert words in repr(made) and not made.cases and not on_a_gpu.evidence()


def test_a_peer_that_fails_costs_nothing(on_a_gpu, monkeypatch):
    whole = notebook.plans.load(None)

    def fails(x, y):
        if seen:
            raise RuntimeError("no kernel for this card")
        seen.append(1)
        return x + y

    seen: list[int] = []
    peers = (whole.peers[0], replace(whole.peers[0], name="vendor", call=fails))
    seen.append(1)
    monkeypatch.setattr(notebook.plans, "load", lambda lesson: replace(whole, peers=peers))
    made = notebook.benchmark(torch.add, times)
    assert "no kernel for this card" in made.cases[-1]["peers"]["vendor"]["unavailable"]
    assert "no kernel" in repr(made)


@pytest.mark.parametrize("slug", PLANNED)
def test_the_cell_is_estimated_to_take_under_a_minute_on_a_t4(slug):
    assert 0.5 < notebook.estimate(plan.load(lessons.load(slug))) < 60


@pytest.mark.parametrize("slug", PLANNED)
def test_every_lesson_has_its_benchmark_cell_and_names_its_entry(slug):
    text = (lessons.load(slug).folder / "lesson.md").read_text(encoding="utf-8")
    cell = re.search(r'```python role="show" name="benchmark"\n(.*?)\n```', text, re.DOTALL)
    assert cell and 'do_bench(call, return_mode="all")' in cell[1]
    assert f"benchmark({lessons.load(slug).entry}, samples" in cell[1]


def record(device="cuda", source="a" * 64, **case):
    return {
        "event": "benchmark",
        "lesson": "vector_add",
        "device": device,
        "source": source,
        "payload": {"cases": [case]},
    }


@pytest.mark.parametrize(
    ("made", "proved"),
    [
        (record(samples={"cold": [1.0]}), True),
        (record(samples={"cold": []}), False),
        (record(samples=[1.0]), False),
        (record(), False),
        (record(samples={"cold": [1.0]}, device="interpreter"), False),
        (record(samples={"cold": [1.0]}, source=""), False),
        ({**record(), "payload": {"cases": "none"}}, False),
        ({**record(), "payload": {"cases": [None]}}, False),
    ],
)
def test_gate_07_wants_samples_of_the_answer_from_a_gpu(made, proved):
    gate = next(g for g in progress(lessons.load("vector_add"), [made]).gates if g.id == "bench")
    assert gate.proved is proved and gate.why
    assert records.FILE
