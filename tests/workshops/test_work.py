"""Finding and laying out a learner's work: the order of sources, and that nothing that exists is written."""

import json
import multiprocessing
import os
import stat
from pathlib import Path

import pytest

from learning import course
from learning import lesson as lessons
from learning.workshops import work
from learning.workshops.unavailable import Unavailable
from tests.workshops.kit import ANSWER, answered, notebook, save, solved_python

CARD = lessons.load("online_normalizer")


def test_the_first_check_lays_out_the_release_byte_for_byte(places):
    found = work.find(CARD, places)
    assert found.path == places.work / "online_normalizer" / "online_normalizer.ipynb"
    assert found.path.read_bytes() == course.release(CARD.slug, places.root).read_bytes()
    assert "made" in found.notes[0]
    assert os.listdir(found.path.parent) == [found.path.name]
    again = work.find(CARD, places)
    assert again.path == found.path and not again.notes


def test_a_work_file_is_never_written_again(places, answered_work):
    before = answered_work.read_bytes(), answered_work.stat().st_mtime_ns
    assert work.lay_out(CARD, places) is False
    work.find(CARD, places)
    assert (answered_work.read_bytes(), answered_work.stat().st_mtime_ns) == before


def test_the_laid_out_file_has_the_rights_of_any_new_file(places):
    found = work.find(CARD, places)
    plain = places.work / "plain"
    plain.touch()
    assert stat.S_IMODE(found.path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_a_notebook_beside_the_learner_is_taken_where_work_holds_none(places):
    loose = save(places.here / "online_normalizer.ipynb", notebook("online_normalizer"))
    found = work.find(CARD, places)
    assert found.path == loose and found.log == places.here / "progress.jsonl"
    assert not places.work.exists()


def test_work_comes_before_a_notebook_beside_the_learner(places, answered_work):
    save(places.here / "online_normalizer.ipynb", notebook("online_normalizer"))
    assert work.find(CARD, places).path == answered_work


def test_a_named_file_comes_first_and_is_looked_for_where_the_learner_stands(places, answered_work):
    mine = places.here / "mine.py"
    mine.write_text("x = 1")
    assert work.find(CARD, places, file="mine.py").path == mine
    assert work.find(CARD, places, file=str(mine)).path == mine


@pytest.mark.parametrize(("file", "said"), [("nothing.py", "no such file"), ("notes.txt", "neither"), (".", "neither")])
def test_a_named_file_that_cannot_be_checked_is_named(places, file, said):
    (places.here / "notes.txt").touch()
    with pytest.raises(Unavailable, match=said):
        work.find(CARD, places, file=file)


@pytest.mark.parametrize("newer", ["ipynb", "py"])
def test_of_notebook_and_python_file_the_newer_is_checked_and_said(places, answered_work, newer):
    script = answered_work.with_suffix(".py")
    script.write_text(solved_python())
    os.utime(answered_work, (1000, 2000 if newer == "ipynb" else 1000))
    os.utime(script, (1000, 2000 if newer == "py" else 1000))
    found = work.find(CARD, places)
    assert found.path.suffix == f".{newer}"
    assert f"{found.path.name} is newer" in found.notes[0]


@pytest.mark.parametrize("untouched", ["ipynb", "py"])
def test_an_untouched_starter_gives_way_however_new_it_is(places, answered_work, untouched):
    script = answered_work.with_suffix(".py")
    script.write_text(solved_python())
    if untouched == "ipynb":
        save(answered_work, notebook("online_normalizer"))
    else:
        script.write_text(work.starter_python(CARD, notebook("online_normalizer")))
    os.utime(answered_work, (1000, 2000 if untouched == "ipynb" else 1000))
    os.utime(script, (1000, 2000 if untouched == "py" else 1000))
    found = work.find(CARD, places)
    assert found.path.suffix != f".{untouched}"
    assert found.notes == [f"online_normalizer.{untouched} is still the untouched starter: checking {found.path.name}, not "
                           f"online_normalizer.{untouched}"]  # fmt: skip


def test_a_damaged_file_beside_a_starter_is_no_starter(places, answered_work):
    answered_work.write_text("{")
    script = answered_work.with_suffix(".py")
    script.write_text(solved_python())
    os.utime(answered_work, (1000, 1000))
    assert work.find(CARD, places).path == script


def test_equally_new_files_say_so(places, answered_work):
    script = answered_work.with_suffix(".py")
    script.write_text(solved_python())
    os.utime(answered_work, (1000, 1000))
    os.utime(script, (1000, 1000))
    found = work.find(CARD, places)
    assert found.path == answered_work and "equally new" in found.notes[0]


def test_a_fresh_starter_is_never_newer_than_work_of_the_other_kind(places, answered_work):
    os.utime(answered_work, (1000, 1000))
    assert work.find(CARD, places, python=True).path.suffix == ".py"
    assert work.find(CARD, places).path == answered_work
    script = answered_work.with_suffix(".py")
    script.write_text(solved_python())
    assert work.find(CARD, places).path == script
    answered_work.unlink()
    work.lay_out(CARD, places)
    assert work.find(CARD, places).path == script


def test_py_lays_out_a_starter_that_parses_and_is_todo(places):
    found = work.find(CARD, places, python=True)
    text = found.path.read_text()
    compile(text, "starter", "exec")
    assert "def push" in text and "SOLUTION" not in text and "merge(state" not in text
    assert not found.path.with_suffix(".ipynb").exists()
    assert work.is_todo(work.read(found, CARD, places), found, CARD, places)
    found.path.write_text("# a thought\n" + text.replace("\n\n\n", "\n\n\n\n"))
    assert work.is_todo(work.read(found, CARD, places), found, CARD, places)
    found.path.write_text(text.replace("def result(state):\n    ...", "def result(state):\n    return state"))
    assert not work.is_todo(work.read(found, CARD, places), found, CARD, places)


def test_py_leaves_an_existing_file_as_it_is(places, answered_work):
    script = answered_work.with_suffix(".py")
    script.write_text("# mine")
    os.utime(script, (1000, 1000))
    assert work.find(CARD, places, python=True).path == script
    assert script.read_text() == "# mine"


def test_without_making_nothing_is_made(places):
    assert work.find(CARD, places, make=False) is None
    assert not places.work.exists()


def test_a_missing_release_names_the_remedy(places):
    course.release(CARD.slug, places.root).unlink()
    with pytest.raises(Unavailable, match="make release"):
        work.find(CARD, places)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_names_the_remedy(places):
    places.root.chmod(0o555)
    try:
        with pytest.raises(Unavailable, match="LEARNING_WORK"):
            work.find(CARD, places)
    finally:
        places.root.chmod(0o755)


def test_a_file_in_place_of_the_work_folder_names_the_remedy(places):
    places.work.write_text("in the way")
    with pytest.raises(Unavailable, match="LEARNING_WORK"):
        work.find(CARD, places)


def test_a_dangling_link_is_somebody_elses_and_stays(places):
    target = places.work / "online_normalizer" / "online_normalizer.ipynb"
    target.parent.mkdir(parents=True)
    target.symlink_to(places.work / "nowhere.ipynb")
    assert work.lay_out(CARD, places) is False
    assert target.is_symlink() and not (places.work / "nowhere.ipynb").exists()


def test_a_file_system_without_links_is_served(places, monkeypatch):
    def no_links(*_):
        raise OSError(95, "not supported")

    monkeypatch.setattr(os, "link", no_links)
    assert work.lay_out(CARD, places) is True
    assert work.lay_out(CARD, places) is False
    target = places.work / "online_normalizer" / "online_normalizer.ipynb"
    assert target.read_bytes() == course.release(CARD.slug, places.root).read_bytes()


def _race(places, gate, answers):
    gate.wait()
    answers.put(work.lay_out(CARD, places))


def test_a_race_makes_one_file_and_it_is_whole(places):
    fork = multiprocessing.get_context("fork")
    gate, answers = fork.Barrier(6), fork.Queue()
    racers = [fork.Process(target=_race, args=(places, gate, answers)) for _ in range(6)]
    for racer in racers:
        racer.start()
    made = [answers.get(timeout=30) for _ in racers]
    for racer in racers:
        racer.join(30)
    assert sum(made) == 1
    folder = places.work / "online_normalizer"
    assert os.listdir(folder) == ["online_normalizer.ipynb"]
    assert (folder / "online_normalizer.ipynb").read_bytes() == course.release(CARD.slug, places.root).read_bytes()


def test_the_answer_of_a_notebook_is_read_and_is_no_todo(places, answered_work):
    found = work.find(CARD, places)
    learner = work.read(found, CARD, places)
    assert [cell.source.strip() for cell in learner.cells] == [solved_python().strip()]
    assert not work.is_todo(learner, found, CARD, places)


def test_comments_and_markers_leave_the_starter_todo(places):
    made = notebook("online_normalizer")
    starter = made["cells"][1]["source"]
    edited = starter.replace("    ...", "    # thinking\n    ### BEGIN SOLUTION\n    ...\n    ### END SOLUTION")
    path = save(places.work / CARD.slug / f"{CARD.slug}.ipynb", answered(made, edited))
    found = work.find(CARD, places)
    assert found.path == path
    assert work.is_todo(work.read(found, CARD, places), found, CARD, places)


def test_a_syntax_error_is_no_todo(places):
    save(places.work / CARD.slug / f"{CARD.slug}.ipynb", answered(notebook(CARD.slug), "def push(state, x:"))
    found = work.find(CARD, places)
    assert not work.is_todo(work.read(found, CARD, places), found, CARD, places)


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"", "is empty"), (b"{\"cells\": [", "breaks off"), (b"[]", "no list of cells"), (b"{}", "no list of cells"),
     (b"[" * 100_000, "breaks off")],
    ids=["empty", "truncated", "list", "object", "deep"],
)  # fmt: skip
def test_a_damaged_notebook_is_named_with_its_remedy(places, data, said):
    path = places.work / CARD.slug / f"{CARD.slug}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    with pytest.raises(Unavailable, match=said):
        work.read(work.find(CARD, places), CARD, places)
    assert path.read_bytes() == data


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "latin-1"])
def test_other_encodings_are_read(places, encoding):
    made = answered(notebook(CARD.slug), "# größer\nx = 1\r\ny = 2")
    path = places.work / CARD.slug / f"{CARD.slug}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(json.dumps(made, ensure_ascii=False).encode(encoding))
    learner = work.read(work.find(CARD, places), CARD, places)
    assert any("# größer\nx = 1\ny = 2" in cell.source for cell in learner.cells)


def test_a_notebook_of_another_version_says_so(places):
    path = save(places.work / CARD.slug / f"{CARD.slug}.ipynb", notebook(CARD.slug, version=7))
    assert "version 7" in work.stale(work.Work(path, places.log(CARD)), CARD)
    assert work.stale(work.Work(course.release(CARD.slug, places.root), places.log(CARD)), CARD) == ""


def test_the_supplied_answer_comes_from_the_instructors_notebook(places):
    learner = work.solution(CARD, places)
    assert ANSWER[CARD.slug].strip() in [cell.source.strip() for cell in learner.cells]


def test_learning_work_names_another_folder(monkeypatch, tmp_path):
    monkeypatch.setenv("LEARNING_WORK", str(tmp_path))
    assert work.Places.default().work == tmp_path
    monkeypatch.delenv("LEARNING_WORK")
    assert work.Places.default().work == Path(course.ROOT) / "work"
