"""A class graded by a command that is killed again and again: nothing is lost, done twice or left stale."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.grading.conftest import LESSON
from tests.grading.kit import ROOT

KILLS = int(os.environ.get("KILLS", "100"))
WRONG = "EMPTY = 0\n\n\ndef push(state, x):\n    return state\n"

pytestmark = pytest.mark.slow


@pytest.fixture
def under_fire(built, tmp_path):
    """A course of six: three right answers, a wrong one, an untouched one, a file cut off."""
    course = built.copy_to(tmp_path / "course")
    (course.root / "home").mkdir(exist_ok=True)
    for name in ("ada", "bob", "cyd"):
        notebook = course.answered(LESSON)
        notebook["cells"].append({"cell_type": "code", "metadata": {}, "source": f"mine = {name!r}", "outputs": []})
        course.submit(name, LESSON, notebook)
    course.submit("dan", LESSON, course.with_answer(LESSON, WRONG))
    course.submit("eve", LESSON, course.release(LESSON))
    course.submit("fay", LESSON, '{"cells": [')
    return course


@pytest.mark.timeout(3600)
def test_killed_a_hundred_times_nothing_is_lost_repeated_or_stale(under_fire, record_property, capsys):
    seed = int.from_bytes(os.urandom(4), "big")
    command = [sys.executable, "-m", "tests.grading.kills", str(under_fire.root), LESSON, str(KILLS), str(seed)]
    done = subprocess.run(command, cwd=ROOT, env=under_fire.environment(), capture_output=True, text=True, timeout=3500)
    assert done.returncode == 0, f"seed {seed}: {done.stderr[-3000:]}\n{done.stdout[-1000:]}"
    told = [json.loads(line) for line in done.stdout.splitlines()]
    first, last, tries = told[0], told[-1], told[1:-1]
    killed = [one for one in tries if one["ended"] == "killed"]
    assert len(killed) >= KILLS and sum(one["alone"] for one in killed) >= KILLS // 4
    assert first["first"] == last["last"] == "finished 1", "the file that is cut off makes the exit status"
    assert last["states"] == {"graded": 5, "failed to grade": 1}
    found = under_fire.scores(LESSON)
    earned = {name: sum(score or 0 for score, _, _ in cells.values()) for name, cells in found.items()}
    assert (earned["ada"], earned["bob"], earned["cyd"]) == (16.0, 16.0, 16.0)
    assert earned["dan"] < 16.0 and earned["eve"] == earned["fay"] == 0.0
    assert {score for score, _, _ in found["fay"].values()} == {None}
    interrupted = sum("regrade pending" in one["states"] for one in killed)
    assert interrupted, "no kill fell into a regrade"
    assert last["litter"] <= 10, "half-written files of killed runs pile up"
    with capsys.disabled():
        print(f"\n{len(killed)} kills, {sum(one['alone'] for one in killed)} of the command alone, in {last['rounds']} rounds; "
              f"{interrupted} left a regrade pending; seed {seed}")  # fmt: skip
    record_property("kills", len(killed))
