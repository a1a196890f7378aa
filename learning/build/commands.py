"""The builder's command line: build, pull, check, release."""

from __future__ import annotations

import argparse
import contextlib
import sys
from dataclasses import dataclass
from pathlib import Path

from learning import lesson as lessons
from learning.build import course as courses
from learning.build.finding import BuildError, Complaint
from learning.build.notebook import Assembly
from learning.build.start import prepare
from learning.lesson import Lesson, LessonError, UnknownLesson
from learning.unseen import spelt_out

DONE, FAULTY, USAGE = 0, 1, 64


@dataclass
class Built:
    """A lesson without complaints: its cells, and its source notebook's text."""

    lesson: Lesson
    made: Assembly
    source: str


def parser() -> argparse.ArgumentParser:
    """The command line's grammar."""
    found = argparse.ArgumentParser(
        prog="python -m learning.build",
        description="Lesson folders to source/ and back; releases, regenerated and audited; the companions in notebooks/.",
    )
    found.add_argument(
        "lessons", nargs="*", metavar="NAME", help="lessons (slugs or ids) or companions; all of both when left out"
    )
    mode = found.add_mutually_exclusive_group()
    mode.add_argument(
        "--check", action="store_true", help="change nothing; fail where folder, source and release differ"
    )
    mode.add_argument("--pull", action="store_true", help="write edits made in source/ back to the lesson's folder")
    mode.add_argument("--release", action="store_true", help="build, then regenerate and audit release/ with nbgrader")
    mode.add_argument(
        "--kit",
        nargs="?",
        const="dist",
        metavar="FOLDER",
        help="make the student kit, a wheel and a zip, in FOLDER (dist/)",
    )
    found.add_argument("--force", action="store_true", help="build over edits in source/ that were not pulled")
    found.add_argument("--no-grade", action="store_true", help="audit without running the answer and the starter")
    return found


def main(argv: list[str] | None = None, *, root: Path = courses.ROOT, folders: Path = lessons.LESSONS) -> int:
    """Run one command on the lessons in ``folders`` and the checkout ``root``; returns the exit status.

    0 done; 1 something is faulty, each complaint on a line of its own; 64 a usage error or an unknown lesson.
    """
    prepare()
    try:
        options = parser().parse_args(argv)
    except SystemExit as stop:
        return DONE if stop.code in (0, None) else USAGE
    companions, names = _companions(options.lessons, folders)
    try:
        chosen = [lessons.find(name, folders) for name in names] or (
            [] if companions and options.lessons else lessons.discover(root=folders)
        )
    except (UnknownLesson, LessonError) as error:
        print(error, file=sys.stderr)
        return USAGE
    if not chosen and not companions:
        print(f"there are no lessons in {folders}", file=sys.stderr)
        return FAULTY
    if options.check:
        from learning.build import companions as pages
        from learning.build import drift

        found = (drift.check(chosen, root) if chosen else []) + (pages.check(root, chosen) if companions else [])
        told = [f"{len(chosen)} lessons", *([f"{len(companions)} companions"] if companions else [])]
        return _told(found, f"{', '.join(told)}: no drift")
    if options.pull:
        from learning.build import companions as pages

        return _told(_pull(chosen, root) + pages.unpullable(companions if options.lessons else [], root), "")
    if options.kit:
        return _kit(Path(options.kit), chosen, root)
    complaints, built = _build(chosen, root, force=options.force)
    if companions:
        from learning.build import companions as pages

        complaints += pages.write(companions, root, force=options.force)
    if options.release and chosen:
        complaints += _release(built, root, grade=not options.no_grade)
    return _told(complaints, "")


def _companions(named: list[str], folders: Path) -> tuple[list[str], list[str]]:
    """The companions that are meant and the names left for lessons; none belong to lessons of another folder."""
    if folders != lessons.LESSONS:
        return [], named
    from learning.companions import ORDER

    chosen = [name for name in named if name in ORDER]
    return (chosen, [name for name in named if name not in ORDER]) if named else (list(ORDER), [])


def _told(complaints: list[Complaint], otherwise: str) -> int:
    """Print each complaint, or the line for there being none; returns the exit status."""
    sys.stdout.flush()
    for complaint in complaints:
        print(spelt_out(str(complaint)), file=sys.stderr)  # it may show a notebook's words
    if not complaints and otherwise:
        print(otherwise)
    return FAULTY if complaints else DONE


def _kit(folder: Path, chosen: list[Lesson], root: Path) -> int:
    """Audit what the student kit would hold and make it; nothing is written where something of ours is in it."""
    from learning.build import kit, notebook

    course = courses.read(root)
    try:
        held = kit.contents(root) | kit.pages(root)
        complaints = kit.audit(held, [notebook.assemble(lesson, course) for lesson in chosen])
        if not complaints:
            for path in kit.write(folder, root):
                print(f"{path}: {path.stat().st_size / 2**10:.0f} KiB", flush=True)
    except BuildError as error:
        complaints = error.complaints
    return _told(complaints, "")


def _build(chosen: list[Lesson], root: Path, *, force: bool) -> tuple[list[Complaint], list[Built]]:
    """Write every source notebook that can be made; returns the complaints and the lessons without any."""
    from learning.build import lint, notebook

    course = courses.read(root)
    complaints, built = lint.checkout(root), []
    for lesson in chosen:
        made = notebook.assemble(lesson, course)
        try:
            changed = notebook.write(lesson, root, force=force, made=made)
        except BuildError as error:
            complaints += error.complaints
            continue
        found = lint.folder(lesson, course, made) + lint.source(lesson, root)
        complaints += found
        path = notebook.path(lesson, root)
        state = "written" if changed else "up to date"
        print(f"{path.relative_to(root)}: {state}{f', {len(found)} complaints' if found else ''}", flush=True)
        if not found:
            built.append(Built(lesson, made, path.read_text(encoding="utf-8")))
    return complaints, built


def _release(built: list[Built], root: Path, *, grade: bool) -> list[Complaint]:
    """Regenerate and audit the releases of lessons whose sources are faultless; a faulty release is not written."""
    from learning.build import release

    releases, complaints = release.generate({b.lesson.slug: b.source for b in built}, root)
    with contextlib.ExitStack() as stack:
        servers = stack.enter_context(_servers()) if grade and releases else None
        complaints += _audit(built, releases, root, servers)
    return complaints


def _servers():
    """The judge's warm servers, shared by the lessons of one run."""
    from learning.judge.fleet import Servers

    return Servers()


def _audit(built: list[Built], releases: dict[str, str], root: Path, servers) -> list[Complaint]:
    """Audit each release, run it where there are ``servers``, and put the faultless ones in place."""
    from learning.build import audit, release, saved
    from learning.files import replace

    complaints = []
    for b in built:
        text = releases.get(b.lesson.slug)
        if text is None:
            continue
        found = audit.audit(b.made, b.source, text, root) + audit.strays(b.lesson.slug, root)
        if servers is not None and not found:
            found += audit.graded(b.lesson, b.source, text, servers, root)
        path = release.path(b.lesson.slug, root)
        found += saved.astray(path, root / "release", str(path.relative_to(root)))
        if found:
            print(f"{path.relative_to(root)}: not released, {len(found)} complaints", flush=True)
        else:
            state = "released" if replace(path, text) else "up to date"
            told = "audited, not run" if servers is None else "audited, our answer passes, an empty one does not"
            print(f"{path.relative_to(root)}: {state}; {told}", flush=True)
        complaints += found
    return complaints


def _pull(chosen: list[Lesson], root: Path) -> list[Complaint]:
    """Write edits made in source/ back to the folders; returns what could not be."""
    from learning.build import pull

    complaints = []
    for lesson in chosen:
        try:
            written = pull.pull(lesson, root)
        except BuildError as error:
            complaints += error.complaints
            continue
        files = ", ".join(str(path.relative_to(lesson.root)) for path in written)
        print(f"{lesson.slug}: {f'pulled into {files}' if written else 'nothing to pull'}", flush=True)
    return complaints
