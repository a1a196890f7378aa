"""Saves, moves and kills while a pull or a build runs: every edit is somewhere afterwards, and the next run finishes."""

import signal
import subprocess
import sys
import time

import pytest

from learning.build import notebook as notebooks
from learning.build import pull as pulls
from learning.build.course import ROOT
from learning.files import replace

from .test_pull import MARKDOWN, insert, read, remove
from .test_pull_hostile import EDITS, FILES, edited, snapshot


def meanwhile(monkeypatch, hand):
    """Somebody acts while a pull has read everything and written nothing."""
    real, calls = pulls.assemble, []

    def assemble(*arguments):
        made = real(*arguments)
        calls.append(made)
        if len(calls) == 2:
            hand()
        return made

    monkeypatch.setattr(pulls, "assemble", assemble)


RACES = {
    "the_notebook_is_saved_again": (lambda c: c.edit("text-your-turn", "## Your turn", "## Your turn\n\nMeanwhile."), "was saved again while the notebook was pulled"),
    "the_notebook_is_moved": (lambda c: c.source.rename(c.root / "moved.ipynb"), "was moved or deleted while the notebook was pulled"),
    "the_page_is_saved_again": (lambda c: c.change("lesson.md", "twice as large", "twice as big"), "lesson.md: was saved again while the notebook was pulled"),
    "the_page_is_deleted": (lambda c: (c.folder / "lesson.md").unlink(), "lesson.md: was moved or deleted"),
}  # fmt: skip


@pytest.mark.parametrize("story", RACES)
def test_what_is_saved_while_a_pull_runs_is_never_written_over(built_course, monkeypatch, capsys, story):
    hand, message = RACES[story]
    edited(built_course)
    seen = []

    def now():
        hand(built_course)
        seen.append(snapshot(built_course))

    meanwhile(monkeypatch, now)
    assert built_course.run("--pull") == 1
    told = capsys.readouterr().err
    assert message in told and "pull again" in told
    assert snapshot(built_course) == seen[0]


def test_a_notebook_saved_between_the_files_and_itself_keeps_what_was_saved(built_course, monkeypatch, capsys):
    edited(built_course)

    def write(path, data, **how):
        done = replace(path, data, **how)
        built_course.edit("answer-double", "x + x", "2 * x")
        return done

    monkeypatch.setattr(pulls, "replace", write)
    assert built_course.run("--pull") == 1
    assert "the edits up to then are in lesson.md; pull again" in capsys.readouterr().err
    monkeypatch.undo()
    assert built_course.run("--pull") == 0
    assert "2 * x" in read(built_course, "answer.py") and "22.0" in read(built_course, "lesson.md")


def test_a_notebook_saved_while_it_is_built_is_not_written_over(built_course, monkeypatch, capsys):
    from learning.build import changes

    built_course.change("lesson.md", "twice as large", "twice as big")
    real = changes.unsaved

    def unsaved(*arguments):
        found = real(*arguments)
        edited(built_course)
        return found

    monkeypatch.setattr(changes, "unsaved", unsaved)
    assert built_course.run() == 1
    assert "was saved or moved while it was built; build again" in capsys.readouterr().err
    assert "22.0" in built_course.source.read_text()


def everywhere(course):
    """Edits of every kind, in every file, with one paragraph more and one less."""
    for id, old, new, _ in EDITS:
        course.edit(id, old, new)
    course.edit("text-what-goes-in-and-what-comes-out", "## What goes", "## What then goes")
    course.edit("hidden-doubles-large-numbers", '"""Numbers far', '"""Numbers very far')
    insert(course, "show-try-it", MARKDOWN)
    remove(course, "text-after-what-goes-in-and-what-comes-out")


class Killed(BaseException):
    """What nothing catches, as a signal that ends the process."""


@pytest.mark.parametrize("writes", range(6))
def test_a_pull_that_is_killed_after_any_file_is_finished_by_the_next(
    built_course, templates, tmp_path, monkeypatch, writes
):
    whole = type(built_course)(tmp_path / "whole", templates[0])
    for course in (built_course, whole):
        everywhere(course)
    assert whole.run("--pull") == 0
    left = [writes]

    def write(path, data, **how):
        if not left[0]:
            raise Killed
        left[0] -= 1
        return replace(path, data, **how)

    monkeypatch.setattr(pulls, "replace", write)
    monkeypatch.setattr(notebooks, "replace", write)
    with pytest.raises(Killed):
        built_course.run("--pull")
    monkeypatch.undo()
    assert built_course.run("--pull") == 0 and built_course.run() == 0
    assert [read(built_course, name) for name in FILES] == [read(whole, name) for name in FILES]
    assert built_course.source.read_bytes() == whole.source.read_bytes()


@pytest.mark.slow
def test_pulls_killed_by_the_system_at_any_moment_lose_nothing(built_course, templates, tmp_path_factory):
    whole = type(built_course)(tmp_path_factory.mktemp("whole"), templates[0])
    everywhere(whole)
    assert whole.run("--pull") == 0
    code = f"import sys; from pathlib import Path; from learning.build.commands import main; sys.exit(main(['--pull'], root=Path({str(built_course.root)!r}), folders=Path({str(built_course.lessons)!r})))"
    start = [sys.executable, "-c", code]
    everywhere(built_course)
    edits = snapshot(built_course)
    began = time.monotonic()
    assert subprocess.run(start, cwd=ROOT, capture_output=True).returncode == 0
    took = time.monotonic() - began
    for share in range(8):
        for name, data in edits.items():
            (built_course.root / name).write_bytes(data)
        process = subprocess.Popen(start, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(took * (0.8 + 0.2 * share / 8))
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert built_course.run("--pull") == 0
        for part in built_course.root.rglob(".*.part"):
            part.unlink()  # what a kill may leave, which nobody reads
        assert built_course.run() == 0
        assert snapshot(built_course) == snapshot(whole)
