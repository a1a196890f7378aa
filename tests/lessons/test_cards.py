"""A lesson folder keeps the course's promises: card, points, hints, starter, enough wrong and unusual answers."""

from __future__ import annotations

import ast
import importlib
import re

import pytest

from learning import attempts, lesson
from learning.judge import cells

LESSONS = lesson.discover()
HANDMADE = 4.0  # points of the explanation
pytestmark = pytest.mark.parametrize("card", LESSONS, ids=lambda card: card.slug)


def by_role(notebook, role):
    return [cell for cell, found in cells.roles(notebook) if found == role]


def points(found):
    return sum(cell["metadata"]["nbgrader"]["points"] for cell in found)


def needs_gpu(cell):
    return "decided on a GPU" in cells.text_of(cell).split("### BEGIN HIDDEN TESTS")[0]


def test_a_lesson_has_twenty_points_split_as_the_course_says(card, notebook_of):
    book = notebook_of(card)
    public, hidden, byhand = (by_role(book, role) for role in ("check", "hidden", "explain"))
    structure = [
        c for c in public if any(f"trial.{what}(" in cells.text_of(c) for what in ("house_rules", "structure"))
    ]
    timed = [cell for cell in hidden if needs_gpu(cell)]
    assert points(public) + points(hidden) + points(byhand) == 20
    assert points(byhand) == HANDMADE
    assert points(structure) == 2 and points(public) - points(structure) == 4
    on_gpu = 2 if "bench" in card.gates else 0
    assert points(timed) == on_gpu and points(hidden) - points(timed) == 10 - on_gpu


def test_grade_cells_are_named_by_what_to_make_true(card, notebook_of):
    names = [cells.name_of(cell) for role in ("check", "hidden") for cell in by_role(notebook_of(card), role)]
    assert len(names) == len(set(names))
    assert all(len(name.split("_")) >= 3 and name == name.lower() for name in names), names


def test_checks_say_in_a_sentence_what_they_look_at(card):
    for module in ("checks", "hidden"):
        tree = ast.parse((card.folder / f"{module}.py").read_text(encoding="utf-8"))
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and any("check" in ast.unparse(d) for d in node.decorator_list):
                story = ast.get_docstring(node) or ""
                assert 30 < len(story) < 320, f"{node.name}: {story!r}"


def test_there_are_enough_wrong_and_unusual_answers_each_with_its_own_reason(card, notebook_of):
    wrong, right = attempts.mutants(card), attempts.variants(card)
    assert len(wrong) >= 8 and len(right) >= 4
    assert len({attempt.story for attempt in wrong}) == len(wrong)
    for attempt in [*wrong, *right]:  # learners read these in the ledger
        assert not re.search(r'\w"s\b', attempt.story), f"{attempt.story!r}: an apostrophe is lost"
    names = {cells.name_of(cell) for role in ("check", "hidden") for cell in by_role(notebook_of(card), role)}
    assert {attempt.caught_by for attempt in wrong} <= names
    here = {"cpu"} if card.kind == "cpu" else {"interpreter", "cuda"}
    assert all(set(attempt.dies_on) <= here for attempt in wrong)


def test_every_parity_check_has_a_mutant_that_only_it_is_named_for(card, notebook_of):
    """A check that no wrong answer needs is either redundant or untested; benchmarks are tested on a GPU."""
    needed = {attempt.caught_by for attempt in attempts.mutants(card)}
    decided = [c for role in ("check", "hidden") for c in by_role(notebook_of(card), role) if not needs_gpu(c)]
    idle = {cells.name_of(cell) for cell in decided} - needed
    assert not idle, f"no mutant is named for {', '.join(sorted(idle))}"


def test_hints_rise_and_none_holds_a_line_of_the_answer(card):
    lengths = [len(hint) for hint in card.hints]
    assert lengths == sorted(lengths)
    source = (card.folder / "answer.py").read_text(encoding="utf-8")
    solution = [line.strip() for line in source.split("\n") if "=" in line or "return" in line]
    told = " ".join(card.hints)
    assert not [line for line in solution if len(line) > 25 and line in told]


def test_the_starter_compiles_and_tells_the_outline(card, notebook_of):
    for cell in by_role(notebook_of(card), "answer"):
        starter = cells.starter_of(cells.text_of(cell))
        ast.parse(starter)
        steps = [line for line in starter.split("\n") if line.strip().startswith("# ") and line.strip()[2].isdigit()]
        assert len(steps) >= 4, starter
    defined = "\n".join(cells.text_of(cell) for cell in by_role(notebook_of(card), "answer"))
    assert all(f"def {entry}(" in defined for entry in card.entries)


def test_gates_fit_the_kind_of_lesson(card):
    assert card.gates == tuple(gate for gate in lesson.GATES if gate in card.gates)
    if card.kind == "cpu":
        assert not {"grid", "tile", "bench", "bound", "autotune"} & set(card.gates)
    else:
        assert card.gates == lesson.GATES


def test_the_blank_page_has_variations_each_with_a_reference_of_its_own(card):
    page = importlib.import_module(f"learning.lessons.{card.slug}.blank_page")
    assert len(page.VARIATIONS) >= 3
    for variation in page.VARIATIONS:
        assert isinstance(variation, lesson.Variation)
        assert callable(getattr(page, f"{variation.entry}_reference"))
        assert variation.entry not in card.entries
