"""The builder's command line: build, pull, check, release."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from learning import lesson as lessons
from learning.build import course as courses
from learning.build.finding import BuildError, Complaint
from learning.lesson import Lesson, LessonError, UnknownLesson

DONE, FAULTY, USAGE = 0, 1, 64


def parser() -> argparse.ArgumentParser:
    """The command line's grammar."""
    found = argparse.ArgumentParser(
        prog="python -m learning.build",
        description="Lesson folders to source/ and back; releases, regenerated and audited.",
    )
    found.add_argument("lessons", nargs="*", metavar="LESSON", help="slugs or ids; all lessons when left out")
    mode = found.add_mutually_exclusive_group()
    mode.add_argument(
        "--check", action="store_true", help="change nothing; fail where folder, source and release differ"
    )
    mode.add_argument("--pull", action="store_true", help="write edits made in source/ back to the lesson's folder")
    mode.add_argument("--release", action="store_true", help="build, then regenerate and audit release/ with nbgrader")
    found.add_argument("--force", action="store_true", help="build over edits in source/ that were not pulled")
    found.add_argument("--no-grade", action="store_true", help="audit without running the answer and the starter")
    return found


def main(argv: list[str] | None = None, *, root: Path = courses.ROOT, folders: Path = lessons.LESSONS) -> int:
    """Run one command on the lessons in ``folders`` and the checkout ``root``; returns the exit status.

    0 done; 1 something is faulty, each complaint on a line of its own; 64 a usage error or an unknown lesson.
    """
    own_tools_first()
    try:
        options = parser().parse_args(argv)
    except SystemExit as stop:
        return DONE if stop.code in (0, None) else USAGE
    try:
        chosen = [lessons.find(name, folders) for name in options.lessons] or lessons.discover(root=folders)
    except (UnknownLesson, LessonError) as error:
        print(error, file=sys.stderr)
        return USAGE
    if not chosen:
        print(f"there are no lessons in {folders}", file=sys.stderr)
        return FAULTY
    complaints = []
    for lesson in chosen:
        try:
            complaints += _build(lesson, root, options)
        except BuildError as error:
            complaints += error.complaints
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return FAULTY if complaints else DONE


def _build(lesson: Lesson, root: Path, options: argparse.Namespace) -> list[Complaint]:
    from learning.build import notebook

    changed = notebook.write(lesson, root, force=options.force)
    print(f"{notebook.path(lesson, root).relative_to(root)}: {'written' if changed else 'up to date'}")
    return []


def own_tools_first() -> None:
    """Put this Python's script folder on PATH: nbgrader starts ``alembic`` by name."""
    here = str(Path(sys.executable).parent)
    paths = os.environ.get("PATH", "").split(os.pathsep)
    if here not in paths:
        os.environ["PATH"] = os.pathsep.join([here, *paths])
