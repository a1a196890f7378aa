"""Run the course's notebooks as Colab does: each alone in an empty folder, on a fresh runtime, from its first cell to its last.

A release gets our answer typed into its answer cell and nothing else: predictions, logs and the like stay as they were released,
and their cells say so in words. What came of every cell is read from the notebook's outputs and from the evidence it left.
"""

import copy
import json
import re
import shutil
import tempfile
import time
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path

from learning import companions, course, lesson
from learning.build import opening
from learning.build.course import Course
from learning.gates import records
from learning.grading import classroom
from learning.judge.finding import PASSED, WAITING
from tools import colab_runtime
from tools.colab_runtime import Body

PUBLISHED = Course("someone", "triton-kernel-course", "v1")
"""A repository, for the first cell to name: an address that the stand-in replaces by the wheel's path."""
WIDGET = "application/vnd.jupyter.widget-view+json"
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_FRAMES = re.compile(r"Traceback \(most recent call last\)|^-+> ?\d|^ *File \"|^[\w./<>-]+ in \w*\(", re.M)


@dataclass(frozen=True)
class Page:
    """One notebook of the course: ``kind`` "lesson" or "companion"; ``checks`` how many public checks it runs."""

    name: str
    kind: str
    notebook: dict
    checks: int = 0

    @property
    def digest(self) -> str:
        """The SHA-256 of what is run."""
        return sha256(json.dumps(self.notebook, sort_keys=True).encode()).hexdigest()


@dataclass
class Outcome:
    """What came of one page. ``passed``, ``waiting`` and ``wrong`` count its public checks; ``words`` are cells that stopped
    with a sentence, ``faults`` what must not be: a traceback, something on stderr, a cell without an end, a changed package."""

    name: str
    kind: str
    digest: str
    cells: int = 0
    passed: int = 0
    waiting: int = 0
    wrong: int = 0
    checks: int = 0
    widgets: int = 0
    pictures: int = 0
    words: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    installed: float = 0.0
    seconds: float = 0.0

    @property
    def good(self) -> bool:
        return not self.faults and self.cells > 0 and self.wrong == 0 and self.passed + self.waiting == self.checks

    def sentence(self) -> str:
        """The outcome in a few words."""
        if self.faults:
            return self.faults[0] if len(self.faults) == 1 else f"{self.faults[0]}, and {len(self.faults) - 1} more"
        if not self.cells:
            return "no cell ran"
        if not self.good:
            return f"{self.checks - self.passed - self.waiting} of {self.checks} checks did not pass"
        return "runs" if not self.waiting else f"runs, {self.waiting} wait for a GPU"

    def as_dict(self) -> dict:
        return asdict(self)


def pages(names: list[str] = ()) -> list[Page]:
    """The lessons in their order and the companions in theirs, or those named. Raises ``KeyError`` for an unknown name."""
    cards = {card.slug: card for card in lesson.discover()}
    known = [*cards, *companions.ORDER]
    for name in names:
        if name not in known:
            raise KeyError(f"there is no notebook {name}; there are {', '.join(known)}")
    return [_lesson(cards[name]) if name in cards else _companion(name) for name in names or known]


def _lesson(card: lesson.Lesson) -> Page:
    released, source = (course.load(where(card.slug)) for where in (course.release, course.source))
    answered = classroom.with_answer(released, classroom.answer_of(source))
    begun = _opened_alone(answered, opening.bootstrap(card, PUBLISHED).source)
    return Page(card.slug, "lesson", begun, len(course.grade_cells(released, "check")))


def _companion(slug: str) -> Page:
    notebook = course.load(course.ROOT / "notebooks" / f"{slug}.ipynb")
    call = course.text(_first(notebook)).rstrip().split("\n")[-1]
    return Page(slug, "companion", _opened_alone(notebook, opening.finding("learning.companions", call, PUBLISHED)))


def _opened_alone(notebook: dict, text: str) -> dict:
    """``notebook`` with the first cell it has where a repository is configured."""
    begun = copy.deepcopy(notebook)
    _first(begun)["source"] = text
    return begun


def _first(notebook: dict) -> dict:
    return next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")


def run(page: Page, body: Body, wheel: Path, limit: float = 300, triton: Path | None = None) -> tuple[Outcome, dict]:
    """Run ``page`` on a fresh runtime; its outcome, and the notebook with its outputs.

    ``limit`` is seconds a cell may take. With ``triton``, a folder of wheels, the runtime is the CPU image: it has no Triton.
    """
    import nbformat
    from jupyter_client import AsyncKernelManager
    from jupyter_client.kernelspec import KernelSpec
    from nbclient import NotebookClient
    from nbclient.exceptions import CellTimeoutError, DeadKernelError

    outcome = Outcome(page.name, page.kind, page.digest, checks=page.checks)
    without = ("triton",) if triton else ()
    place = Path(tempfile.mkdtemp(prefix="colab-"))
    try:
        content, home = place / "content", place / "home"
        content.mkdir(), home.mkdir()
        colab_runtime.begin(home)
        python = colab_runtime.runtime(body, place / "runtime", without)
        notebook = nbformat.reads(json.dumps(page.notebook), as_version=4)
        first = _first(notebook)
        first["source"] = first["source"].replace(opening.wheel_address(PUBLISHED), str(wheel))
        manager = AsyncKernelManager()
        manager._kernel_spec = KernelSpec(
            argv=[str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"], display_name="Python 3",
            language="python", interrupt_mode="signal",
        )  # fmt: skip

        class Client(NotebookClient):
            """A client that starts this runtime's kernel, and ends it."""

            def create_kernel_manager(self):
                self.km = manager
                return manager

        client = Client(notebook, timeout=limit, allow_errors=True, resources={"metadata": {"path": str(content)}})
        started = time.monotonic()
        try:
            with open(place / "kernel.log", "wb") as log:
                client.execute(env=colab_runtime.environment(home, triton), stdout=log, stderr=log)
        except CellTimeoutError:
            outcome.faults.append(f"{_stopped(notebook)} did not end in {limit:.0f} s")
        except DeadKernelError:
            outcome.faults.append(f"the kernel died in {_stopped(notebook)}")
        outcome.seconds = round(time.monotonic() - started, 1)
        read(notebook, outcome)
        count(content, outcome)
        outcome.faults += ["the kernel's log holds a traceback"] * bool(
            _FRAMES.search((place / "kernel.log").read_text())
        )
        outcome.faults += [f"pip: {told}" for told in colab_runtime.changes(body, python, without)]
    finally:
        shutil.rmtree(place, ignore_errors=True)
    return outcome, notebook


def _stopped(notebook: dict) -> str:
    """The id of the last cell that was begun."""
    begun = [cell["id"] for cell in notebook["cells"] if cell["metadata"].get("execution")]
    return f"cell {begun[-1]}" if begun else "the first cell"


def read(notebook: dict, outcome: Outcome) -> None:
    """Add to ``outcome`` what the outputs of an executed ``notebook`` tell."""
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        outcome.cells += cell.get("execution_count") is not None
        for output in cell["outputs"]:
            kind, data = output["output_type"], output.get("data", {})
            outcome.widgets += WIDGET in data
            outcome.pictures += "image/png" in data or "image/svg+xml" in data
            if kind == "error":
                lines = _COLOURS.sub("", "\n".join(output["traceback"])).strip()
                bad = _FRAMES.search(lines) is not None
                said = " ".join(lines.split("\n")[-1 if bad else 0].split())
                (outcome.faults if bad else outcome.words).append(f"{cell['id']}: {said[:200]}")
            elif kind == "stream" and output["name"] == "stderr" and output["text"].strip():
                outcome.faults.append(f"{cell['id']}, stderr: {' '.join(output['text'].split())[:200]}")
            elif kind == "stream" and _FRAMES.search(output["text"]):
                outcome.faults.append(f"{cell['id']}: prints a traceback")
        if any(WIDGET in output.get("data", {}) for output in cell["outputs"]) and not _readable(cell["outputs"]):
            outcome.faults.append(f"{cell['id']}: a widget, and nothing that says it in text")
    times = [cell["metadata"].get("execution", {}) for cell in notebook["cells"] if cell["id"] == "bootstrap"]
    if times and {"iopub.execute_input", "shell.execute_reply"} <= times[0].keys():
        outcome.installed = round(_between(times[0]["iopub.execute_input"], times[0]["shell.execute_reply"]), 1)


def _readable(outputs: list[dict]) -> bool:
    """Whether a cell that shows a widget also says it in HTML and text, for a front end that cannot draw it."""
    shown = [output["data"] for output in outputs if "data" in output and WIDGET not in output["data"]]
    return any("text/html" in data and len(data.get("text/plain", "")) > 20 for data in shown)


def _between(first: str, last: str) -> float:
    from datetime import datetime

    return (datetime.fromisoformat(last) - datetime.fromisoformat(first)).total_seconds()


def count(folder: Path, outcome: Outcome) -> None:
    """Add to ``outcome`` the public checks that the evidence in ``folder`` tells of: each check's last result."""
    log = folder / records.FILE
    if not log.exists():
        return
    last = {}
    for record in records.read(log).records:
        if record["event"] == "parity":
            last |= {one["check"]: one["state"] for one in record["payload"]["checks"]}
    states = list(last.values())
    outcome.passed, outcome.waiting = states.count(PASSED), states.count(WAITING)
    outcome.wrong = len(states) - outcome.passed - outcome.waiting
