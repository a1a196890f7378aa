"""``--check``: whether source/ is what the folders say and release/ what nbgrader makes of it. Changes nothing."""

from __future__ import annotations

import difflib
from pathlib import Path

from learning.build import audit, lint, notebook, release
from learning.build import course as courses
from learning.build.finding import Complaint
from learning.lesson import Lesson


def check(lessons: list[Lesson], root: Path = courses.ROOT) -> list[Complaint]:
    """Complaints about drift, about the lessons (the lint) and about the releases as committed (the audit)."""
    course = courses.read(root)
    complaints = lint.checkout(root) + orphans(lessons, root)
    sources, assemblies = {}, {}
    for lesson in lessons:
        made = notebook.assemble(lesson, course)
        complaints += lint.folder(lesson, course, made) + lint.source(lesson, root) + audit.strays(lesson.slug, root)
        if made.complaints:
            continue
        wanted = notebook.serialise(notebook.as_json(lesson, made.cells))
        remedy = "python -m learning.build, or --pull if the notebook was edited"
        complaints += _same("source", notebook.path(lesson, root), root, wanted, remedy)
        sources[lesson.slug], assemblies[lesson.slug] = wanted, made
    releases, refused = release.generate(sources, root)
    complaints += refused
    for slug, text in releases.items():
        complaints += _same("release", release.path(slug, root), root, text, "python -m learning.build --release")
        complaints += audit.audit(assemblies[slug], sources[slug], text, root)
    return complaints


def _same(rule: str, path: Path, root: Path, wanted: str, remedy: str) -> list[Complaint]:
    """A complaint with the first lines of the difference where ``path`` does not hold ``wanted``."""
    name = str(path.relative_to(root))
    if not path.is_file():
        return [Complaint(rule, name, "notebook", "is missing", f"run {remedy}")]
    held = path.read_bytes().decode("utf-8", errors="replace")
    if held == wanted:
        return []
    changes = difflib.unified_diff(
        held.splitlines(), wanted.splitlines(), "as it is", "as it would be built", n=0, lineterm=""
    )
    lines = [line[:160] for line in changes][:8]
    return [Complaint(rule, name, "notebook", "has drifted:\n    " + "\n    ".join(lines) + "\n  ", f"run {remedy}")]


def orphans(lessons: list[Lesson], root: Path) -> list[Complaint]:
    """Folders in source/ and release/ that no lesson makes (asked only when every lesson is looked at)."""
    known = {lesson.slug for lesson in lessons}
    if not lessons or known != set(_all_slugs(lessons[0])):
        return []
    found = []
    for step in ("source", "release"):
        for path in sorted((root / step).glob("*/")):
            if path.name not in known and not path.name.startswith("."):
                message = f"belongs to no lesson in {lessons[0].root.name}/"
                found.append(Complaint("orphan", f"{step}/{path.name}", "folder", message, "delete it"))
    return found


def _all_slugs(lesson: Lesson) -> list[str]:
    from learning.lesson import slugs

    return slugs(lesson.root)
