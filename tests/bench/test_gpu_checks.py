"""The script that puts every attempt to a GPU, on the one lesson that needs none: what was graded is not lost."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from learning import lesson as lessons
from learning.attempts import attempts

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
LESSON = lessons.find("online_normalizer")


@pytest.fixture
def script(monkeypatch, tmp_path):
    """gpu_checks.py under its own name, which the processes it starts ask for, with its files in a folder of the test's."""
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import gpu_checks

    monkeypatch.setattr(gpu_checks, "RECORD", tmp_path / "gpu-checks.json")
    monkeypatch.setattr(gpu_checks, "BEGUN", tmp_path / "gpu-checks-begun.json")
    yield gpu_checks
    sys.modules.pop("gpu_checks")


def stopped_after(script, monkeypatch, count):
    """A run that somebody stops once ``count`` attempts have been shown; the keys of those shown."""
    shown = []

    def show(lesson, row):
        shown.append((row["kind"], row["name"]))
        if len(shown) == count:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(script, "show", show)
        with pytest.raises(KeyboardInterrupt):
            script.run(LESSON, 1)
    return shown


def test_a_run_that_was_stopped_goes_on_where_it_stood(script, monkeypatch):
    order = [(one.kind, one.name) for one in attempts(LESSON)]
    assert stopped_after(script, monkeypatch, 3) == order[:3]
    kept = json.loads(script.BEGUN.read_text())["online_normalizer"]["rows"]
    assert [(row["kind"], row["name"]) for row in kept] == order[:3]

    later = []
    monkeypatch.setattr(script, "show", lambda lesson, row: later.append((row["kind"], row["name"])))
    made = script.record(LESSON, 1, {})
    assert later == order[3:]
    assert made["as_expected"] and [(row["kind"], row["name"]) for row in made["attempts"]] == order
    assert [row["seconds"] for row in made["attempts"][:3]] == [row["seconds"] for row in kept]
    assert made["sandbox"] and not script.BEGUN.exists()
    assert json.loads(script.RECORD.read_text()) == {"online_normalizer": made}


def test_a_run_whose_record_cannot_be_written_is_still_kept(script, monkeypatch):
    monkeypatch.setattr(script, "show", lambda lesson, row: None)
    script.RECORD.mkdir()
    with pytest.raises(OSError):
        script.record(LESSON, 1, {})
    assert len(json.loads(script.BEGUN.read_text())["online_normalizer"]["rows"]) == len(attempts(LESSON))


def test_what_was_graded_of_other_sources_or_fared_otherwise_is_graded_again(script):
    row = {"kind": "variant", "name": "a", "as_expected": True}
    script.begin("online_normalizer", "these", 4.0, [row, row | {"name": "b", "as_expected": False}])
    script.begin("vector_add", "others", 1.0, [row])
    assert script.begun("online_normalizer", "these") == {
        "source_hash": "these",
        "seconds": 4.0,
        "rows": {("variant", "a"): row},
    }
    assert script.begun("online_normalizer", "newer") == {"seconds": 0.0, "rows": {}}
    script.begin("online_normalizer", "these", 0.0, [])
    assert list(json.loads(script.BEGUN.read_text())) == ["vector_add"]
