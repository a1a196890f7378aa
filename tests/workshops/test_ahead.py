"""A check from a terminal never costs a learner their predictions unasked."""

import ast
import sys
from types import SimpleNamespace

import pytest

from learning import course
from learning import lesson as lessons
from learning.gates import records
from learning.workshops import ahead, command
from tests.workshops.kit import Judge

CPU, GPU = "online_normalizer", "vector_add"
LOCKED = {"fields": {"grid": [3]}, "case": "", "revision": False}


@pytest.fixture
def log(places):
    return places.log(lessons.load(CPU))


@pytest.fixture
def ask(places, capsys):
    def run(line, judge):
        return command.main(line.split(), places=places, grade=judge), capsys.readouterr().out

    return run


@pytest.fixture
def a_terminal(monkeypatch):
    """A terminal in which somebody types ``answer``; gives the questions asked."""
    asked = []

    def typing(answer):
        def reply(question=""):
            asked.append(question)
            if answer is None:
                raise EOFError
            return answer

        monkeypatch.setattr("builtins.input", reply)
        for stream in (sys.stdin, sys.stdout):
            monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
        return asked

    return typing


def test_a_first_run_without_a_prediction_runs_nothing_and_says_what_it_would_cost(ask, answered_work, log):
    judge = Judge()
    status, out = ask(CPU, judge)
    assert status == 2 and not judge.calls and not log.exists()
    assert "gate 04 masks, gate 09 compare" in out and "work/online_normalizer" in out and "predict.py" in out
    assert f"check {CPU} --anyway" in out


def test_asked_for_anyway_it_runs_and_is_never_asked_again(ask, answered_work):
    assert ask(f"{CPU} --anyway", Judge())[0] == 0
    assert ask(CPU, Judge())[0] == 0


def test_after_a_prediction_it_runs(ask, answered_work, log):
    records.append(log, "prediction", CPU, payload=LOCKED)
    judge = Judge()
    status, out = ask(CPU, judge)
    assert status == 0 and judge.calls and "close" not in out


@pytest.mark.parametrize(("answer", "runs"), [("y", True), ("Yes", True), ("", False), ("n", False), (None, False)])
def test_a_terminal_is_asked_and_only_a_yes_runs(ask, answered_work, a_terminal, log, answer, runs):
    asked, judge = a_terminal(answer), Judge()
    status, out = ask(CPU, judge)
    assert len(asked) == 1 and bool(judge.calls) == runs == log.exists() and status == (0 if runs else 2)
    assert "would close for good" in out


def test_all_holds_each_such_lesson_back(ask, answered_work):
    status, out = ask("all", Judge())
    assert status == 2 and "check all --anyway" in out


def kept(*events):
    return [
        {"lesson": GPU, "event": event, "device": "cuda", "source": "", "payload": payload} for event, payload in events
    ]


FAILED, PASSED = ({"checks": [{"check": "adds", "state": state}], "public": ["adds"]} for state in ("failed", "passed"))
ALL = ["02 grid", "03 tile", "04 masks", "08 bound", "09 compare"]


@pytest.mark.parametrize(
    ("events", "closes"),
    [
        ([], ALL),
        ([("reference", {}), ("parity", FAILED), ("tick", {})], ALL),
        ([("prediction", {"causes": {"grid": "a cause"}})], ALL),
        ([("parity", PASSED)], []),
        ([("launch", {"called": ["add"]})], []),
        ([("prediction", LOCKED)], []),
        ([("parity", PASSED), ("prediction", LOCKED)], []),
    ],
)
def test_gates_close_only_where_a_prediction_would_still_have_counted(events, closes):
    assert ahead.closing(lessons.load(GPU), kept(*events)) == closes
    other = [{**record, "lesson": "another"} for record in kept(*events)]
    assert ahead.closing(lessons.load(GPU), other) == ALL


@pytest.mark.parametrize("card", lessons.discover(), ids=lambda card: card.slug)
def test_every_lesson_has_a_script_that_holds_its_prediction(card):
    text = ahead.script(card, course.load(course.release(card.slug)))
    tree = ast.parse(text)
    [call] = [
        node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "predict"
    ]
    assert {keyword.arg for keyword in call.keywords} >= ({"output"} if card.kind == "cpu" else {"grid", "passes"})
    assert text.startswith(f"# {card.id} ") and f'learning.session.begin("{card.slug}")' in text
    assert "SOLUTION" not in text


def test_a_notebook_without_a_prediction_cell_has_no_script():
    assert ahead.script(SimpleNamespace(id="X", title="", slug="x"), {"cells": []}) == ""
