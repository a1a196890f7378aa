"""Right results by forbidden ways lose the house rules' points; honest answers of every style lose none.

An evasion returns right sums, so parity alone cannot tell it: each file here passed the house rules once.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from learning import lesson
from learning.judge import cells as roles
from learning.judge import engine

FOLDER = Path(__file__).parent
RULES, FIRST = "keeps_the_house_rules", "adds_2500_elements_and_touches_nothing_beyond_them"
COUNTED = "asks_memory_for_each_number_once"
EVASIONS = sorted(path.stem for path in (FOLDER / "evasions").glob("*.py"))
HONEST = sorted(path.stem for path in (FOLDER / "honest").glob("*.py"))
LIMITS = engine.Limits(call_seconds=10.0, after_timeout_seconds=5.0, total_seconds=60.0)


def cells_of(text):
    """A file as cells: the first is the answer, each ``# %%`` begins an added cell."""
    answer, *added = text.split("# %%\n")
    found = [roles.Cell("answer", answer, roles.ANSWER)]
    return roles.LearnerCells(found + [roles.Cell(f"added_{n}", part, roles.EXTRA) for n, part in enumerate(added)])


@pytest.fixture
def judged(attack):
    """Grade a file against some of ``vector_add``'s checks, hidden ones with their published seeds."""

    def run(folder, name, *checks):
        cells = cells_of((FOLDER / folder / f"{name}.py").read_text())
        options = {"servers": attack.servers, "device": attack.device, "only": set(checks), "limits": LIMITS}
        return {r.check: r for r in engine.grade(lesson.load("vector_add"), cells, **options).results}

    return run


@pytest.mark.parametrize("name", EVASIONS)
def test_an_evasion_loses_the_house_rules(judged, name):
    results = judged("evasions", name, FIRST, RULES)
    assert 0.0 in (results[RULES].earned, results[FIRST].earned)
    if results[FIRST].state == "passed":
        assert results[RULES].state == "failed" and results[RULES].finding.rule == "house rule"


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_answer_keeps_every_point(judged, name):
    checks = (FIRST, RULES, COUNTED, "keeps_the_dtype_and_rounds_once", "adds_every_length_around_a_tile")
    results = judged("honest", name, *checks)
    assert {check: r.state for check, r in results.items()} == dict.fromkeys(results, "passed"), results


@pytest.mark.parametrize("path", [*(FOLDER / "evasions").glob("*.py"), *(FOLDER / "honest").glob("*.py")])
def test_a_file_tells_its_story(path):
    assert len(ast.get_docstring(ast.parse(path.read_text()))) > 20


def test_there_are_enough_of_both():
    assert len(EVASIONS) >= 15 and len(HONEST) >= 15
