"""What a notebook's first cell opens: the device, the setting its checks run under, and the evidence they leave.

``begin("vector_add")`` returns an object whose display is the machine table, ``progress k/n`` and, folded beneath it, the
checklist. It also works in a plain ``.py`` run from a shell. Standard library only at module level.
"""

from __future__ import annotations

import contextlib
import os
import platform
import sys
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from learning import course, host, lesson
from learning.gates import evidence, records, told
from learning.gates.fingerprint import fingerprint
from learning.gates.progress import Progress, progress
from learning.history import History
from learning.judge import setting as settings
from learning.judge.finding import CheckResult
from learning.shown import short_errors
from learning.tables import Rows

PYTHON = (3, 11)
MOST_HEARD = 8
"""Launches of a cell that are heard and kept; past them a kernel runs unwatched, so that nobody times the watching."""


class SessionError(RuntimeError):
    """The notebook cannot start here; the message says why and what to do. Shown without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return [f"SessionError: {self}"]


class Session(Rows):
    """An open notebook: ``lesson``, ``device`` (None for a CPU lesson), ``log`` the evidence's file or None, and ``why``
    nothing is kept where it is None. ``changed`` are functions called after a record was kept; what they raise is dropped."""

    def __init__(self, card: lesson.Lesson, device: Any, history: History, log: Path | None, why: str):
        self.lesson, self.device, self.history, self.log, self.why = card, device, history, log, why
        self.public = [name for name, _ in course.grade_cells(history.released, "check")] if history.released else []
        self.checked = self.referenced = self.launched = False
        self._listening: Any = None
        self._machine: list[tuple[str, str]] = []
        self._table = ""
        self.changed: list[Callable[[], None]] = []

    @property
    def progress(self) -> Progress:
        """The lesson's gates by the records that exist now."""
        return progress(self.lesson, self.evidence())

    def rows(self) -> list[tuple[str, str]]:
        """The machine table: what and value, both for people. What is said of the machine is asked once, the rest each time."""
        self._machine = self._machine or self._explained()
        wrong = [("progress file", note) for note in told.notes(self.kept())]
        where = "on this runtime's disk, which ends with it; to keep it on your Drive: " + host.KEPT_ON_DRIVE
        kept = [("kept", where)] if host.ends_with_runtime() and self.log is not None else []
        return [*self._machine, *kept, *wrong, ("gates", self.sentence())]

    def _explained(self) -> list[tuple[str, str]]:
        card = self.lesson
        rows = [("lesson", f"{card.id} {card.title}"), ("course", course.described(self.history.folder()))]
        if self.device is None:
            return [*rows, ("device", "this machine's CPU"), ("Python", platform.python_version())]
        rows += [(str(what), str(value)) for what, value in self.device.explain()]
        waiting = self.history.waiting()
        if self.device.kind != "cuda" and waiting:
            rows.append(("waits for a GPU", ", ".join(name.replace("_", " ") for name in waiting)))
        if self.device.kind != "cuda" and "parity" in card.gates:
            rows.append(("stays open here", "gate 06 and the timings: they need a GPU"))
        return rows

    def sentence(self) -> str:
        """``progress k/n``, the gates proved, and why nothing is kept where nothing is."""
        state = self.progress
        proved = [f"{gate.number:02} {gate.id}" for gate in state.gates if gate.proved]
        text = str(state) + (f" ({', '.join(proved)})" if proved else "")
        return f"{text}; not saved: {self.why}" if self.why else text

    def _ipython_display_(self) -> None:
        """The machine table; beneath it the checklist, folded, unless nbgrader runs the notebook. Both follow the records."""
        from IPython.display import display

        if host.graded():
            display(self._forms(), raw=True)
            return
        from learning.widgets.checklist import Checklist

        if not self._table:
            self.changed.append(self._again)
        self._table = uuid.uuid4().hex
        display(self._forms(), raw=True, display_id=self._table)
        Checklist(self, folded=True)._ipython_display_()

    def _again(self) -> None:
        """Write the machine table again, with the gates as they stand now."""
        from IPython.display import update_display

        update_display(self._forms(), raw=True, display_id=self._table)

    def _forms(self) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self._repr_html_()}

    def heard(self, result: CheckResult) -> None:
        """Listener of the setting: keeps a check's result as evidence. Never raises."""
        self.checked = True
        source = fingerprint(self.history.cells(), self.lesson.entries)
        card = self.device.name if self.device is not None else "CPU"
        how = {"source": source, "public": self.public, "device": result.device, "card": card}
        self._keep(
            lambda log: evidence.parity(log, self.lesson, [result], replaced=self.history.replaced(result.check), **how)
        )

    def ran(self, source: str) -> None:
        """After a cell ran without an error: records, once a session, that it called the locked reference, and that it
        called the learner's own answer, with the launches that Triton's hooks told of."""
        heard = self.quiet()
        if not self.launched and (entries := self.history.entries(source)):
            self._launched(entries, heard)
        if not self.launched:
            self._listen()
        if self.referenced or not (called := self.history.references(source)):
            return
        self.referenced = True
        payload = {"called": called, "before_launch": not self.checked}
        device = self._kind()
        self._keep(lambda log: records.append(log, "reference", self.lesson.slug, device=device, payload=payload))

    def _launched(self, entries: list[str], heard: list[dict]) -> None:
        """A cell of the learner's own called ``entries``: the first launch, unless the answer is still the starter."""
        source = fingerprint(self.history.cells(), self.lesson.entries)
        if source and source != fingerprint(self.history.starter(), self.lesson.entries):
            payload = {"called": entries} | ({"launches": heard} if heard else {})
            self.launched = self.note("launch", payload, device=self._kind())

    def _listen(self) -> None:
        """Hear the launches of the next cell, where kernels are compiled and the cell before has imported Triton."""
        compiles = self.device is not None and (self.device.kind == "cuda" or self.device.target)
        if not compiles or self.log is None or "triton" not in sys.modules:
            return
        from learning.lens import launches

        try:
            self._listening = launches.Launches(MOST_HEARD).start()
        except (ImportError, RuntimeError):  # a Triton that interprets calls no hooks
            self._listening = None

    def quiet(self) -> list[dict]:
        """Stop listening to launches; those heard since the last cell, as a record keeps them."""
        if self._listening is None:
            return []
        tape, self._listening = self._listening.stop(), None
        return [launch.as_dict() for launch in tape.launches]

    def rest(self) -> None:
        """Keep no more evidence of the lesson's own notebook: another page of it is open in this kernel."""
        self.quiet()
        self.referenced = self.launched = True

    def inherit(self, before: Session) -> None:
        """Take over the checklists of the session that this one follows in the same kernel, where both keep one log."""
        if before.log != self.log or before.lesson.slug != self.lesson.slug:
            return
        for tell in before.changed:
            board = getattr(tell, "__self__", None)
            if board is not before and getattr(board, "session", None) is before:
                board.session = self
                self.changed.append(tell)
        before.changed.clear()

    def note(self, event: str, payload: dict, *, device: str = "") -> bool:
        """Append a record of ``event`` about the answer as it stands; False where nothing is kept (``why`` says so)."""
        source = fingerprint(self.history.cells(), self.lesson.entries)
        self._keep(
            lambda log: records.append(log, event, self.lesson.slug, device=device, source=source, payload=payload)
        )
        return self.log is not None

    def apart(self, name: str) -> Any:
        """The learner's entry ``name`` in a process of its own where kernels are interpreted: for what only a tracer sees."""
        from learning.judge import apart

        return apart.entry(name, self.history.setup(), self.history.cells(), self.lesson.entries)

    def evidence(self) -> list[dict]:
        """The sound records that exist now; none where nothing is kept."""
        return self.kept().records

    def _kind(self) -> str:
        return self.device.kind if self.device is not None else "cpu"

    def _keep(self, write: Any) -> None:
        if self.log is None:
            return
        try:
            write(self.log)
        except Exception as error:  # evidence is a mirror: losing it must not cost a learner their run
            self.log, self.why = None, _cause(error)
            print(f"Progress is not saved from here on: {self.why}")
        for tell in list(self.changed):
            with contextlib.suppress(Exception):
                tell()

    def kept(self) -> records.Records:
        """What the log holds now, its damage included; nothing where nothing is kept."""
        if self.log is None:
            return records.Records()
        try:
            return records.read(self.log)
        except (OSError, records.RecordError) as error:
            self.log, self.why = None, _cause(error)
            return records.Records()


_session: Session | None = None


def begin(slug: str, *, folder: str | os.PathLike | None = None) -> Session:
    """Open the notebook of lesson ``slug``: its device, its setting and its evidence; call it before importing Triton.

    Evidence goes to ``progress.jsonl`` in ``folder``, by default the notebook's. Calling it again starts over in the
    same kernel. Raises ``SessionError`` where this Python or Triton cannot run the lesson, ``UnknownLesson`` for a
    name that is none.
    """
    global _session
    if sys.version_info < PYTHON:
        raise SessionError(f"this is Python {platform.python_version()}; the course needs 3.11 or newer")
    card = lesson.load(slug)
    device = _open_device() if card.kind == "gpu" else None
    history = History(card, _released(slug))
    log, why = (Path(folder) / records.FILE, "") if folder is not None else _place(history)
    session = Session(card, device, history, log, why)
    if session.log is not None and not _writable(session.log):
        session.log, session.why = None, f"{session.log.parent} cannot be written"
    settings.install(
        settings.Setting(
            lesson=slug,
            device=device.kind if device is not None else "cpu",
            cells=history.cells,
            listeners=[session.heard],
            raise_failures=host.validating(),
            resources={"session": session, "apart": session.apart},
        )
    )
    if _session is not None:
        _session.quiet()
        session.inherit(_session)
    if device is not None:
        short_errors()
    history.listen(session.ran, replaces=_session.history if _session is not None else None)
    _session = session
    return session


def _open_device() -> Any:
    try:
        from learning.lens import device

        return device.open()
    except (ImportError, RuntimeError) as error:
        raise SessionError(str(error)) from error


def _released(slug: str) -> dict | None:
    """The lesson's locked cells, from the release or the source; None where the package came without either."""
    for path in (course.release(slug), course.source(slug)):
        try:
            return course.load(path)
        except (OSError, course.NotebookError):
            continue
    return None


def _place(history: History) -> tuple[Path | None, str]:
    if host.graded():
        return None, "nbgrader runs this notebook"
    folder = history.folder()
    if folder is None:
        return None, "no notebook or script file is known to run here"
    for name in ("source", "release", "submitted", "autograded", "feedback"):
        if (course.ROOT / name) in (folder, *folder.parents):
            return None, f"this notebook lies in {name}/; work in work/, which `make start` lays out"
    if os.environ.get("LEARNING_WORK") and course.workspace().resolve() not in (folder, *folder.parents):
        return course.workspace() / history.card.slug / records.FILE, ""
    return folder / records.FILE, ""


def _writable(log: Path) -> bool:
    if log.exists():
        return os.access(log, os.W_OK)
    above = next((folder for folder in log.parents if folder.is_dir()), log.parent)
    return os.access(above, os.W_OK)


def _cause(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{error.filename or 'the log'}: {error.strerror or error}"
    return str(error)
