"""The one engine: a lesson and a learner's cells in, results out. ``check`` and autograde both call ``grade``.

The judge executes the instructor's set-up and check cells here; the learner's cells run in workers, a fresh one for
every check. Standard library only at module level.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from learning.judge import cells as roles
from learning.judge import fleet, reach, sandbox, setting
from learning.judge.abreast import Lines
from learning.judge.cells import LearnerCells
from learning.judge.entry import Entry
from learning.judge.finding import BROKEN, FAILED, CheckResult, Fault, Finding
from learning.judge.line import Line
from learning.judge.score import Score
from learning.lens import cards
from learning.lesson import Lesson

RULED = ("house_rules", "structure", "faster")
INTERPRETED = "interpreter"
"""Where the kernels of an answer that is judged on a GPU are traced."""


@dataclass(frozen=True)
class Limits:
    """What one submission may use: seconds a call, seconds a call after its first time-out, seconds of worker time in
    all, bytes of address space (resident bytes on CUDA), processes and threads at once, bytes one call may return,
    characters of prints kept."""

    call_seconds: float = 2.0
    after_timeout_seconds: float = 0.5
    total_seconds: float = 20.0
    memory_bytes: int = 3 << 30
    processes: int = 64
    output_bytes: int = 1 << 30
    printed_characters: int = 20_000

    @classmethod
    def on(cls, device: str) -> Limits:
        """The course's limits on a device: longer on "cuda", where a check's first call also compiles."""
        return cls(call_seconds=10.0, after_timeout_seconds=2.0, total_seconds=60.0) if device == "cuda" else cls()


@dataclass
class Graded:
    """One submission's outcome.

    ``lesson`` slug; ``version`` of the lesson; ``device`` "cuda", "interpreter" or "cpu"; ``target`` the card kernels
    were compiled for before they were interpreted ("sm_75"), "" where they were not; ``sandbox`` one sentence on what
    held the worker, and what did not; ``results`` one per check in notebook order; ``faults`` of learner cells
    that raised while loading; ``dropped`` magics and statements that never ran; ``todo`` the answer is the untouched
    starter; ``seconds`` wall time, of which ``overhead_seconds`` lay outside the checks; ``source_hash`` SHA-256 of
    the learner's sources.
    """

    lesson: str
    version: int
    device: str
    sandbox: str
    results: list[CheckResult] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    todo: bool = False
    seconds: float = 0.0
    overhead_seconds: float = 0.0
    source_hash: str = ""
    target: str = ""

    def as_dict(self) -> dict:
        """Plain JSON-able form, the same keys as the fields."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict) -> Graded:
        """Inverse of ``as_dict``; unknown keys raise ``TypeError``."""
        data = dict(data)
        data["results"] = [CheckResult.from_dict(result) for result in data.get("results", [])]
        data["faults"] = [Fault(**fault) for fault in data.get("faults", [])]
        return cls(**data)


def grade(
    lesson: Lesson,
    cells: LearnerCells,
    *,
    notebook: dict | None = None,
    seed: Callable[[str, str, str], int] = setting.public_seed,
    hidden: bool = True,
    only: set[str] | None = None,
    device: str = "",
    limits: Limits | None = None,
    servers: fleet.Servers | None = None,
    progress: Callable[[CheckResult], None] | None = None,
    at_once: int = 1,
) -> Graded:
    """Grade a learner's cells against a lesson's checks.

    ``notebook`` is the instructor's notebook as JSON (by default ``source/<slug>/<slug>.ipynb``); ``seed(slug, check,
    case)`` gives a case's seed; ``hidden=False`` leaves the hidden checks out; ``only`` keeps the checks with these
    names or grade ids; ``device`` is "cuda", "cpu", "interpreter" (nothing is compiled) or a virtual card ("sm_75"), and
    "" asks ``learning.lens.device`` ("cpu" for a CPU lesson); ``servers`` keeps warm servers between calls (without one, a
    server is started and ended here); ``limits`` default to ``Limits.on(device)``; ``progress`` receives each result.
    ``at_once`` checks are judged at a time, each in its own worker (on "cuda" always one); results come in the same order.

    Raises ``FileNotFoundError`` or ``ValueError`` for an instructor's notebook that is missing or unusable, and
    ``learning.lens.device.DeviceError`` for a device that is not to be had. Nothing a learner wrote raises here; where
    the judge's own machinery fails the check is "broken".
    """
    started = time.perf_counter()
    notebook = notebook if notebook is not None else instructor_notebook(lesson)
    place = cards.place(device or default_place(lesson))
    device = place if place in ("cpu", "cuda") else "interpreter"
    plan = Plan.of(notebook, lesson, hidden=hidden, only=only)
    graded = Graded(lesson.slug, version_of(notebook, lesson), device, "", source_hash=hash_of(cells))
    graded.todo = plan.is_todo(cells)
    if graded.todo:
        graded.sandbox = "No worker ran: the answer is the untouched starter."
        for cell in plan.checks:
            result = _unanswered(cell, lesson)
            graded.results.append(result)
            if progress is not None:
                progress(result)
        graded.seconds = graded.overhead_seconds = time.perf_counter() - started
        return graded
    own = fleet.Servers() if servers is None else None
    try:
        _run(lesson, plan, cells, graded, seed, limits or Limits.on(place), servers or own, progress, place, at_once)
    finally:
        if own is not None:
            own.close()
    graded.seconds = time.perf_counter() - started
    graded.overhead_seconds = max(0.0, graded.seconds - sum(result.seconds for result in graded.results))
    return graded


def _run(
    lesson: Lesson,
    plan: Plan,
    cells: LearnerCells,
    graded: Graded,
    seed: Callable,
    limits: Limits,
    servers: Any,
    progress: Callable | None,
    place: str,
    at_once: int,
) -> None:
    loads = [(f"setup-{name}", source, roles.SETUP) for name, source in plan.setups]
    loads += _loads(cells, lesson.entries)
    count = 1 if place == "cuda" else max(1, at_once)
    line = Lines(lambda: Line(servers, place, loads, limits, checks=len(plan.checks)), count)
    entries = {name: Entry(name, line) for name in (*lesson.entries, *lesson.drivers)}
    here = setting.Setting(lesson=lesson.slug, device=graded.device, seed=seed, cells=cells.sources)
    here.answers = cells.answers
    here.setups, here.torch_calls = plan.setups, set()
    anchor = _anchor(lesson, plan, graded.device, limits, servers)
    if anchor is not None:
        here.resources["anchor"] = Entry(lesson.entry, anchor)
    traced = INTERPRETED if graded.device == "cuda" else place
    apart = Line(servers, traced, loads, Limits.on(traced), checks=0)  # starts nothing until it is called
    here.resources["apart"] = lambda name: Entry(name, apart)
    namespace: dict[str, Any] = {"__name__": "judge", **entries}
    broken = ""
    try:
        with setting.use(here):
            for name, source in plan.setups:
                try:
                    exec(compile(source, f"<setup {name}>", "exec", dont_inherit=True), namespace)
                except Exception as problem:
                    broken = f"the set-up cell {name} failed in the judge: {type(problem).__name__}: {problem}"
            namespace.update(entries)
            broken_at = {cell.name: broken or _define(cell, namespace) for cell in plan.checks}
            found: dict[str, CheckResult] = {}
            order = sorted(plan.checks, key=lambda cell: cell.last)

            def judged(cell: CheckCell) -> CheckResult:
                line.begin(left=len(order) - 1 - order.index(cell))
                apart.begin()
                began = time.perf_counter()
                result = _check(cell, namespace, lesson, broken_at[cell.name])
                result.seconds = result.seconds or time.perf_counter() - began
                return result

            def told(cell: CheckCell, result: CheckResult) -> None:
                found[cell.name] = result
                if progress is not None:
                    progress(result)

            _all(order, here, line, judged, told)
            graded.results = [found[cell.name] for cell in plan.checks]
    finally:
        line.close()
        apart.close()
        if anchor is not None:
            anchor.close()
    graded.faults = line.faults
    graded.dropped = [*cells.notes, *line.notes]
    graded.sandbox, graded.target = line.sandbox, line.target


def _all(order: list[CheckCell], here: setting.Setting, line: Lines, judged: Callable, told: Callable) -> None:
    """Judge the checks; those that read the house rules, which come last in ``order``, as if all before them were over, as
    torch's calls seen in those count.

    Where several run at a time they, too, begin early, from the calls known by then, and are judged again where others came.
    """
    known, waiting = here.torch_calls, []

    def do(cell: CheckCell) -> tuple[CheckCell, set, set, Any]:
        before = set(known)
        calls = set(before) if cell.last else known
        with setting.use(replace(here, torch_calls=calls)):
            return cell, before, calls, judged(cell)

    def settle(came: tuple[CheckCell, set, set, Any]) -> None:
        cell, before, calls, result = came
        if cell.last and before != known:
            _, _, calls, result = do(cell)
        known.update(calls)
        told(cell, result)

    def arrived(came: tuple[CheckCell, set, set, Any]) -> None:
        if came[0].last and line.count > 1:
            waiting.append(came)  # other checks may still be running
        else:
            settle(came)

    line.run(order, do, arrived)
    for came in waiting:
        settle(came)


def _anchor(lesson: Lesson, plan: Plan, device: str, limits: Limits, servers: Any) -> Line | None:
    """A line to our own answer, against which a timing check compares; it starts no worker until it is called."""
    if device != "cuda" or not plan.answers:
        return None
    loads = [(f"setup-{name}", source, roles.SETUP) for name, source in plan.setups]
    loads += [(f"anchor-{name}", source, roles.ANSWER) for name, source in plan.answers]
    line = Line(servers, device, loads, limits, checks=1)
    line.begin()
    return line


def _loads(cells: LearnerCells, entries: tuple[str, ...]) -> list[tuple]:
    """What the worker runs of a learner's cells: answers whole, of other cells what answers need and no more."""
    chosen = [cell for cell in cells.cells if cell.role != roles.SETUP]
    own = [cell.role != roles.EXTRA for cell in chosen]
    kept = reach.run_at_load([(cell.name, cell.source) for cell in chosen], own, entries)
    return [(cell.name, cell.source, cell.role, keep) for cell, keep in zip(chosen, kept, strict=True)]


def _define(cell: CheckCell, namespace: dict) -> str:
    """Run all but the last line of a check cell; returns what broke, or nothing."""
    try:
        body = ast.Module(cell.tree.body[:-1], [])
        exec(compile(body, f"<{cell.name}>", "exec", dont_inherit=True), namespace)
    except Exception as problem:
        return f"the check cell {cell.name} failed in the judge: {type(problem).__name__}: {problem}"
    return ""


def _check(cell: CheckCell, namespace: dict, lesson: Lesson, broken: str) -> CheckResult:
    """Run the last line of a check cell in the judge; its value is the ``Score``."""
    try:
        if broken:
            raise RuntimeError(broken)
        last = cell.tree.body[-1]
        if not isinstance(last, ast.Expr):
            raise ValueError("the last line of a check cell must call its check")
        score = eval(compile(ast.Expression(last.value), f"<{cell.name}>", "eval", dont_inherit=True), namespace)
        if not isinstance(score, Score):
            raise ValueError(f"the last line of a check cell must give a Score, not {type(score).__name__}")
        return score.result
    except Exception as problem:
        result = _unanswered(cell, lesson)
        result.state = BROKEN
        result.finding = Finding(
            rule="judge", got=f"{type(problem).__name__}: {problem}", advice="not your fault: report it"
        )
        return result


def _unanswered(cell: CheckCell, lesson: Lesson) -> CheckResult:
    finding = Finding(
        rule="todo",
        called=f"{lesson.entry}(…)",
        got="the starter, unchanged",
        expected="your answer",
        advice="write the cell marked YOUR CODE, then check again",
    )
    result = CheckResult(cell.check, cell.check.replace("_", " "), cell.points, hidden=cell.hidden, state=FAILED)
    result.finding = finding
    return result


# --- the instructor's notebook ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CheckCell:
    """A check or hidden cell: its grade id, its check's name, points, syntax tree; ``last`` where it reads the house rules, and
    so comes after all checks in which torch's calls are seen."""

    name: str
    check: str
    points: float
    hidden: bool
    tree: ast.Module
    last: bool


@dataclass
class Plan:
    """What an instructor's notebook asks for: set-up cells, starters of the answer cells, our answers where the notebook
    still holds them, with what else an answer is timed beside, check cells."""

    setups: list[tuple[str, str]]
    starters: list[str]
    answers: list[tuple[str, str]]
    checks: list[CheckCell]

    @classmethod
    def of(cls, notebook: dict, lesson: Lesson, *, hidden: bool = True, only: set[str] | None = None) -> Plan:
        """Read a notebook. Raises ``ValueError`` where it holds no check, where a check cell does not parse, and where
        ``only`` names none of its checks."""
        setups, starters, answers, checks = [], [], [], []
        for cell, role in roles.roles(notebook):
            text, name = roles.text_of(cell), roles.name_of(cell)
            if role == "setup" and cell.get("cell_type") == "code":
                setups.append((name, text))
            elif role == "answer":
                starters.append(roles.starter_of(text))
                if starters[-1] != "\n".join(text.splitlines()):
                    answers.append((name, text))
            elif roles.is_anchor(cell):
                answers.append((name, text))
            elif role == "check" or (role == "hidden" and hidden):  # a release's hidden cells hold comments alone
                checks.append(_check_cell(name, text, cell, role == "hidden"))
        if not checks:
            raise ValueError(f"the instructor's notebook of {lesson.slug or lesson.id} holds no check cell")
        known = {name for check in checks for name in (check.check, check.name)}
        if only is not None and not only <= known:
            names = ", ".join(check.check for check in checks)
            raise ValueError(f"there is no check called {', '.join(sorted(only - known))}; the checks are {names}")
        keep = [c for c in checks if only is None or only & {c.check, c.name}]
        return cls(setups, starters, answers, keep)

    def is_todo(self, cells: LearnerCells) -> bool:
        """Whether every answer cell is still its starter (a submission with none at all is not "to do")."""
        answers = [cell.source for cell in cells.cells if cell.role == roles.ANSWER]
        if not answers or not any(answer.strip() for answer in answers):
            return True
        if len(answers) == 1 and len(self.starters) > 1:
            return roles.is_todo(answers[0], "\n".join(self.starters))
        return all(any(roles.is_todo(answer, starter) for starter in self.starters) for answer in answers)


def _check_cell(name: str, text: str, cell: dict, hidden: bool) -> CheckCell:
    points = cell.get("metadata", {}).get("nbgrader", {}).get("points", 0)
    return _parsed(name, text, float(points), hidden)


@functools.lru_cache(maxsize=256)  # the same cells judge every submission of a class
def _parsed(name: str, text: str, points: float, hidden: bool) -> CheckCell:
    try:
        tree = ast.parse(text)
        run = tree.body[-1]
    except (SyntaxError, IndexError) as problem:
        raise ValueError(f"the check cell {name!r} does not parse: {problem}") from None
    value = getattr(run, "value", None)
    called = value.func.id if isinstance(value, ast.Call) and isinstance(value.func, ast.Name) else name
    last = any(isinstance(node, ast.Attribute) and node.attr in RULED for node in ast.walk(tree))
    return CheckCell(name, called, points, hidden, tree, last)


def instructor_notebook(lesson: Lesson) -> dict:
    """The lesson's built notebook, ``source/<slug>/<slug>.ipynb``; a capstone's is made of its folder. Raises
    ``FileNotFoundError`` naming the remedy."""
    if lesson.level == "capstone":
        from learning import capstones

        return capstones.notebook(lesson)
    path = sandbox.ROOT / "source" / lesson.slug / f"{lesson.slug}.ipynb"
    if not path.is_file():
        raise FileNotFoundError(f"{path.relative_to(sandbox.ROOT)} is missing: run python -m learning.build")
    return json.loads(path.read_text(encoding="utf-8"))


def version_of(notebook: dict, lesson: Lesson) -> int:
    """The lesson version a notebook carries, else the lesson card's."""
    version = notebook.get("metadata", {}).get("learning", {}).get("version")
    return version if isinstance(version, int) else lesson.version


def hash_of(cells: LearnerCells) -> str:
    """SHA-256 over names, roles and sources of a learner's cells."""
    text = json.dumps([(cell.name, cell.role, cell.source) for cell in cells.cells])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def default_device(lesson: Lesson) -> str:
    """Where the lesson's answers run on this machine: "cpu", or the kind of ``learning.lens.device``."""
    if lesson.kind == "cpu":
        return "cpu"
    from learning.lens import device

    return device.current().kind


def default_place(lesson: Lesson) -> str:
    """What of ``grade``'s devices that is: ``default_device``, or the card of a virtual GPU."""
    if lesson.kind == "cpu":
        return "cpu"
    from learning.lens import device

    return device.current().place
