"""On a GPU: the command as a learner types it, in both timings, and the notebook's cell with its real clocks."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import torch

from learning import course
from learning import lesson as lessons
from learning.bench import notebook, record
from learning.judge import setting

pytestmark = pytest.mark.gpu


@pytest.mark.parametrize("timing", ["graph", "events"])
def test_the_command_times_the_supplied_answer_and_writes_every_sample(tmp_path, timing):
    target = tmp_path / "out.json"
    done = subprocess.run(
        [sys.executable, "-m", "learning.workshops.benchmark", "--op", "vector_add", "--solution", "--timing", timing, "--output", str(target)],
        cwd=course.ROOT, capture_output=True, text=True, check=False, timeout=280,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    made = json.loads(target.read_text())
    record.check(made)
    for case in made["runs"][0]["cases"]:
        mine = case["results"][0]
        assert case["timing"] == timing and len(mine[timing]["microseconds"]) == 50 and not mine["impossible"]
        assert mine["graph"] and mine["events"] and mine["launch_share"] is not None


def test_the_cell_tells_cold_warm_and_replayed_apart():
    from triton import testing

    card = lessons.load("vector_add")
    with setting.use(setting.Setting(lesson=card.slug, device="cuda")):
        made = notebook.benchmark(torch.add, lambda call: testing.do_bench(call, return_mode="all"))
    assert [case["case"] for case in made.cases] == ["4096", "64 Mi"], made.words
    for case in made.cases:
        assert set(case["samples"]) == {"cold", "warm", "graph"} and case["microseconds"]["graph"] > 0
        assert case["launch_tax"] >= 0.0
