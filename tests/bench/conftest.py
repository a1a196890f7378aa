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
