"""The classes that ``grader_config.py`` hands to nbgrader: they make ``nbgrader autograde`` grade with the judge.

nbgrader names its converter class in code, not in configuration. The exporter is the first object of ours that it
makes, with the converter as its parent and before anything is converted; so the exporter adopts the converter
(``CourseAutograde``). From there on nbgrader's own loop runs: a submission is sanitised (the notebook rebuilt), then
autograded (outputs and grades written from records). One method of nbgrader's is needed sooner and is replaced when
this module is imported: the search for notebooks, which drops folders without one and gives up where all are such.
"""

from __future__ import annotations

import glob
import json
import os
import re
import shutil
import stat
import time
import warnings
from pathlib import Path

from nbconvert.exporters import NotebookExporter
from nbgrader.api import Gradebook
from nbgrader.apps import AutogradeApp
from nbgrader.converters import Autograde
from nbgrader.converters.base import BaseConverter, NbGraderException
from nbgrader.preprocessors import AssignLatePenalties, NbGraderPreprocessor
from nbgrader.utils import parse_utc
from sqlalchemy.exc import SAWarning

from learning.grading import save
from learning.grading.klass import CannotGrade, Class
from learning.grading.outcome import Outcome
from learning.grading.rebuild import as_text, fill_outputs, rebuild
from learning.grading.report import one_line, what_stays_open
from learning.grading.settings import bad_ids
from learning.grading.writer import Busy, only_one
from learning.unseen import spelt_out

COPIED = 8 << 20
"""Files beside a notebook are copied to ``autograded`` up to this many bytes each; what runs is the cells alone."""
COPIES = 200
NO_FOLDER = "this is no folder; hand in a folder of the assignment's name with the notebook in it"


class SafeCopies(BaseConverter):
    """Copies the files beside a submission's notebook; never a link, a device or a very large file.

    Stands between ``Autograde`` and ``BaseConverter`` in the order of bases, in the place of nbgrader's own copying,
    which follows symbolic links and would carry the gradebook into a learner's feedback.
    """

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        source = Path(self._format_source(assignment_id, student_id))
        target = Path(self._format_dest(assignment_id, student_id))
        left, skipped = COPIES, []
        if source.is_symlink() or source.parent.is_symlink():  # such a submission failed to grade, and says so
            return
        for folder, folders, files in os.walk(source, followlinks=False):
            folders[:] = sorted(name for name in folders if name not in self.coursedir.ignore)
            for name in sorted(files):
                path = Path(folder, name)
                if name.lower().endswith((".ipynb", ".pyc")):
                    continue
                try:
                    left -= self._copied(path, target / path.relative_to(source), left)
                except OSError:
                    skipped.append(spelt_out(str(path.relative_to(source)), line=True))
        if skipped:
            names = ", ".join(skipped[:5]) + (f" and {len(skipped) - 5} more" if len(skipped) > 5 else "")
            self.log.warning("%s: not copied (links, devices, large or unreadable files): %s", student_id, names)

    @staticmethod
    def _copied(path: Path, copy: Path, left: int) -> int:
        """1 once ``path`` is copied; raises ``OSError`` for what is not copied, or cannot be."""
        state = path.lstat()
        if not stat.S_ISREG(state.st_mode) or state.st_size > COPIED or left <= 0:
            raise OSError("no small regular file")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.unlink(missing_ok=True)
        shutil.copyfile(path, copy, follow_symlinks=False)
        return 1


class CourseAutograde(Autograde, SafeCopies):
    """nbgrader's ``Autograde`` with the course's judge; made by ``SubmissionExporter``, never by itself."""

    def convert_notebooks(self) -> None:
        """Grade the whole class, then run nbgrader's loop, then say what failed, waits or is left to a person.

        Raises ``NbGraderException`` (exit status 1) where something failed to grade.
        """
        assignment = self.coursedir.assignment_id
        folders = {self._student(path): Path(path) for path in self._folders()}
        refused = bad_ids(self._all_students())
        failures = {name: refused[name] for name in folders if name in refused}
        failures |= {self._student(path): NO_FOLDER for path in matched(self) if not os.path.isdir(path)}
        graded = {name: path for name, path in sorted(folders.items()) if name not in refused}
        if self.coursedir.student_id_exclude:
            excluded = self.coursedir.student_id_exclude.split(",")
            graded = {name: path for name, path in graded.items() if name not in excluded}
        source = Path(self.coursedir.format_path(self.coursedir.source_directory, ".", assignment))
        warm = not isinstance(self.parent, AutogradeApp)  # formgrader grades one submission a click
        try:
            with (
                warnings.catch_warnings(action="ignore", category=SAWarning),
                Class(Path(self.coursedir.root), source, assignment, self.config, self.log, warm=warm) as self.klass,
                only_one(self.klass.store.folder),
                save.opened(self.coursedir.db_url, self.coursedir.course_id) as self.gradebook,
            ):
                self._check_source(assignment)
                notebook = f"{self.klass.notebook}.ipynb"
                self.assignments = {str(path): [str(path / notebook)] for path in graded.values()}
                self.done: dict[str, Outcome] = {}
                self.began = time.monotonic()
                save.pending(self.gradebook, assignment, graded)
                self._announce_new(graded)
                self.klass.prefetch(graded)
                loop_failed = self._loop()
                failures |= self._unsaved(graded, loop_failed)
        except (CannotGrade, Busy) as error:
            self.log.error("%s", error)
            raise NbGraderException(str(error)) from error
        failures |= {name: why for name, outcome in self.done.items() if (why := outcome.failed_to_grade)}
        for line in what_stays_open(self.done):
            self.log.info("%s", line)
        reused = sum(outcome.reused for outcome in self.done.values())
        wanted = len({*folders, *failures})
        self.log.info(
            "%d submissions, %d from the store, %d failed to grade; %.0f s",
            wanted, reused, len(failures), time.monotonic() - self.began,
        )  # fmt: skip
        if failures:
            for name, why in sorted(failures.items()):
                self.log.error("failed to grade: %s: %s", spelt_out(name, line=True), spelt_out(why, line=True))
            raise NbGraderException(f"{len(failures)} of {wanted} submissions failed to grade")

    def _folders(self) -> list[str]:
        return submission_folders(self)

    def _all_students(self) -> list[str]:
        pattern = self._format_source(self.coursedir.assignment_id, "*")
        found = glob.glob(pattern) + glob.glob(self._format_source(self.coursedir.assignment_id, ".*"))
        return sorted({self._student(path) for path in [*found, *self._folders()]})

    def _student(self, folder: str) -> str:
        pattern = self._format_source("(?P<assignment_id>.*)", "(?P<student_id>.*)", escape=True)
        return re.match(pattern, folder, re.DOTALL)["student_id"]  # a folder's name may hold a line's end

    def _check_source(self, assignment: str) -> None:
        current = self.klass.current
        found = save.differences(self.gradebook, assignment, self.klass.notebook, current.grades)
        if found:
            raise CannotGrade(
                f"the source of {assignment!r} and the gradebook differ, so nothing was graded: {'; '.join(found[:6])}. "
                f"Run: nbgrader generate_assignment {assignment} --force. Where submissions exist already, grade cells "
                f"cannot change any more: release the new version as {assignment}_v{current.version + 1}"
            )

    def _announce_new(self, graded: dict[str, Path]) -> None:
        known = {student.id for student in self.gradebook.students}
        new = [name for name in graded if name not in known]
        if new:
            self.log.info("new in the gradebook: %s", ", ".join(new))

    def _loop(self) -> str:
        try:
            super().convert_notebooks()
        except NbGraderException as error:
            return str(error)
        return ""

    def _unsaved(self, graded: dict[str, Path], reason: str) -> dict[str, str]:
        """Submissions that nbgrader's loop lost on its way: their old scores go, and they are named."""
        lost = {}
        for name in graded:
            if name in self.done:
                continue
            lost[name] = reason or "nbgrader passed over this submission"
            outcome = Outcome.failed(lost[name], lesson=self.klass.current.lesson, version=self.klass.current.version)
            try:
                self.gradebook.update_or_create_student(name)
                self.gradebook.update_or_create_submission(self.coursedir.assignment_id, name)
                save.save(self.gradebook, self.coursedir.assignment_id, self.klass.notebook, name, outcome)
            except Exception as error:
                self.gradebook.db.rollback()
                self.log.error("%s: the gradebook could not be told: %s", name, error)
        return lost

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        """What nbgrader's own does, in one session instead of five: student, submission, time stamp, other files.

        New rows wait for the transaction that saves the scores, and that begins when there is an outcome to save: the
        gradebook is never locked while a judge works.
        """
        self.klass.outcome(student_id)
        SafeCopies.init_assignment(self, assignment_id, student_id)
        if not self.create_student:
            self.gradebook.find_student(student_id)
        timestamp = self._timestamp(self._format_source(assignment_id, student_id))
        extra = {"timestamp": timestamp} if timestamp else {}
        with save.uncommitted(self.gradebook):
            self.gradebook.update_or_create_student(student_id)
            submission = self.gradebook.update_or_create_submission(assignment_id, student_id, **extra)
        if submission.total_seconds_late > 0:
            self.log.warning("%s is %s seconds late", submission, submission.total_seconds_late)

    def _timestamp(self, folder: str):
        path = Path(folder, "timestamp.txt")
        if path.is_symlink() or not path.is_file() or path.stat().st_size > 1000:
            return None
        text = path.read_text(encoding="utf-8", errors="replace").strip()
        try:
            return parse_utc(text) if text else None
        except (ValueError, OverflowError):
            self.log.warning("%s does not hold a date: %r", path, text[:40])
            return None

    def finished(self, student: str, outcome: Outcome) -> None:
        """Called when the scores of ``student`` are in the gradebook."""
        self.done[student] = outcome
        done, wanted = len(self.done), len(self.assignments)
        left = (time.monotonic() - self.began) / done * (wanted - done)
        eta = f"; about {left:.0f} s left" if 1 < done < wanted else ""
        self.log.info("%d of %d: %s%s", done, wanted, one_line(student, outcome), eta)


def submission_folders(converter: Autograde) -> list[str]:
    """Folders of the submissions asked for, those without a notebook at their top included."""
    return [path for path in matched(converter) if os.path.isdir(path)]


def matched(converter: Autograde) -> list[str]:
    """What lies where submissions are asked for."""
    course = converter.coursedir
    return glob.glob(converter._format_source(course.assignment_id, course.student_id))


def init_notebooks(converter: Autograde) -> None:
    """nbgrader's search, which keeps folders in which it sees no notebook: ``ingest`` looks deeper and names the lack."""
    folders = submission_folders(converter)
    if converter.exporter_class is not SubmissionExporter or not folders:
        return BaseConverter.init_notebooks(converter)
    converter.notebooks = []
    converter.assignments = {folder: [] for folder in folders}
    return None


Autograde.init_notebooks = init_notebooks


class SubmissionExporter(NotebookExporter):
    """Reads a submission through ``ingest`` and the judge instead of nbformat, and adopts nbgrader's converter."""

    def __init__(self, **options):
        super().__init__(**options)
        if type(self.parent) is Autograde:
            self.parent.__class__ = CourseAutograde
            self.parent.force = True  # what is already done costs a look into the store

    def from_filename(self, filename, resources=None, **options):
        """Rebuild the notebook when nbgrader sanitises a submission; run our preprocessors on it when it autogrades.

        Nothing is read back between the two, and nothing is validated that we have made ourselves.
        """
        converter = self.parent
        if not isinstance(converter, CourseAutograde):
            return super().from_filename(filename, resources=resources, **options)
        resources["output_extension"] = self.file_extension
        student = resources["nbgrader"]["student"]
        if converter._sanitizing:
            outcome = converter.klass.outcome(student)
            converter.node = rebuild(converter.klass.instructor(outcome), outcome)
            return json.dumps(converter.node) + "\n", resources  # overwritten in a moment: the fast form will do
        for preprocessor in self._preprocessors:
            converter.node, resources = preprocessor(converter.node, resources)
        return as_text(converter.node), resources


class _Ours(NbGraderPreprocessor):
    def outcome_of(self, resources) -> tuple[CourseAutograde, Outcome]:
        converter = self.parent.parent
        return converter, converter.klass.outcome(resources["nbgrader"]["student"])


class WriteReports(_Ours):
    """Autograde's place of ``Execute``: writes each check's report and points as its cell's outputs."""

    def preprocess(self, nb, resources):
        return fill_outputs(nb, self.outcome_of(resources)[1]), resources


class SaveRecords(_Ours):
    """Autograde's place of ``SaveAutoGrades``: scores come from the records, in one transaction, never from outputs."""

    def preprocess(self, nb, resources):
        converter, outcome = self.outcome_of(resources)
        named = resources["nbgrader"]
        save.save(converter.gradebook, named["assignment"], named["notebook"], named["student"], outcome)
        return nb, resources


class LatePenalties(AssignLatePenalties):
    """nbgrader's late penalties; only opens the gradebook where the submission is late or was."""

    def preprocess(self, nb, resources):
        converter, named = self.parent.parent, resources["nbgrader"]
        gradebook: Gradebook = converter.gradebook
        submission = gradebook.find_submission(named["assignment"], named["student"])
        late = submission.total_seconds_late > 0 or any(n.late_submission_penalty for n in submission.notebooks)
        gradebook.db.commit()
        if late:
            nb, resources = super().preprocess(nb, resources)
        converter.finished(named["student"], converter.klass.outcome(named["student"]))
        return nb, resources
