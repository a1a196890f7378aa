"""What is wrong with a lesson before a learner sees it: each complaint a sentence with file, name and remedy."""

from __future__ import annotations

from pathlib import Path

from learning.build import course as courses
from learning.build import saved
from learning.build.course import Course
from learning.build.finding import BuildError, Complaint
from learning.build.lint import cells, files, leaks, names
from learning.build.notebook import Assembly, assemble, path
from learning.lesson import Lesson


def folder(lesson: Lesson, course: Course | None = None, made: Assembly | None = None) -> list[Complaint]:
    """Complaints about what the author wrote; ``made`` spares a second reading.

    Where a block could not become a cell, only that is told: what is missing would make every other rule complain.
    """
    made = assemble(lesson, course) if made is None else made
    if made.complaints:
        return made.complaints
    file = f"{lesson.slug}/lesson.md"
    found = [*names.check(lesson, made.cells, file), *cells.check(lesson, made.folder, made.cells, file)]
    return found + leaks.check(made.cells, file)


def source(lesson: Lesson, root: Path = courses.ROOT) -> list[Complaint]:
    """Complaints about ``source/<slug>/`` as it stands: stray files, and what was done to the notebook by hand."""
    target = path(lesson, root)
    found = files.strays(target.parent, lesson.slug)
    if not target.is_file():
        return found
    file = str(target.relative_to(root))
    try:
        book = saved.read(target.read_bytes(), file)
    except BuildError as error:
        return found + error.complaints
    return found + files.notebook(book, file)


def checkout(root: Path = courses.ROOT) -> list[Complaint]:
    """Complaints about the checkout itself."""
    return files.shadows(root)
