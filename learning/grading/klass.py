"""One class, one assignment: everything that happens once for a whole run of ``nbgrader autograde``."""

from __future__ import annotations

import gc
import json
import logging
import shutil
import tempfile
from concurrent.futures import Future
from pathlib import Path

from traitlets.config import Config

from learning import lesson
from learning.grading import ingest
from learning.grading.outcome import Outcome
from learning.grading.pool import SHARED, WARM, Pool
from learning.grading.rebuild import Instructor
from learning.grading.settings import Grading
from learning.grading.store import Store, device_key, environment, package_hash, sha


def _imports_nothing(slug: str) -> bool:
    try:
        return lesson.load(slug).kind == "cpu"
    except (lesson.LessonError, lesson.UnknownLesson):  # its submissions will say so
        return False


class CannotGrade(RuntimeError):
    """Nothing of this assignment can be graded; the message says why and what to do."""


class Class:
    """The sources of one assignment, its store and its pool; a context manager that ends what it started.

    ``root`` is the course's folder, ``source`` the assignment's source folder, ``assignment`` nbgrader's id; with
    ``warm`` the judges stay for the next run in this process. Raises ``CannotGrade`` where there is no source notebook
    to grade against.
    """

    def __init__(
        self, root: Path, source: Path, assignment: str, config: Config | None = None, log=None, *, warm: bool = False
    ):
        self._warm = warm
        self.log = log or logging.getLogger(__name__)
        self.settings = Grading(config=config or Config())
        self.assignment = assignment
        path = _only_notebook(source, assignment)
        self.notebook = path.stem
        try:
            self.current = Instructor.read(path, config)
        except ValueError as error:
            raise CannotGrade(str(error)) from error
        self.store = Store(self.settings.folder(root))
        self.store.keep_source(assignment, self.current.version, path.read_text(encoding="utf-8"))
        kept = self.store.sources(assignment, self.current.lesson)
        kept.pop(self.current.version, None)
        self.versions = {self.current.version: self.current}
        for version, old in sorted(kept.items()):
            try:
                self.versions[version] = Instructor.read(old, config)
            except ValueError as error:
                self.log.warning("%s", error)
        self._futures: dict[str, Future | Outcome] = {}
        self._pool: Pool | None = None
        self._scratch: Path | None = None
        self._code = package_hash("") if warm else ""
        self._fixed = sha(
            package_hash(self.current.lesson), environment(), device_key(self.settings.device), self._seed_hash(),
            str(self.settings.against_current), *(f"{v}:{i.hash}" for v, i in sorted(self.versions.items())),
        )  # fmt: skip
        if not warm:  # nbgrader and what it imports stay: no collection during the class need walk over them
            gc.freeze()

    def __enter__(self) -> Class:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._pool is not None and self._warm and exception[0] is None:
            WARM.give_back(self._pool, self._code)
        elif self._pool is not None:
            self._pool.close()
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)

    def _seed_hash(self) -> str:
        from learning.judge import seeds

        try:
            return sha(seeds.read(self.settings.seed_path()))
        except seeds.SeedError as error:
            raise CannotGrade(str(error)) from error

    def prefetch(self, submissions: dict[str, Path]) -> None:
        """Start grading ``submissions`` (a folder by student): from the store where it holds them, else in the pool."""
        jobs = []
        for student, folder in submissions.items():
            try:
                path, _ = ingest.locate(folder, self.notebook)
                key = sha(self._fixed, self.notebook, path.name, ingest.read_bytes(path))
            except ingest.Damage as damage:
                said = {"lesson": self.current.lesson, "version": self.current.version}
                self._futures[student] = Outcome.failed(str(damage), **said)
                continue
            known = None if self.settings.fresh else self.store.find(key)
            if known is not None:
                known.reused = True
                self._futures[student] = known
            else:
                jobs.append((student, folder, key))
        if not jobs:
            return
        job = self._job()
        slots = self.settings.slots_for(len(jobs))
        shared = 1 if _imports_nothing(self.current.lesson) else SHARED
        self._pool = WARM.borrow(slots, self._code) if self._warm else Pool(slots, shared=shared)
        for student, folder, key in jobs:
            future = self._pool.submit({**job, "folder": str(folder)})
            future.add_done_callback(lambda done, key=key: self._keep(done, key))
            self._futures[student] = future
        if not self._warm:
            self._pool.finish()

    def _keep(self, done: Future, key: str) -> None:
        if not done.cancelled() and done.exception() is None:
            try:
                self.store.keep(key, done.result())
            except OSError as error:
                self.log.warning("finished work could not be kept (%s); it will be done again next time", error)

    def _job(self) -> dict:
        self._scratch = Path(tempfile.mkdtemp(prefix="grading-"))
        sources = {}
        for version, instructor in self.versions.items():
            release = self._scratch / f"{version}.json"
            release.write_text(json.dumps(instructor.release), encoding="utf-8")
            sources[str(version)] = {
                "instructor": str(instructor.path.resolve()), "release": str(release), "hash": instructor.hash
            }  # fmt: skip
        return {
            "notebook": self.notebook,
            "lesson": self.current.lesson,
            "version": self.current.version,
            "sources": sources,
            "against_current": self.settings.against_current,
            "device": self.settings.device,
            "seed_file": str(self.settings.seed_path()),
        }

    def outcome(self, student: str) -> Outcome:
        """Wait for the outcome of ``student``; a student who was not handed to ``prefetch`` raises ``KeyError``."""
        found = self._futures[student]
        return found if isinstance(found, Outcome) else found.result()

    def instructor(self, outcome: Outcome) -> Instructor:
        """The version of the instructor's notebook that ``outcome`` was graded against."""
        return self.versions.get(outcome.version, self.current)


def _only_notebook(source: Path, assignment: str) -> Path:
    found = sorted(source.glob("*.ipynb"))
    if len(found) == 1:
        return found[0]
    if not found:
        raise CannotGrade(
            f"there is no instructor notebook in {source}; build it with: python -m learning.build {assignment}"
        )
    names = ", ".join(path.name for path in found)
    raise CannotGrade(f"{source} holds {len(found)} notebooks ({names}) and an assignment has one; move the others out")
