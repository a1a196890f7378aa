"""What the tests of every lesson folder share: warm servers, notebooks built from the folders, and the kill rate.

No lesson is named here: folders are discovered, so a new lesson is tested by being there.
"""

from __future__ import annotations

import importlib.util
from collections import Counter

import pytest

from learning import lesson
from learning.judge import engine, fleet
from learning.judge.cells import LearnerCells


@pytest.fixture(scope="session")
def servers():
    """Warm servers for the session; each grading gets fresh workers from them."""
    with fleet.Servers() as kept:
        yield kept


@pytest.fixture(scope="session")
def notebook_of():
    """``notebook_of(card)``: the instructor's notebook, built from the folder as it stands, once a session.

    A GPU machine may lack Jupytext, which the builder needs: there the committed source stands in.
    """
    books: dict[str, dict] = {}

    def built(card: lesson.Lesson) -> dict:
        if card.slug not in books:
            if importlib.util.find_spec("jupytext") is None:
                books[card.slug] = engine.instructor_notebook(card)
            else:
                from learning.build.notebook import notebook

                books[card.slug] = notebook(card)
        return books[card.slug]

    return built


@pytest.fixture
def grade(servers, notebook_of):
    """``grade(card, source, …)``: a Python source graded as a submission, through the engine and a worker."""

    def graded(card: lesson.Lesson, source: str, **options) -> engine.Graded:
        cells = LearnerCells.from_python(source, f"{card.slug}.py")
        return engine.grade(card, cells, notebook=notebook_of(card), servers=servers, **options)

    return graded


def pytest_terminal_summary(terminalreporter):
    """Print how many mutants of each lesson were run and how many died at the check they name."""
    tried, killed = Counter(), Counter()
    for outcome in ("passed", "failed"):
        for report in terminalreporter.stats.get(outcome, []):
            for key, value in getattr(report, "user_properties", []):
                if key == "mutant" and report.when == "call":
                    tried[value] += 1
                    killed[value] += outcome == "passed"
    if tried:
        terminalreporter.section("mutants")
        for where in sorted(tried):
            terminalreporter.line(f"{where}: {killed[where]} of {tried[where]} died at the check they name")
