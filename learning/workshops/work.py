"""Find a learner's work, and lay out what is not there yet; nothing that exists is ever written.

Standard library only.
"""

from __future__ import annotations

import ast
import contextlib
import datetime
import os
from dataclasses import dataclass, field
from pathlib import Path

from learning import attempts, capstones, course
from learning.files import create
from learning.judge import cells, match, statements
from learning.judge.cells import LearnerCells
from learning.lesson import Lesson
from learning.workshops import ahead
from learning.workshops.unavailable import Unavailable


@dataclass
class Work:
    """The file that is checked: ``path``, the lesson's ``log``, ``notes`` on how it was chosen, and whether the log ``keeps``
    evidence of it: not of a file that is none of the lesson's own, such as a scratch file."""

    path: Path
    log: Path
    notes: list[str] = field(default_factory=list)
    keeps: bool = True

    @property
    def is_notebook(self) -> bool:
        return self.path.suffix.lower() == ".ipynb"


@dataclass(frozen=True)
class Places:
    """``root`` holds release/ and source/, ``work`` the learners' folders, ``here`` is the working directory."""

    root: Path
    work: Path
    here: Path

    @classmethod
    def default(cls) -> Places:
        return cls(course.ROOT, course.workspace(), Path.cwd())

    def folder(self, lesson: Lesson) -> Path:
        return self.work / lesson.slug

    def log(self, lesson: Lesson) -> Path:
        return self.folder(lesson) / "progress.jsonl"

    def shown(self, path: Path) -> str:
        """``path`` as a learner would type it here."""
        with contextlib.suppress(ValueError):
            return str(path.relative_to(self.here))
        return str(path)


def find(lesson: Lesson, places: Places, *, file: str = "", python: bool = False, make: bool = True) -> Work | None:
    """The learner's work on ``lesson``: ``file``, else ``work/<slug>/``, else ``./<slug>.ipynb``.

    Where nothing is there yet the starter is laid out (``make``), as a ``.py`` where ``python`` asks for it; without
    ``make`` that is None. Of a notebook and a ``.py`` that one is taken which is no untouched starter, of two the newer. Raises
    ``Unavailable``.
    """
    log = places.log(lesson)
    if file:
        path = Path(file).expanduser()
        path = path if path.is_absolute() else places.here / path
        if path.suffix.lower() not in (".ipynb", ".py"):
            raise Unavailable(f"--file takes a notebook (.ipynb) or a .py, and {file} is neither")
        if not path.is_file():
            raise Unavailable(f"--file {file}: there is no such file")
        if path.suffix.lower() != ".py" and lesson.level == "capstone":
            raise Unavailable(f"a capstone's entry is a .py, and {file} is a notebook")
        own = [places.folder(lesson) / f"{lesson.slug}{suffix}" for suffix in (".ipynb", ".py")]
        if any(path.resolve() == each.resolve() for each in own):
            return Work(path, log)
        return Work(path, log, ["nothing of this run is kept: the file is none of your lesson's own"], keeps=False)
    folder = places.folder(lesson)
    notebook, script = folder / f"{lesson.slug}.ipynb", folder / f"{lesson.slug}.py"
    if python or lesson.level == "capstone":
        made = make and lay_out(lesson, places, python=True)
        if make:
            _lay_out_prediction(lesson, places)
        notes = [f"made {places.shown(script)} from the starter"] if made else ["--py: checking the .py"] * python
        return Work(script, log, notes) if script.is_file() else None
    if notebook.is_file() and script.is_file():
        return _written(lesson, places, notebook, script) or _newer(notebook, script, log)
    for path in (notebook, script):
        if path.is_file():
            return Work(path, log)
    loose = places.here / f"{lesson.slug}.ipynb"
    if loose.is_file():
        return Work(loose, loose.parent / "progress.jsonl")
    if not make:
        return None
    lay_out(lesson, places)
    return Work(notebook, log, [f"made {places.shown(notebook)} from the release; open it and fill in the answer"])


def _written(lesson: Lesson, places: Places, notebook: Path, script: Path) -> Work | None:
    """Of the two files the one in which something was written; None where that is both of them, or neither."""
    found = [Work(path, places.log(lesson)) for path in (notebook, script)]
    try:
        untouched = [is_todo(read(each, lesson, places), each, lesson, places) for each in found]
    except Unavailable:  # a file that cannot be read is no starter, and is told of where it is taken
        return None
    if untouched[0] == untouched[1]:
        return None
    taken, left = found if untouched[1] else reversed(found)
    taken.notes.append(
        f"{left.path.name} is still the untouched starter: checking {taken.path.name}, not {left.path.name}"
    )
    return taken


def _newer(notebook: Path, script: Path, log: Path) -> Work:
    first, second = notebook.stat().st_mtime_ns, script.stat().st_mtime_ns
    newer, older = (script, notebook) if second > first else (notebook, script)
    when = datetime.datetime.fromtimestamp(newer.stat().st_mtime).strftime("%Y-%m-%d %H:%M:%S")
    word = "are equally new" if first == second else f"both exist; {newer.name} is newer (saved {when})"
    return Work(newer, log, [f"{notebook.name} and {script.name} {word}: checking {newer.name}, not {older.name}"])


def lay_out(lesson: Lesson, places: Places, *, python: bool = False) -> bool:
    """Make ``work/<slug>/<slug>.ipynb`` (or ``.py``) from the release unless it exists; returns whether it was made.

    Whoever comes first in a race wins and nobody's file is replaced. Raises ``Unavailable``.
    """
    target = places.folder(lesson) / f"{lesson.slug}{'.py' if python else '.ipynb'}"
    if os.path.lexists(target):
        return False
    release = course.release(lesson.slug, places.root)
    if lesson.level == "capstone":
        return _create(target, starter_python(lesson, _unsolved(capstones.notebook(lesson))).encode(), places)
    try:
        data = starter_python(lesson, course.load(release)).encode() if python else release.read_bytes()
    except (OSError, course.NotebookError) as error:
        cause = "is missing" if isinstance(error, FileNotFoundError) else f"cannot be read: {error}"
        raise Unavailable(
            f"the released notebook release/{lesson.slug}/{lesson.slug}.ipynb {cause}; run `make release`"
        ) from None
    made = _create(target, data, places)
    if made:
        _date_back(target, release)
    return made


def _create(target: Path, data: bytes, places: Places) -> bool:
    """Make ``target`` and its folder; False where somebody was first. Raises ``Unavailable``."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        return create(target, data)
    except OSError as error:
        raise Unavailable(
            f"{places.shown(target)} cannot be made ({error.strerror}); name a folder of your own in LEARNING_WORK"
        ) from None


def _lay_out_prediction(lesson: Lesson, places: Places) -> None:
    """Beside a ``.py`` the script that predicts, unless it is there; without one the notebook's cell still serves."""
    with contextlib.suppress(OSError, course.NotebookError):
        text = ahead.script(lesson, course.load(course.release(lesson.slug, places.root)))
        if text:
            create(places.folder(lesson) / ahead.SCRIPT, text.encode())


def _date_back(target: Path, release: Path) -> None:
    """Give a fresh starter its release's date, and none after a sibling's: an untouched one is never the newer."""
    siblings = (target.with_suffix(suffix) for suffix in (".ipynb", ".py"))
    dates = [path.stat().st_mtime_ns for path in (release, *siblings) if path != target and path.is_file()]
    with contextlib.suppress(OSError):
        os.utime(target, ns=(min(dates), min(dates)))


CAPSTONE_HEAD = """\
# {lesson.id} {lesson.title}: python -m learning.workshops.check {lesson.slug}
#
# Fill in the parts marked `...`. Checked are {entries}, and what they use. The contract is in
# learning/capstones/{lesson.slug}/__init__.py; what given.py beside it defines is there when your code is checked.
"""


def starter_python(lesson: Lesson, notebook: dict) -> str:
    """The starter as a ``.py``: the imports of the set-up and the answer cells of ``notebook`` (without solutions),
    below a comment that says how to check it. Raises ``NotebookError`` where there is no answer cell."""
    answers = [course.text(cell).strip("\n") for cell in notebook["cells"] if course.role(cell) == "answer"]
    if not answers:
        raise course.NotebookError(f"the notebook of {lesson.slug} has no answer cell")
    head = (
        CAPSTONE_HEAD.format(lesson=lesson, entries=", ".join(lesson.entries))
        if lesson.level == "capstone"
        else (
            f"# {lesson.id} {lesson.title}: python -m learning.workshops.check {lesson.slug}\n"
            f"#\n"
            f"# Fill in the parts marked `...`. Checked are {', '.join(lesson.entries)}, and what they use. The lesson's text is\n"
            f"# in release/{lesson.slug}/{lesson.slug}.ipynb; what its set-up cells define besides these imports is there\n"
            f"# when your code is checked.\n"
            f"#\n"
            f"# Before you write: predict. Fill in predict.py beside this file and run it, or do it in the notebook. Once a check\n"
            f"# has passed, a prediction proves no gate any more, and check asks before it runs without one.\n"
        )
    )
    return "\n\n\n".join(["\n".join(filter(None, [head, *_imports(lesson, notebook, answers)])), *answers]) + "\n"


def _imports(lesson: Lesson, notebook: dict, answers: list[str]) -> list[str]:
    """Import lines of the set-up cells: modules an answer of this lesson may import, and from this course what ``answers``
    use, so that an editor knows every name."""
    used = {node.id for text in answers for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    found = []
    for cell in notebook["cells"]:
        tree = statements.parse(course.text(cell)) if course.role(cell) == "setup" else None
        for node in tree.body if tree is not None else []:
            if (isinstance(node, ast.Import) and all(alias.name in lesson.imports for alias in node.names)) or (
                isinstance(node, ast.ImportFrom) and any((alias.asname or alias.name) in used for alias in node.names)
            ):
                found.append(ast.unparse(node))
    return list(dict.fromkeys(found))


def read(work: Work, lesson: Lesson, places: Places) -> LearnerCells:
    """The learner's cells in ``work``; raises ``Unavailable`` where the file cannot be read as what its name says."""
    try:
        if not work.is_notebook:
            return LearnerCells.from_python(course.decode(work.path.read_bytes()), work.path.name)
        return match.learner_cells(course.load(work.path), instructor(lesson, places))
    except course.NotebookError as error:
        raise Unavailable(str(error)) from None
    except OSError as error:
        raise Unavailable(f"{places.shown(work.path)} cannot be read: {error.strerror}") from None


def instructor(lesson: Lesson, places: Places) -> dict:
    """The instructor's notebook of ``lesson``, in the student kit its release; raises ``Unavailable`` where it is missing."""
    if lesson.level == "capstone":
        return capstones.notebook(lesson)
    kit = course.is_kit() and places.root == course.ROOT
    path = course.release(lesson.slug, places.root) if kit else course.source(lesson.slug, places.root)
    try:
        return course.load(path)
    except (OSError, course.NotebookError):
        if kit:
            raise Unavailable(f"{path.name} of the student kit is missing or damaged; install the kit again") from None
        raise Unavailable(
            f"the course's own notebook source/{lesson.slug}/{lesson.slug}.ipynb is missing or damaged; run `make build`"
        ) from None


def solution(lesson: Lesson, places: Places) -> LearnerCells:
    """The supplied answer, as the instructor's notebook holds it; raises ``Unavailable`` where the student kit has none."""
    if lesson.level == "capstone" or (course.is_kit() and places.root == course.ROOT):
        if not (lesson.folder / "answer.py").is_file():
            raise Unavailable(
                f"the student kit holds no answer of {lesson.slug}, so --solution has nothing to run; the hints give more "
                "each time (--hint), and vector_add's answer is there to try your machine with"
            )
        return LearnerCells.from_python(attempts.answer(lesson).source, "answer.py")
    notebook = instructor(lesson, places)
    return match.learner_cells(notebook, notebook)


def is_todo(learner: LearnerCells, work: Work, lesson: Lesson, places: Places) -> bool:
    """Whether every answer cell still has the syntax tree of the starter."""
    answers = [cell for cell in learner.cells if cell.role == cells.ANSWER]
    if not answers:
        return True
    notebook = instructor(lesson, places)
    if not work.is_notebook:
        return cells.is_todo(answers[0].source, starter_python(lesson, _unsolved(notebook)))
    known = {cell.name: cell.source for cell in match.learner_cells(_unsolved(notebook), notebook).cells}
    return all(cells.is_todo(cell.source, known.get(cell.name, "")) for cell in answers)


def _unsolved(notebook: dict) -> dict:
    """The instructor's notebook with its solutions replaced by the stub, as a release shows them."""
    changed = [
        {**cell, "source": cells.starter_of(course.text(cell))} if course.role(cell) == "answer" else cell
        for cell in notebook["cells"]
    ]
    return {**notebook, "cells": changed}


def stale(work: Work, lesson: Lesson) -> str:
    """A sentence where a notebook was made from another version of the lesson than the released one, else ""."""
    if not work.is_notebook:
        return ""
    made_from = course.version(course.load(work.path))
    if made_from in (0, lesson.version):
        return ""
    return f"your notebook was made from version {made_from} of the lesson, and version {lesson.version} is checked"
