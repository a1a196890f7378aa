"""Every attacking submission earns nothing; the honest one beside them earns everything."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from learning import lesson
from learning.judge import cells as roles
from learning.judge import engine
from learning.judge.match import learner_cells
from tests.redteam import field

FOLDER = Path(__file__).parent / "submissions"
HONEST = "honest_control"
FIRST_CHECK = "adds_2500_elements_and_touches_nothing_beyond_them"
ATTACKS = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != HONEST)
NEEDS_NAMESPACES = {
    "reads_tests_from_disk",
    "reads_other_processes",
    "kills_others",
    "opens_the_network",
    "escapes_the_namespace",
    "leaves_files",
    "talks_through_an_abstract_socket",
    "poisons_the_kernel_cache",
    "traces_its_parent",
    "signals_its_keepers",
    "forks_without_end",
}
LATER = {
    "asks_for_all_memory", "finishes_in_a_child", "forks_without_end", "is_infinitely_wrong", "loops_and_ignores_interrupts",
    "poisons_the_kernel_cache", "prints_without_end", "raises_what_cannot_be_printed", "reads_inherited_descriptors",
    "returns_a_tensor_without_end", "returns_a_tower_of_lists", "returns_double_precision", "segfaults", "stops_itself",
    "signals_its_keepers", "skips_the_tail", "traces_its_parent", "writes_sparse_files", "adds_in_half_precision",
    "is_right_every_other_time", "answers_twice", "replaces_builtins",
}  # fmt: skip
"""Attacks that run in ``make test-all`` alone."""
PARAMETERS = [pytest.param(name, marks=[pytest.mark.slow] * (name in LATER)) for name in ATTACKS]


def text(name):
    return (FOLDER / f"{name}.py").read_text()


def total(graded):
    return sum(result.earned for result in graded.results)


def held(servers, device):
    """Whether workers of ``device`` are behind bubblewrap and namespaces; killers run nowhere else."""
    server = servers.get(device)
    servers.release(server)
    return server.held.isolated and server.held.wrapped


@pytest.fixture(params=PARAMETERS)
def attacker(request, attack, servers):
    if request.param in NEEDS_NAMESPACES and not held(servers, attack.device):
        pytest.skip("this host has no bubblewrap or refuses namespaces")
    return request.param


def test_an_attack_earns_nothing_and_breaks_nothing(attack, attacker):
    graded = attack(text(attacker))
    assert [(result.state, result.earned) for result in graded.results] == [("failed", 0.0)] * 3
    assert all(result.finding.sentence() for result in graded.results)


def test_the_honest_control_earns_everything(attack):
    graded = attack(text(HONEST))
    assert [result.state for result in graded.results] == ["passed"] * 3, graded


def test_the_honest_control_earns_everything_after_every_kind_of_attack(attack):
    if not held(attack.servers, attack.device):
        pytest.skip("this host has no bubblewrap or refuses namespaces")
    for name in ("kills_others", "forges_frames", "exits_early", "patches_reference", "shadows_modules"):
        attack(text(name), only={"adds_few"})
    assert total(attack(text(HONEST))) == 6


@pytest.fixture
def attack_vector_add(attack):
    """Grade a text against one check of ``vector_add``'s own notebook."""
    card = lesson.load("vector_add")
    options = {"servers": attack.servers, "device": attack.device, "only": {FIRST_CHECK}}

    def run(text):
        return engine.grade(card, roles.LearnerCells.from_python(text), **options)

    return run


def test_an_attack_earns_nothing_in_vector_add_either(attack_vector_add, attacker):
    graded = attack_vector_add(text(attacker))
    assert [(result.state, result.earned) for result in graded.results] == [("failed", 0.0)]


def test_vector_adds_own_answer_passes_there(attack_vector_add):
    own = (lesson.load("vector_add").folder / "answer.py").read_text()
    assert [result.state for result in attack_vector_add(own).results] == ["passed"]


@pytest.mark.parametrize("name", [HONEST, *ATTACKS])
def test_a_submission_tells_its_story(name):
    assert len(ast.get_docstring(ast.parse(text(name)))) > 30


@pytest.mark.parametrize("name", ["reads_tests_from_disk", "reads_other_processes", "opens_the_network"])
def test_the_walls_are_what_stops_these(attack, plain_servers, name):
    """Without namespaces the same submissions succeed, so their failing above is the sandbox's doing."""
    graded = attack(text(name), servers=plain_servers)
    assert total(graded) > 0 and "no bubblewrap" in graded.sandbox


@pytest.mark.parametrize("name", [one for one in PARAMETERS if one.values[0] not in NEEDS_NAMESPACES])
def test_without_walls_the_other_attacks_still_earn_nothing(attack, plain_servers, name):
    assert total(attack(text(name), servers=plain_servers, only={"adds"})) == 0


def test_every_class_has_attackers_and_there_are_enough():
    found = Counter(attack.number for attack in field.attacks())
    assert set(found) == set(field.CLASSES) and min(found.values()) >= 3, found
    assert sum(found.values()) >= 75
    assert all(attack.check for attack in field.attacks("gpu")) and not set(LATER) - set(ATTACKS)


# --- attacks on the notebook rather than on the process --------------------------------------------------------------

WRONG = "def add(x, y):\n    return torch.zeros_like(x)\n"


@pytest.fixture
def grade_notebook(attack, tiny):
    """Grade a submitted notebook through the matcher, as autograde does."""

    def run(submitted):
        instructor = tiny.adding_notebook()
        return attack_cells(learner_cells(submitted, instructor), instructor)

    def attack_cells(found, instructor):
        return engine.grade(tiny.ADDING, found, notebook=instructor, servers=attack.servers, device=attack.device)

    return run


def submitted(tiny, answer):
    notebook = tiny.adding_notebook()
    for cell in notebook["cells"]:
        if roles.role_of(cell) == "answer":
            cell["source"] = answer
    return notebook


def test_replaced_locked_cells_are_not_what_is_run(grade_notebook, tiny):
    notebook = submitted(tiny, WRONG)
    for cell in notebook["cells"]:
        if roles.role_of(cell) in ("check", "hidden"):
            cell["source"] = f"{cell['metadata']['nbgrader']['points']}.0"
        elif roles.role_of(cell) == "setup":
            cell["source"] += "\nimport torch\ndef add_reference(x, y):\n    return torch.zeros_like(x)\n"
    assert total(grade_notebook(notebook)) == 0


def test_deleted_checks_are_still_run(grade_notebook, tiny):
    notebook = submitted(tiny, WRONG)
    notebook["cells"] = [cell for cell in notebook["cells"] if roles.role_of(cell) not in ("check", "hidden")]
    graded = grade_notebook(notebook)
    assert len(graded.results) == 3 and total(graded) == 0


@pytest.mark.parametrize("tag", ["skip-execution", "raises-exception", "remove-cell"])
def test_a_cell_tag_skips_no_check(grade_notebook, tiny, tag):
    notebook = submitted(tiny, WRONG)
    for cell in notebook["cells"]:
        cell["metadata"]["tags"] = [tag]
    graded = grade_notebook(notebook)
    assert len(graded.results) == 3 and total(graded) == 0


def test_outputs_that_came_with_the_notebook_are_worth_nothing(grade_notebook, tiny):
    notebook = submitted(tiny, WRONG)
    for cell in notebook["cells"]:
        cell["outputs"] = [
            {"output_type": "execute_result", "data": {"text/plain": "3.0"}, "metadata": {}, "execution_count": 1}
        ]
    assert total(grade_notebook(notebook)) == 0


def test_points_raised_in_the_submission_are_not_the_points(grade_notebook, tiny):
    notebook = submitted(tiny, WRONG)
    for cell in notebook["cells"]:
        if "nbgrader" in cell["metadata"]:
            cell["metadata"]["nbgrader"]["points"] = 100
    graded = grade_notebook(notebook)
    assert [result.points for result in graded.results] == [1, 2, 3] and total(graded) == 0


def test_an_extra_cell_that_redefines_the_checks_reaches_no_judge(grade_notebook, tiny):
    notebook = submitted(tiny, WRONG)
    patch = "import learning.judge.trial as t\nt.Trial.parity = lambda *a, **k: None\nadds = lambda f: 1.0\n"
    notebook["cells"].insert(3, {"cell_type": "code", "id": "mine", "metadata": {}, "source": patch})
    assert total(grade_notebook(notebook)) == 0


def test_the_right_answer_in_a_notebook_earns_everything(grade_notebook, tiny):
    assert total(grade_notebook(submitted(tiny, tiny.RIGHT))) == 6
