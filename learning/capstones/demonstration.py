"""A capstone shown with its evidence: contract, derivation, a check that catches a planted fault, the raw trace, times, a limitation.

Everything but the words is run when it is shown. A capstone's ``demonstration.py`` holds ``DERIVATION``, ``FAULT`` (the mutant that is
planted), ``LIMITATION`` and ``evidence(found)``, lines made of what ``learning.lens.rehearsal.run`` saw on its small case.
"""

from __future__ import annotations

import contextlib
import importlib
import re
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from learning import attempts, capstones
from learning.attempts import Attempt
from learning.bench import plan
from learning.gates import predictions
from learning.judge.cells import LearnerCells
from learning.judge.finding import FAILED, PASSED
from learning.judge.score import report_lines
from learning.lens import facts, nvml, rehearsal
from learning.lesson import Lesson, LessonError
from learning.workshops import machine, report, timing
from learning.workshops.console import command

Say = Callable[[str], None]
TARGET = "t4"


def show(card: Lesson, say: Say, *, servers: Any = None) -> bool:
    """Say all six parts, a line at a time; whether the fault was caught, our entry passed the same check, and nothing else failed.

    ``servers`` keeps judging processes between calls. Raises ``LessonError`` where the capstone's ``demonstration.py`` lacks
    something, and ``Unavailable`` where this machine lacks PyTorch or Triton.
    """
    told, right = told_by(card), True
    machine.need_packages(card)
    for head, part in (
        ("The contract", lambda: flowing(card.contract)),
        ("How it is derived", lambda: flowing(told.DERIVATION)),
        (f"A fault, planted: {told.FAULT}", lambda: fault(card, told, servers)),
        ("What the tracer saw of our entry", lambda: trace(card, told)),
        ("How long it takes", lambda: times(card)),
        ("What it cannot do", lambda: flowing(told.LIMITATION)),
    ):
        say(f"--- {card.id} {card.title}: {head} ---" if head == "The contract" else f"--- {head} ---")
        say("")
        for line in part():
            right &= line is not WRONG
            say(str(line))
        say("")
    return right


def flowing(text: str) -> Iterator[str]:
    """Paragraphs and points of ``text`` in lines of a terminal's width, wherever the source breaks them."""
    for paragraph in text.strip().split("\n\n"):
        for point in re.split(r"\n(?=- )", paragraph.strip()):
            yield from report.wrapped(" ".join(point.split()))
        yield ""


class _Wrong(str):
    """A line that says that something is not as it should be."""


WRONG = _Wrong("This is not as it should be: please report it with the lines above.")


def told_by(card: Lesson) -> ModuleType:
    """The capstone's ``demonstration`` module; raises ``LessonError`` naming what it lacks."""
    where = f"learning/capstones/{card.slug}/demonstration.py"
    if not (card.folder / "demonstration.py").is_file():
        raise LessonError(f"{where} is missing")
    module = importlib.import_module(f"learning.capstones.{card.slug}.demonstration")
    lacking = [name for name in ("DERIVATION", "FAULT", "LIMITATION", "evidence") if not hasattr(module, name)]
    if lacking:
        raise LessonError(f"{where} defines no {', '.join(lacking)}")
    return module


def fault(card: Lesson, told: ModuleType, servers: Any = None) -> Iterator[str]:
    """The mutant that is planted, the check that refuses it, and the same check on our entry, both judged now."""
    from learning.judge import fleet

    (mutant,) = [one for one in attempts.mutants(card) if one.name == told.FAULT]
    yield from report.wrapped(mutant.story)
    yield ""
    with contextlib.ExitStack() as kept:
        servers = servers or kept.enter_context(fleet.Servers())
        for attempt, wanted in ((mutant, FAILED), (attempts.answer(card), PASSED)):
            yield "Judged with the fault:" if attempt is mutant else "Judged without it:"
            result = _judged(card, attempt, mutant.caught_by, servers)
            yield from (f"  {line}" for line in report_lines(result))
            if result.state != wanted:
                yield WRONG


def _judged(card: Lesson, attempt: Attempt, check: str, servers: Any) -> Any:
    from learning.judge import engine
    from learning.lens import device

    cells = LearnerCells.from_python(attempt.source, f"{attempt.name}.py")
    graded = engine.grade(card, cells, only={check}, device=device.without_gpu(), servers=servers)
    return graded.results[0]


def trace(card: Lesson, told: ModuleType) -> Iterator[str]:
    """What our entry did on the capstone's small case: launches, bytes, what the capstone counts itself, the compiler's figures."""
    known = [(cell["id"], cell["source"]) for cell in capstones.notebook(card)["cells"] if _runs(cell)]
    try:
        found = rehearsal.run(card.folder, predictions.module(known, card.entries), card.entries, target=TARGET)
    except rehearsal.RehearsalFailed as reason:
        yield f"The small case could not be run: {reason}"
        yield WRONG
        return
    yield found["case"]
    yield "computed in Triton's interpreter on this machine's CPU" + (
        f", compiled for {TARGET}" * bool(found["target"])
    )
    yield ""
    for launch in found["launches"]:
        mean = launch["loaded"] / max(1, launch["programs"])
        yield (
            f"  {launch['kernel']}: grid {tuple(launch['grid'])}, {launch['programs']} programs, {launch['bytes']} bytes moved; "
            f"elements loaded by a program: {mean:.0f} on average, {launch['busiest']} at most"
        )
    for name, counts in found["tensors"].items():
        size = counts["itemsize"]
        yield (
            f"  {name}: {counts['elements'] * size} bytes; {counts['loaded'] * size} loaded ({counts['load_passes']:.3f} times), "
            f"{counts['stored'] * size} stored ({counts['store_passes']:.3f} times)"
        )
    yield ""
    yield from told.evidence(found)
    for problem in found["problems"]:
        yield f"  {problem}"
        yield WRONG
    for made in found["compiled"]:
        yield ""
        yield from (f"  {line}" for line in str(facts.table(made)).splitlines())


def _runs(cell: dict) -> bool:
    return cell["metadata"]["learning"]["role"] in ("setup", "answer")


def times(card: Lesson) -> Iterator[str]:
    """Our entry timed beside its peers where there is a GPU; else what waits for one, and the commands that do it there."""
    waits = [
        cell["id"].replace("-", "_") for cell in capstones.notebook(card)["cells"] if "needs_gpu=True" in cell["source"]
    ]
    check = command(card.slug + " --solution")
    if nvml.first_gpu() is None:
        yield "There is no GPU here, and an interpreter's times mean nothing. No time is claimed. On a GPU:"
        if waits:
            yield f"  {check}   (the checks that wait: {', '.join(waits)})"
        else:
            yield f"  {check}   (parity there)"
        if plan.has_plan(card):
            yield f"  {command(f'--op {card.slug} --solution', module=timing.MODULE)}"
        return
    if not plan.has_plan(card):
        yield f"Nothing is timed: what this one is about is who owns what. On this GPU: {check}"
        return
    status = timing.main(["--op", card.slug, "--solution"])
    if status:
        yield WRONG
