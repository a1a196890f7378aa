"""The benchmark command: who is timed, who is refused, what is written. Measured in this process with tiny sizes."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from learning import course
from learning import lesson as lessons
from learning.bench import record, runner
from learning.gates import records
from learning.judge import cells
from learning.judge.engine import Graded
from learning.judge.finding import FAILED, PASSED, CheckResult, Finding
from learning.workshops import timing
from learning.workshops.work import Places


@pytest.fixture
def places(tmp_path):
    """The course's own releases, and a learner's empty folder."""
    return Places(course.ROOT, tmp_path / "work", tmp_path)


def right(lesson, learner, *, notebook, hidden, device, progress):
    """A judge that passes everything and looks at nothing."""
    return Graded(lesson.slug, 1, device, "none", [CheckResult("agrees", "agrees", 4.0, 4.0, PASSED, device=device)])


def wrong(lesson, learner, **_):
    result = CheckResult("agrees", "agrees with eager", 4.0, 0.0, FAILED)
    result.finding = Finding(rule="wrong values", called="add(x, y)", got="0", expected="2")
    return Graded(lesson.slug, 1, "cuda", "none", [result])


@pytest.fixture
def timed(places, opened, here):
    """``timed(arguments, grade=right)`` → exit status."""
    return lambda *arguments, grade=right, run=here: timing.main(
        list(arguments), places=places, grade=grade, opened=opened, run=run
    )


def solved(places, slug):
    """The learner's folder with our answer in the notebook's place."""
    card = lessons.load(slug)
    path = places.folder(card) / f"{slug}.py"
    path.parent.mkdir(parents=True)
    path.write_text(cells.starter_of("") + (card.folder / "answer.py").read_text())
    return path


def test_the_learners_answer_is_timed_beside_its_peers_and_kept_as_evidence(timed, places, capsys):
    path = solved(places, "vector_add")
    assert timed("--op", "L1", "--output", "out/times.json") == 0
    out = capsys.readouterr().out
    assert "eager" in out and "your answer takes" in out and "4096 float32 elements" in out and "out/times.json" in out
    made = json.loads((places.here / "out" / "times.json").read_text())
    record.check(made)
    run = made["runs"][0]
    assert (
        run["who"] == "learner"
        and run["op"] == "vector_add"
        and [case["case"] for case in run["cases"]] == ["64 Mi", "4096"]
    )
    log = records.read(places.log(lessons.load("vector_add"))).records
    assert [one["event"] for one in log] == ["benchmark"] and log[0]["source"]
    assert [case["case"] for case in log[0]["payload"]["cases"]] == ["4096", "64 Mi"] and log[0]["payload"][
        "via"
    ] == "benchmark"
    assert path.read_text().count("def add(") == 1


def test_a_wrong_answer_is_not_timed(timed, places, capsys, here):
    solved(places, "vector_add")
    assert timed("--op", "vector_add", grade=wrong) == 1
    out = capsys.readouterr().out
    assert "Not timed: agrees with eager" in out and not here.jobs


def test_a_starter_is_still_to_do(timed, capsys, here):
    assert timed("--op", "vector_add") == 2
    assert "Still TODO" in capsys.readouterr().out and not here.jobs


def test_the_supplied_answer_is_no_evidence(timed, places, capsys, here):
    assert timed("--op", "softmax", "--solution", "--timing", "events") == 0
    out = capsys.readouterr().out
    assert "no evidence of learning" in out and "the supplied answer takes" in out
    assert not places.log(lessons.load("softmax")).exists() and here.jobs[0]["how"]["timing"] == "events"


def test_an_answer_that_fails_while_timed_is_a_wrong_one_and_a_dead_process_is_the_benchmarks_fault(timed, capsys):
    class Fails:
        def __init__(self, failure):
            self.failure = failure

        def __enter__(self):
            return self

        def __exit__(self, *exc):
            return None

        def run(self, job, say):
            raise self.failure

    assert timed("--op", "L1", "--solution", run=Fails(runner.Failed("answer.py: NameError: x", answers=True))) == 1
    assert timed("--op", "L1", "--solution", run=Fails(runner.Failed("the process ended"))) == 70
    out = capsys.readouterr().out
    assert "the answer failed: answer.py: NameError" in out and "the benchmark failed: the process ended" in out


def test_all_skips_the_cpu_lesson_visibly(timed, places, capsys, monkeypatch):
    few = [lessons.load(slug) for slug in ("vector_add", "online_normalizer")]
    monkeypatch.setattr(timing.lessons, "discover", lambda: few)
    solved(places, "vector_add")
    assert timed("--op", "all", "--output", str(places.here / "all.json")) == 0
    out = capsys.readouterr().out
    assert "online_normalizer: not timed: a CPU lesson" in out and "vector_add               measured" in out
    made = json.loads((places.here / "all.json").read_text())
    assert [one["op"] for one in made["skipped"]] == ["online_normalizer"]


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["--op", "online_normalizer"], 3, "a CPU lesson"),
        (["--op", "sofmax"], 3, "Did you mean softmax"),
        ([], 64, "--op"),
        (["--op", "softmax", "--timing", "wall"], 64, "wall"),
        (["--op", "softmax", "--output", "x.csv"], 64, ".json"),
    ],
)
def test_what_cannot_be_measured_has_its_status(timed, capsys, arguments, status, words):
    assert timed(*arguments) == status
    told = capsys.readouterr()
    assert words in told.out + told.err


@pytest.mark.skipif(os.path.exists("/dev/nvidia0"), reason="there is a GPU here")
def test_without_a_gpu_the_command_refuses_and_says_how_to_get_one():
    done = subprocess.run(
        [sys.executable, "-m", "learning.workshops.benchmark", "--op", "softmax"],
        cwd=course.ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 3 and "NVIDIA GPU" in done.stdout and "Colab" in done.stdout and not done.stderr


@pytest.mark.slow
def test_a_child_of_its_own_measures_and_outlives_a_failed_job(opened):
    if opened.kind == "cuda":
        pytest.skip("the command itself runs here")
    card = lessons.load("vector_add")
    loads = [["answer.py", "import torch\n" + ADD, cells.ANSWER]]
    job = runner.job(card.slug, loads, {"add": "add"}, shapes={"4096": {"length": 100}}, rounds=2, few=1, block_seconds=1e-4, compiled=False)  # fmt: skip
    said = []
    with runner.Runner("interpreter", seconds=120) as child:
        with pytest.raises(runner.Failed, match="no function 'missing'") as missing:
            child.run({**job, "answers": {"add": "missing"}}, said.append)
        assert missing.value.answers
        assert child.run(job, said.append)[0]["case"] == "4096" and said
        with pytest.raises(runner.Failed, match="status 7"):
            child.run({**job, "loads": [["answer.py", "import os\nos._exit(7)", cells.ANSWER]]}, said.append)


ADD = "def add(x, y):\n    return torch.add(x, y)\n"
