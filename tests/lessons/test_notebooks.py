"""A learner's notebook runs from top to bottom in a real kernel: as released, and with the answer typed in."""

from __future__ import annotations

import nbformat
import pytest

from learning import lesson
from learning.course import ROOT
from learning.judge import cells

LESSONS = lesson.discover()


FIRST_AND_SLOW = [LESSONS[0], *(pytest.param(card, marks=pytest.mark.slow) for card in LESSONS[1:])]
"""A kernel of its own for each notebook takes its time: `make test` runs the first, CI all."""


@pytest.fixture
def run(tmp_path, notebook_of, monkeypatch):
    """``run(card, solved=…)``: the executed cells of a learner's copy, by id; an exception in any of them fails."""
    nbclient = pytest.importorskip("nbclient")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")

    def executed(card, *, solved):
        book = nbformat.from_dict(notebook_of(card))
        for cell in book.cells:
            role = cells.role_of(cell)
            if role == "answer" and not solved:
                cell.source = cells.starter_of(cell.source)
            if role == "hidden":
                cell.source = cell.source.split("### BEGIN HIDDEN TESTS")[0]
        client = nbclient.NotebookClient(
            book, timeout=240, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
        )
        client.execute()
        return {cell.id: cell for cell in book.cells if cell.cell_type == "code"}

    return executed


def value(cell):
    (shown,) = [output for output in cell.outputs if output.output_type == "execute_result"]
    return float(shown.data["text/plain"])


def errors(ran):
    return [o.text for cell in ran.values() for o in cell.outputs if o.output_type == "stream" and o.name == "stderr"]


@pytest.mark.slow
@pytest.mark.parametrize("card", LESSONS, ids=lambda card: card.slug)
def test_a_solved_notebook_earns_every_public_point(card, run):
    ran = run(card, solved=True)
    scores = {id: value(cell) for id, cell in ran.items() if id.startswith("check-")}
    assert sum(scores.values()) == 6, scores
    assert not errors(ran)
    for cell in ran.values():
        if "from learning.gates.tuning import read" in cell.source:
            (said,) = [output.data["text/plain"] for output in cell.outputs if "data" in output]
            assert said.count("agrees with the reference") == 2 or said.startswith("tuned returns None so far"), said


@pytest.mark.parametrize("card", FIRST_AND_SLOW, ids=lambda card: card.slug)
def test_a_release_runs_and_says_not_yet_where_nothing_is_written(card, run):
    ran = run(card, solved=False)
    checks = [cell for id, cell in ran.items() if id.startswith("check-")]
    assert checks and all(value(cell) == 0 for cell in checks)
    assert all("not yet" in str(cell.outputs) for cell in checks)
    assert not errors(ran)
