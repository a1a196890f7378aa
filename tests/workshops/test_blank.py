"""``check NAME --blank``: the page from a terminal, by the real engine."""

from pathlib import Path

import pytest

from learning import course
from learning.gates import records
from learning.workshops import command
from learning.workshops.work import Places

DERIVED = Path(course.__file__).parents[1] / "tests" / "lessons" / "blank_pages"


@pytest.fixture
def ask(tmp_path, capsys):
    """``ask("vector_add --blank")``: exit status and what was printed."""
    places = Places(course.ROOT, tmp_path / "work", tmp_path)

    def asked(line):
        status = command.main(line.split(), places=places)
        return status, "".join(capsys.readouterr())

    return asked


def write(folder, number, slug):
    """The derivation of the drawn variation, typed into the page."""
    path = folder / f"blank_{number}.ipynb"
    book = course.load(path)
    entry = book["metadata"]["learning"]["blank"]["variation"]
    answers = [cell for cell in book["cells"] if course.role(cell) == "answer"]
    answers[1]["source"] = (DERIVED / slug / f"{entry}.py").read_text()
    path.write_bytes(course_bytes(book))
    return entry


def course_bytes(book):
    from learning.gates import blank_notebook

    return blank_notebook.dumps(book)


def test_a_page_is_laid_out_then_todo_then_passed_and_another_is_drawn(ask, tmp_path):
    status, told = ask("A1 --blank")
    assert status == 2 and "blank page 1" in told and "laid out" in told
    status, told = ask("online_normalizer --blank")
    assert status == 2 and "nothing is written on the page yet" in told
    entry = write(tmp_path / "work" / "online_normalizer", 1, "online_normalizer")
    status, told = ask("online_normalizer --blank 1")
    assert status == 0 and "gate 11 is proved" in told
    kept = records.read(tmp_path / "work" / "online_normalizer" / records.FILE).records
    assert [record["payload"]["state"] for record in kept] == ["drawn", "todo", "passed"]
    assert kept[-1]["device"] == "cpu" and kept[-1]["payload"]["via"] == "check"
    status, told = ask("online_normalizer --blank new")
    assert status == 2 and "blank page 2" in told
    status, told = ask("online_normalizer --blank new")
    assert status == 2 and "blank page 2" in told and "so no other is drawn" in told
    status, told = ask("online_normalizer --blank new --anyway")
    assert status == 2 and "blank page 3" in told and "laid out" in told
    (tmp_path / "work" / "online_normalizer" / "blank_3.ipynb").unlink()
    assert "blank page 4" in ask("online_normalizer --blank new")[1]  # a page that is gone keeps nobody from another
    drawn = records.read(tmp_path / "work" / "online_normalizer" / records.FILE).records[3]["payload"]["variation"]
    assert drawn != entry


def test_what_is_missing_is_said(ask, tmp_path):
    assert ask("A1 --blank 7")[0] == 3
    ask("A1 --blank")
    (tmp_path / "work" / "online_normalizer" / "blank_1.ipynb").unlink()
    status, told = ask("A1 --blank")
    assert status == 3 and "is gone" in told and "--blank new" in told
    (tmp_path / "work" / "online_normalizer" / "blank_1.ipynb").write_text("{")
    assert ask("A1 --blank")[0] == 3


@pytest.mark.parametrize(
    "line", ["A1 --blank x", "all --blank", "A1 --blank --py", "A1 --blank --solution", "--blank --list"]
)
def test_what_does_not_go_together_is_a_usage_error(ask, line):
    assert ask(line)[0] == 64
