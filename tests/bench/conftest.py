"""Lessons with a plan, the device of this process, and a runner that measures here instead of in a child."""

from __future__ import annotations

import pytest

from learning import lesson as lessons
from learning.attempts import answer
from learning.bench import plan, runner
from learning.judge import cells, engine
from learning.lens import device

QUICK = {"rounds": 4, "few": 2, "block_seconds": 0.0005, "compiled": False}
PLANNED = [lesson.slug for lesson in lessons.discover() if plan.has_plan(lesson)]


@pytest.fixture(scope="session")
def opened():
    """The device of the test process: a virtual card, or a GPU."""
    return device.current()


@pytest.fixture
def functions():
    """``functions(slug)``: the supplied answer's entry and tuned versions, loaded as the benchmark loads them."""

    def load(slug):
        card = lessons.load(slug)
        setups = engine.Plan.of(engine.instructor_notebook(card), card).setups
        loads = [[f"setup-{name}", source, cells.SETUP] for name, source in setups]
        names = (card.entry, *plan.load(card).tuned)
        return runner.load([*loads, ["answer.py", answer(card).source, cells.ANSWER]], {name: name for name in names})

    return load


class Here:
    """A runner without a child: it measures in this process, with tiny sizes and few rounds, and remembers the jobs."""

    def __init__(self, opened, **how):
        self.opened, self.how, self.jobs = opened, QUICK | how, []

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        return None

    def run(self, job, say=print):
        self.jobs.append(job)
        found = plan.load(lessons.load(job["slug"]))
        tiny = {shape.name: found.tiny for shape in found.shapes}
        asked = {**job, "shapes": tiny, "how": {**job["how"], **self.how}}
        return runner.measured(asked, runner.load(job["loads"], job["answers"]), self.opened, say)


@pytest.fixture
def here(opened):
    """The runner of this process."""
    return Here(opened)


def one(name, kind, median, *, ratio=None, floor=None, launch=None, unavailable="", impossible=False):
    return {
        "name": name, "kind": kind, "unavailable": unavailable, "why_no_graph": "", "compiled": False, "rounding": "fp32",
        "median": {} if unavailable else {"graph": median, "events": median * 1.25},
        "interval": None if unavailable else {"low": median * 0.99, "high": median * 1.01},
        "ratio": ratio, "floor_share": floor, "launch_share": launch, "impossible": impossible,
        "wall_agrees": {"k": 50, "n": 50},
        "errors": [{"output": 0, "relative_l2": 2.1e-4, "largest": 1e-3}],
        "graph": None if unavailable else {"microseconds": [median] * 4, "wall_microseconds": [median] * 4, "calls": 10},
        "events": None,
    }  # fmt: skip


def verdict(ratio, word):
    return {"ratio": ratio, "low": ratio * 0.99, "high": ratio * 1.01, "verdict": word}


@pytest.fixture
def softmax_case():
    """An answer at 94 % of the floor, faster than eager, as fast as Liger; one peer could not be measured."""
    return {
        "case": "8192 x 8192", "about": "8192 rows of 8192, float16", "timing": "graph", "cold": True, "copies": 3,
        "work": {"bytes": 268.4e6, "flops": 3.4e8, "tensor_cores": False},
        "floor": {"microseconds": 63.3, "bound": "memory", "card": "H200", "source": "copy measured on an H200"},
        "control": verdict(1.0, "as fast"),
        "clock": {"lowest": 1965, "median": 1980, "highest": 1980, "held_down": []},
        "results": [
            one("softmax", "answer", 67.3, floor=0.94, launch=0.2),
            one("eager", "peer", 257.0, ratio=verdict(0.262, "faster"), floor=0.25),
            one("Liger", "peer", 67.0, ratio=verdict(1.004, "as fast"), floor=0.945),
            one("cuBLAS", "peer", 0.0, unavailable="not a matmul"),
            one("copy of as many bytes", "ceiling", 63.3, ratio=verdict(1.06, "slower"), floor=1.0),
        ],
    }  # fmt: skip
