"""A course of the test's own: released and instructor's notebooks of two real lessons, and a learner's folder."""

import os

import pytest

from learning import course
from learning.workshops.work import Places
from tests.workshops.kit import ANSWER, answered, notebook, save, solved_python


@pytest.fixture
def places(tmp_path):
    """A course with two lessons, an empty work folder, and an unrelated working directory."""
    root, here = tmp_path / "course", tmp_path / "elsewhere"
    here.mkdir()
    for slug in ANSWER:
        save(course.source(slug, root), notebook(slug, solved=True))
        save(course.release(slug, root), notebook(slug))
    return Places(root, root / "work", here)


@pytest.fixture
def answered_work(places):
    """work/online_normalizer/ with the answer typed into the notebook."""
    return save(
        places.work / "online_normalizer" / "online_normalizer.ipynb",
        answered(notebook("online_normalizer"), solved_python()),
    )


@pytest.fixture
def clean_environment():
    """Variables of a shell in which nothing of the course is set."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("LEARNING", "NBGRADER", "PYTHON"))}
    return kept | {"PYTHONDONTWRITEBYTECODE": "1"}
