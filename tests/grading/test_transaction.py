"""A submission's rows and its scores reach the gradebook together."""

from __future__ import annotations

import os
import sqlite3
import sys
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from learning.grading import save


@pytest.fixture(autouse=True)
def nbgrader_finds_alembic(monkeypatch):
    """nbgrader makes a new gradebook's tables by the command ``alembic`` beside this Python."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


def test_rows_written_within_uncommitted_wait_for_the_next_commit(tmp_path):
    file = tmp_path / "gradebook.db"
    with Gradebook(f"sqlite:///{file}") as gradebook, sqlite3.connect(file) as beside:
        with save.uncommitted(gradebook):
            gradebook.add_student("ada")
        assert gradebook.find_student("ada").id == "ada"
        assert beside.execute("select count(*) from student").fetchone() == (0,)
        gradebook.db.commit()
        assert beside.execute("select id from student").fetchall() == [("ada",)]


def test_after_uncommitted_nbgraders_methods_commit_again_also_where_it_was_left_by_an_error(tmp_path):
    file = tmp_path / "gradebook.db"
    with Gradebook(f"sqlite:///{file}") as gradebook, sqlite3.connect(file) as beside:
        try:
            with save.uncommitted(gradebook):
                gradebook.add_student("lost")
                raise KeyboardInterrupt
        except KeyboardInterrupt:
            gradebook.db.rollback()
        gradebook.add_student("bob")
        assert beside.execute("select id from student").fetchall() == [("bob",)]
