"""A capstone's folder as a notebook in memory, and what is said where a file is not as it must be."""

import ast
import dataclasses
import shutil

import pytest

from learning import capstones, course, lesson
from learning.judge import cells, engine
from learning.lesson import LessonError

WIDE = lesson.load("wide_softmax")


def test_a_folder_becomes_a_notebook_whose_cells_have_roles_points_and_an_anchor_that_is_no_answer():
    notebook = capstones.notebook(WIDE)
    plan = engine.Plan.of(notebook, WIDE)
    assert [name for name, _ in plan.setups] == ["tools", "given"] and len(plan.starters) == 1
    assert [name for name, _ in plan.answers] == ["entry", "baseline"]
    assert course.grade_cells(notebook, "check")[0] == (capstones.STATES, 1.0)
    assert (
        sum(points for _, points in course.grade_cells(notebook, "check"))
        == sum(check.points for check in plan.checks)
        > 0
    )
    sources = "\n".join(cell["source"] for cell in notebook["cells"])
    assert "learning.capstones" not in sources and "def two_passes" in sources


@pytest.fixture
def copied(tmp_path):
    """A capstone of its own in a folder that may be spoilt."""
    shutil.copytree(WIDE.folder, tmp_path / WIDE.slug)
    return dataclasses.replace(WIDE, slug=WIDE.slug, root=tmp_path)


@pytest.mark.parametrize(
    ("file", "change", "told"),
    [
        ("given.py", None, "given.py is missing"),
        ("answer.py", "def softmax(:", "answer.py line 1 is not Python"),
        ("checks.py", "import torch\n\nSIZES = (1, 2)\n", "checks.py: line 3 is no check; move it to given.py"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_with_its_name(copied, file, change, told):
    (copied.folder / file).unlink() if change is None else (copied.folder / file).write_text(change)
    with pytest.raises(LessonError, match=told):
        capstones.notebook(copied)


def test_capstones_are_found_by_name_and_listed_only_by_their_level():
    assert [card.slug for card in lesson.discover("capstone")] == [
        "causal_schedule",
        "softmax_workspace",
        "wide_softmax",
    ]
    assert lesson.find("c3") is lesson.load("wide_softmax") and not {"C1", "C2", "C3"} & {
        card.id for card in lesson.discover()
    }
    with pytest.raises(lesson.UnknownLesson, match="wide_softmax"):
        lesson.load("wide_softmex")
    assert "wide_softmax" not in lesson.slugs()


@pytest.mark.parametrize("card", lesson.discover("capstone"), ids=lambda card: card.slug)
def test_a_starter_holds_the_names_of_the_contract_and_none_of_our_kernels(card):
    """The page promises that: kernels and constants of ours, with their docstrings, would tell how we did it."""
    (entry,) = [cells.text_of(cell) for cell, role in cells.roles(capstones.notebook(card)) if role == "answer"]
    starter = ast.parse(cells.starter_of(entry))
    named = [node.name for node in starter.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    assert sorted(named) == sorted(card.entries)
    assert all(isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Expr)) for node in starter.body)
