"""Whatever is done to the order and the number of cells, the answer reaches the worker and locked text never does."""

import copy
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from learning.grading.rebuild import Instructor
from learning.grading.settings import bad_ids
from learning.judge import match, statements
from tests.grading.conftest import LESSON
from tests.grading.kit import role, text
from tests.grading.stories import plain_cell
from tests.grading.test_ingest import runs_like

MANY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="session")
def books(built):
    path = built.root / "source" / LESSON / f"{LESSON}.ipynb"
    release = json.loads(json.dumps(Instructor.read(path).release))
    return built.answered(LESSON), release, json.loads(path.read_text())


def answer_of(notebook):
    return next(text(c) for c in notebook["cells"] if role(c) == "answer")


@MANY
@given(st.randoms(use_true_random=False), st.booleans(), st.booleans())
def test_any_order_any_loss_of_names_keeps_the_answer(books, random, names, ids):
    notebook, release, _ = copy.deepcopy(books)
    for cell in notebook["cells"]:
        if names and random.random() < 0.7:
            cell["metadata"] = {}
        if ids and random.random() < 0.7:
            cell.pop("id")
    random.shuffle(notebook["cells"])
    assert runs_like(match.learner_cells(notebook, release), answer_of(books[0]))


@MANY
@given(st.randoms(use_true_random=False))
def test_cells_dropped_and_doubled_keep_the_answer(books, random):
    notebook, release, _ = copy.deepcopy(books)
    cells = []
    for cell in notebook["cells"]:
        keep = role(cell) == "answer" or random.random() > 0.3
        cells += [copy.deepcopy(cell) for _ in range(keep + (random.random() < 0.2))]
    notebook["cells"] = cells
    assert runs_like(match.learner_cells(notebook, release), answer_of(books[0]))


def test_the_instructors_notebook_with_its_solutions_serves_as_well(books):
    notebook, _, instructor = books
    cells = match.learner_cells(notebook, instructor)
    assert runs_like(cells, answer_of(notebook)) and not cells.notes


def test_no_locked_text_reaches_the_worker(books):
    notebook, release, _ = copy.deepcopy(books)
    for cell in notebook["cells"]:
        if role(cell) in ("check", "hidden", "setup"):
            cell["source"] = "stolen = open('/etc/passwd').read()\n" + text(cell)
    sources = [cell.source for cell in match.learner_cells(notebook, release).cells]
    assert not [source for source in sources if "@check" in source]
    assert len([note for note in match.learner_cells(notebook, release).notes if note.startswith("altered")]) > 5


@pytest.mark.parametrize("kind", ["check", "hidden", "setup"])
def test_an_answer_that_wears_a_locked_cells_name_is_found(books, kind):
    """Copying a check cell and writing the answer into the copy doubles the check's grade id."""
    notebook, release, _ = copy.deepcopy(books)
    stolen = next(c for c in notebook["cells"] if role(c) == kind)["metadata"]["nbgrader"]["grade_id"]
    next(c for c in notebook["cells"] if role(c) == "answer")["metadata"]["nbgrader"]["grade_id"] = stolen
    cells = match.learner_cells(notebook, release)
    assert runs_like(cells, answer_of(notebook)) and any(note.startswith("duplicate") for note in cells.notes)


def test_copies_of_locked_cells_stay_away_from_the_worker(books):
    notebook, release, _ = copy.deepcopy(books)
    notebook["cells"] += [copy.deepcopy(c) for c in notebook["cells"] if role(c) in ("check", "hidden", "setup")]
    assert [cell.role for cell in match.learner_cells(notebook, release).cells] == ["answer"] * len(
        match.learner_cells(books[0], release).cells
    )


def test_helpers_between_cells_come_along_in_their_order(books):
    notebook, release, _ = copy.deepcopy(books)
    index = next(i for i, c in enumerate(notebook["cells"]) if role(c) == "answer")
    notebook["cells"].insert(index, plain_cell("code", "LIMIT = 3"))
    notebook["cells"].insert(0, plain_cell("code", "import math"))
    cells = match.learner_cells(notebook, release).cells
    assert [cell.role for cell in cells] == ["extra", "extra", "answer"]
    assert [cell.source for cell in cells[:2]] == ["import math", "LIMIT = 3"]


def test_a_deleted_answer_counts_as_not_answered(books):
    notebook, release, _ = copy.deepcopy(books)
    notebook["cells"] = [cell for cell in notebook["cells"] if role(cell) != "answer"]
    found = match.learner_cells(notebook, release)
    assert [cell.source for cell in found.cells] == [answer_of(release)]
    assert any(note.startswith("missing: answer") for note in found.notes)


def test_line_numbers_of_a_merged_cell_stay_the_learners(books):
    _, release, _ = copy.deepcopy(books)
    check = next(text(c) for c in release["cells"] if role(c) == "check")
    merged = check + "\n\n\ndef push(state, x):\n    return state"
    rest = statements.without(merged, [check])
    assert rest.count("\n") == merged.count("\n")
    assert rest.strip().startswith("def push")


@settings(max_examples=80, deadline=None)
@given(
    st.recursive(
        st.none() | st.text(max_size=5) | st.integers(), lambda x: st.lists(x) | st.dictionaries(st.text(max_size=5), x)
    )
)
def test_nothing_a_learner_sends_makes_the_match_fail(thing):
    instructor = {"cells": [{"cell_type": "code", "metadata": {"learning": {"role": "answer"}}, "source": "..."}]}
    match.learner_cells(thing if isinstance(thing, dict) else {"cells": thing}, instructor)
    match.learner_cells({"cells": [{"source": thing, "metadata": thing, "cell_type": thing, "id": thing}]}, instructor)


@given(st.text(max_size=70))
def test_student_ids_are_what_the_course_promises(name):
    inner = all(c.isascii() and (c.isalnum() or c in "._@+- ") for c in name)
    good = 1 <= len(name) <= 64 and inner and name[0] != "." and name == name.strip(" ")
    assert (name in bad_ids([name])) == (not good)


def test_leading_zeros_and_inner_spaces_are_ids_and_case_twins_are_not():
    assert bad_ids(["007", "Grace B. Hopper", "a+b@c.de"]) == {}
    assert set(bad_ids(["Bob", "bob", "eve"])) == {"Bob", "bob"}
