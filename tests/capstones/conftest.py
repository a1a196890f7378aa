"""What the tests of the capstones share: warm servers, and a grading of a source as a learner's file."""

import pytest

from learning.judge import engine, fleet
from learning.judge.cells import LearnerCells


@pytest.fixture(scope="session")
def servers():
    """Warm servers for the session; each grading gets fresh workers from them."""
    with fleet.Servers() as kept:
        yield kept


@pytest.fixture
def grade(servers):
    """``grade(card, source, …)``: a Python source judged as a capstone's entry, through the engine and a worker."""

    def graded(card, source, **options):
        cells = LearnerCells.from_python(source, f"{card.slug}.py")
        return engine.grade(card, cells, servers=servers, **options)

    return graded
