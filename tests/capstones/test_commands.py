"""``--level capstone`` from the starter to a judged entry, the list, the demonstration, and what is said where a word is wrong."""

import re

import pytest

from learning import lesson
from learning.capstones import __main__ as listing
from learning.gates import progress, records
from learning.judge.engine import Graded
from learning.judge.finding import PASSED, CheckResult
from learning.workshops import command, start
from learning.workshops.work import Places

SLUGS = [card.slug for card in lesson.discover("capstone")]


@pytest.fixture
def places(tmp_path):
    """A course's root without releases, and a learner's empty folders."""
    (tmp_path / "here").mkdir()
    return Places(tmp_path / "root", tmp_path / "work", tmp_path / "here")


def test_start_lays_out_each_starter_once_and_leaves_what_is_there(places, capsys):
    assert start.main(places, ["--level", "capstone"]) == 0
    out = capsys.readouterr().out
    assert out.count("made from the starter") == len(SLUGS) and f"demonstrate {SLUGS[0]}" in out
    mine = places.work / SLUGS[0] / f"{SLUGS[0]}.py"
    text = mine.read_text()
    assert text.startswith("# C1 ") and "import torch" in text and "SOLUTION" not in text and "tl.dot" not in text
    mine.write_text("mine")
    assert start.main(places, ["--level", "capstone"]) == 0 and mine.read_text() == "mine"
    assert "yours, left as it is" in capsys.readouterr().out
    assert start.main(places, ["--level", "hard"]) == 64 and "invalid choice" in capsys.readouterr().err


def test_the_untouched_starter_is_todo_and_a_notebook_is_refused(places, capsys):
    assert command.main(["wide_softmax", "--interpret"], places=places) == 2
    out = capsys.readouterr().out
    assert "made " in out and "wide_softmax.py from the starter" in out and "Still TODO" in out
    (places.here / "a.ipynb").write_text("{}")
    assert command.main(["C3", "--interpret", "--file", "a.ipynb"], places=places) == 3
    assert "capstone's entry is a .py" in capsys.readouterr().out


def test_the_level_selects_all_capstones_and_no_lesson_and_the_list_names_them_last(places, capsys):
    assert command.main(["all", "--level", "capstone", "--include-gpu", "--interpret"], places=places) == 2
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines() if re.search(r" still TODO$", line)] == SLUGS
    assert command.main(["--list"], places=places) == 0
    told = capsys.readouterr().out
    assert told.index("advanced") < told.index("capstone") < told.index("wide_softmax")
    assert command.main(["--list", "--level", "capstone"], places=places) == 0
    assert "vector_add" not in capsys.readouterr().out
    assert command.main(["wide_softmax", "--hint"], places=places) == 0


def test_a_passed_reference_proves_gate_01_and_parity_waits_for_a_gpu(places, capsys):
    card = lesson.load("wide_softmax")
    entry = places.work / card.slug / "wide_softmax.py"
    entry.parent.mkdir(parents=True)
    entry.write_text((card.folder / "answer.py").read_text())

    def passed(asked, learner, *, notebook, **_):
        names = [
            cell["metadata"]["nbgrader"]["grade_id"] for cell in notebook["cells"] if "nbgrader" in cell["metadata"]
        ]
        results = [CheckResult(name, name, 1.0, earned=1.0, state=PASSED, device="interpreter") for name in names]
        return Graded(asked.slug, 1, "interpreter", "", results=results)

    assert command.main([card.slug, "--interpret"], places=places, grade=passed) == 0
    assert "progress 1/3" in capsys.readouterr().out
    state = progress.progress(card, records.read(places.log(card)).records)
    assert [gate.id for gate in state.gates if gate.proved] == ["reference"]
    assert next(gate for gate in state.gates if gate.id == "parity").waits


def test_the_module_lists_them_and_tells_what_it_cannot_show(capsys):
    assert listing.main([]) == 0
    out = capsys.readouterr().out
    assert all(slug in out for slug in SLUGS) and "demonstrate NAME" in out
    assert listing.main(["demonstrate"]) == 64 and "name one capstone" in capsys.readouterr().err
    assert listing.main(["demonstrate", "wide_softmacks"]) == 3 and "wide_softmax" in capsys.readouterr().out
    assert listing.main(["demonstrate", "vector_add"]) == 3 and "is a lesson" in capsys.readouterr().out
