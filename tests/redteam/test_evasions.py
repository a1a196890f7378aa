"""Right results by forbidden ways lose the house rules' points; honest answers of every style lose none.

An evasion returns right sums, so parity alone cannot tell it: each file here passed the house rules once.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from learning import lesson
from learning.judge import engine
from tests.redteam import field

FOLDER = Path(__file__).parent
RULES, FIRST = "keeps_the_house_rules", "adds_2500_elements_and_touches_nothing_beyond_them"
COUNTED = "asks_memory_for_each_number_once"
EVASIONS = sorted(path.stem for path in (FOLDER / "evasions").glob("*.py"))
ELSEWHERE = sorted((FOLDER / "elsewhere").glob("*/*.py"))
"""Evasions of what another lesson than ``vector_add`` refuses, by its folder's name."""
HONEST = sorted(path.stem for path in (FOLDER / "honest").glob("*.py"))
ALWAYS = (
    "annotated_eagerly", "autotune_one_config", "class_and_hints", "constexpr_globals", "cuda_graph_guarded",
    "early_return_for_empty", "helpers_in_scratch_cells", "heuristics", "lambda_and_next_power", "redefined_helper",
    "scratch_test_in_the_answer_cell", "shape_keyed_cache", "storage_address", "streams", "try_around_imports",
    "views_and_descriptors", "names_in_other_scripts", "drafts_left_behind", "a_second_part_half_done", "asks_for_types",
    "coding_line", "nested_classes_and_globals", "prints_what_it_got", "slots_and_call", "registry_of_kernels",
    "timed_scratch_helper", "mask_and_scalar",
)  # fmt: skip
"""Controls that run in ``make test`` too; the others in ``make test-all``."""
LIMITS = engine.Limits(call_seconds=10.0, after_timeout_seconds=5.0, total_seconds=60.0)


@pytest.fixture
def judged(attack):
    """Grade a file against some of ``vector_add``'s checks, hidden ones with their published seeds."""

    def run(folder, name, *checks):
        text = (FOLDER / folder / f"{name}.py").read_text()
        return field.graded(text, set(checks), attack.device, attack.servers, LIMITS)

    return run


@pytest.mark.parametrize("name", EVASIONS)
def test_an_evasion_loses_the_house_rules(judged, name):
    results = judged("evasions", name, FIRST, RULES)
    assert 0.0 in (results[RULES].earned, results[FIRST].earned)
    if results[FIRST].state == "passed":
        assert results[RULES].state == "failed" and results[RULES].finding.rule == "house rule"


@pytest.mark.parametrize("path", ELSEWHERE, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_an_evasion_of_another_lessons_rule_loses_it(attack, path):
    options = {"servers": attack.servers, "device": attack.device, "only": {RULES}, "limits": LIMITS}
    graded = engine.grade(lesson.load(path.parent.name), field.cells_of(path.read_text()), **options)
    (result,) = graded.results
    assert result.state == "failed" and result.finding.rule == "house rule", result


@pytest.mark.parametrize("name", [pytest.param(n, marks=[pytest.mark.slow] * (n not in ALWAYS)) for n in HONEST])
def test_an_honest_answer_keeps_every_point(judged, name):
    checks = (FIRST, RULES, COUNTED, "keeps_the_dtype_and_rounds_once", "adds_every_length_around_a_tile")
    results = judged("honest", name, *checks)
    assert {check: r.state for check, r in results.items()} == dict.fromkeys(results, "passed"), results


@pytest.mark.parametrize("path", [*(FOLDER / "evasions").glob("*.py"), *(FOLDER / "honest").glob("*.py"), *ELSEWHERE])
def test_a_file_tells_its_story(path):
    answer = field.cells_of(path.read_text()).cells[0].source  # cells below it need not parse
    assert len(ast.get_docstring(ast.parse(answer))) > 20


def test_there_are_enough_of_both():
    variants = list((lesson.load("vector_add").folder / "variants").glob("*.py"))  # run by tests/lessons
    assert len(EVASIONS) >= 15 and len(HONEST) + len(variants) + 2 >= 50  # and the lesson's answer, and honest_control
