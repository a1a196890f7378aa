"""What ``benchmark`` does, from the command line to its exit status. Standard library only at module level."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from learning import attempts
from learning import lesson as lessons
from learning.bench import plan, record, report, runner
from learning.gates import records
from learning.gates.fingerprint import fingerprint
from learning.judge import cells as roles
from learning.judge.cells import LearnerCells
from learning.lesson import Lesson
from learning.workshops import command as checking
from learning.workshops import machine, options, work
from learning.workshops.command import FAULT, MISSING, PASS, TODO, WRONG
from learning.workshops.console import command, say
from learning.workshops.progress import Progress
from learning.workshops.unavailable import Unavailable
from learning.workshops.work import Places

MODULE = "learning.workshops.benchmark"
EPILOGUE = """\
exit status: 0 measured; 1 a wrong answer, which is not timed; 2 still TODO; 3 nothing to measure, or no GPU; 64 a usage
error; 70 a fault of the benchmark itself. Of several results 1 beats 2 beats 3 beats 0.

Graph timing replays captured, warmed-up calls: no Python, no allocator (memory comes from the graph's pool). Events timing
surrounds the Python calls and can include idle gaps. Neither is the latency of a model. Copies inside the answer count.
"""


@dataclass(frozen=True)
class Asked:
    """What the command line says."""

    op: str
    solution: bool
    timing: str
    output: Path | None


def parse(arguments: list[str] | None) -> Asked:
    """The options; raises ``options.UsageError``. ``--help`` prints and exits with 0."""

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> None:
            raise options.UsageError(message)

    made = Parser(
        prog=f"python -m {MODULE}",
        description="Time your answer on two fixed shapes beside PyTorch, torch.compile and others.",
        epilog=EPILOGUE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    made.add_argument("--op", metavar="NAME", required=True, help="a lesson's name or id (softmax, L3a), or all")
    made.add_argument("--solution", action="store_true", help="time the supplied answer instead of yours")
    made.add_argument("--timing", choices=("graph", "events"), default="graph", help="which time is compared (graph)")
    made.add_argument("--output", metavar="PATH.json", help="write every sample to this file")
    found = made.parse_args(arguments)
    if found.output and not found.output.lower().endswith(".json"):
        raise options.UsageError(f"--output takes a .json file, and {found.output} is none")
    return Asked(found.op, found.solution, found.timing, Path(found.output).expanduser() if found.output else None)


def main(
    arguments: list[str] | None = None,
    *,
    places: Places | None = None,
    grade: Callable | None = None,
    opened: Any = None,
    run: Any = None,
) -> int:
    """Run ``benchmark`` with ``arguments`` (the process's own) and return the exit status.

    ``places``, ``grade``, ``opened`` (the device that was opened) and ``run`` (a ``runner.Runner``) stand in for the
    machine's own.
    """
    return checking.answered(
        "benchmark", lambda: _run(parse(arguments), places or Places.default(), grade, opened, run)
    )


def _run(asked: Asked, places: Places, grade: Callable | None, opened: Any, run: Any) -> int:
    every = asked.op == "all"
    chosen = lessons.discover() if every else [lessons.find(asked.op)]
    skipped = [{"op": lesson.slug, "reason": reason} for lesson in chosen if (reason := _untimed(lesson))]
    left_out = {one["op"] for one in skipped}
    chosen = [lesson for lesson in chosen if lesson.slug not in left_out]
    for one in skipped:
        say(f"{one['op']}: not timed: {one['reason']}")
    if not chosen:
        return MISSING
    opened = opened or _open(chosen[0])
    runs, statuses = [], []
    with run or runner.Runner(opened.kind) as at_hand, checking._servers(grade) as engine:
        for lesson in chosen:
            status, made, why = _guarded(lesson, asked, places, engine, opened, at_hand)
            statuses.append(status)
            runs += [made] if made else []
            skipped += [{"op": lesson.slug, "reason": why}] if why else []
            say()
    if every:
        for lesson, status in zip(chosen, statuses, strict=True):
            say(f"{lesson.slug:<24} {_OUTCOMES[status]}")
    if asked.output is not None and runs:
        _write(asked.output, places, runs, skipped)
    return checking.strongest(statuses)


_OUTCOMES = {
    PASS: "measured", WRONG: "not right, so not timed", TODO: "still TODO", MISSING: "not timed: something needed is not available",
    FAULT: "the benchmark failed",
}  # fmt: skip


def _untimed(lesson: Lesson) -> str:
    if lesson.kind == "cpu":
        return "a CPU lesson: it launches no kernel, and there is nothing for a GPU's clock to time"
    return "" if plan.has_plan(lesson) else f"its folder holds no {plan.FILE}"


def _open(lesson: Lesson) -> Any:
    machine.need_packages(lesson)
    from learning.lens import device, nvml

    if nvml.first_gpu() is None:
        raise Unavailable(
            "a benchmark needs an NVIDIA GPU, and this machine shows none; times of an interpreter would mean nothing. "
            "Colab has a T4 for the asking (Runtime > Change runtime type > T4 GPU). Whether your answer is right is "
            f"decided without one:\n    {command(lesson.slug + ' --interpret')}"
        )
    try:
        return device.open("cuda")
    except RuntimeError as error:
        raise Unavailable(str(error)) from None


def _guarded(
    lesson: Lesson, asked: Asked, places: Places, grade: Any, opened: Any, run: Any
) -> tuple[int, dict | None, str]:
    """One operation: (status, its run, why there is none); what stops it leaves the others alone."""
    try:
        return _one(lesson, asked, places, grade, opened, run)
    except Unavailable as missing:
        say(f"{lesson.slug}: {missing}")
        return MISSING, None, str(missing)
    except runner.Failed as failed:
        who = "the answer" if failed.answers else "the benchmark"
        say(f"{lesson.slug}: {who} failed: {failed}")
        return WRONG if failed.answers else FAULT, None, str(failed)
    except BrokenPipeError:
        raise
    except Exception as fault:
        return checking._fault(fault), None, f"{type(fault).__name__}: {fault}"


def _one(
    lesson: Lesson, asked: Asked, places: Places, grade: Any, opened: Any, run: Any
) -> tuple[int, dict | None, str]:
    found = None
    notebook = work.instructor(lesson, places)
    if asked.solution:
        say(f"{lesson.slug} ({lesson.id}): timing the supplied answer, not yours; that is no evidence of learning")
        learner = work.solution(lesson, places)
    else:
        found = work.find(lesson, places, make=asked.op != "all")
        if found is None:
            say(f"{lesson.slug} ({lesson.id}): not begun; {command(lesson.slug)} lays out the starter")
            return TODO, None, "not begun"
        say(f"{lesson.slug} ({lesson.id}): {places.shown(found.path)}")
        for note in found.notes:
            say(f"  {note}")
        learner = work.read(found, lesson, places)
        if work.is_todo(learner, found, lesson, places):
            say("  Still TODO: the answer is the untouched starter, and there is nothing to time yet.")
            return TODO, None, "still TODO"
    say(f"  on {opened.name}; parity first: fast and wrong is worth nothing")
    graded = grade(lesson, learner, notebook=notebook, hidden=False, device=opened.kind, progress=lambda result: None)
    status = checking.status(graded)
    if status == TODO:
        return TODO, None, "still TODO"
    if status != PASS:
        first = next((r for r in graded.results if r.state not in ("passed", "waiting")), None)
        if first is not None:
            say(f"  Not timed: {first.title}: {first.finding.sentence() if first.finding else first.state}")
            say(f"    {command(lesson.slug)} says more")
            return status, None, "its parity checks do not pass"
    return PASS, _measure(lesson, asked, places, opened, run, learner, notebook, found), ""


def _measure(
    lesson: Lesson,
    asked: Asked,
    places: Places,
    opened: Any,
    run: Any,
    learner: LearnerCells,
    notebook: dict,
    found: Any,
) -> dict:
    started = time.perf_counter()
    job = job_of(lesson, notebook, None if asked.solution else learner, timing=asked.timing)
    progress = Progress()
    cases = run.run(job, progress)
    progress.done()
    who = "the supplied answer" if asked.solution else "your answer"
    for case in cases:
        say()
        say(f"  {case['about']} (times in µs; floor: which share of the roofline's time is used)")
        for line in report.table(case):
            say(line)
        for line in checking.report.wrapped(report.sentence(case, who), indent=2):
            say(line)
    source = attempts.answer(lesson).source if asked.solution else "\n".join(text for _, text in learner.sources())
    made = record.run(
        lesson, cases, who="solution" if asked.solution else "learner", timing=asked.timing, source=source, device=opened,
        seconds=time.perf_counter() - started,
    )  # fmt: skip
    if found is not None:
        _keep(found, lesson, made, learner.sources(), opened)
    return made


def job_of(lesson: Lesson, notebook: dict, learner: LearnerCells | None, **how: Any) -> dict:
    """What to measure: the learner's cells, or with None the supplied ``answer.py`` with its tuned versions."""
    from learning.judge import engine

    answers = {lesson.entry: lesson.entry}
    if learner is None:
        loads = supplied(lesson, notebook)
        answers |= {name: name for name in plan.load(lesson).tuned}
    else:
        loads = [*_set_up(lesson, notebook), *(list(one) for one in engine._loads(learner, lesson.entries))]
    return runner.job(lesson.slug, loads, answers, **how)


def supplied(lesson: Lesson, notebook: dict) -> list[list]:
    """The cells that ``runner.load`` runs for the supplied ``answer.py``: the notebook's set-up, then the answer."""
    return [*_set_up(lesson, notebook), ["answer.py", attempts.answer(lesson).source, roles.ANSWER]]


def _set_up(lesson: Lesson, notebook: dict) -> list[list]:
    from learning.judge import engine

    setups = engine.Plan.of(notebook, lesson, hidden=False).setups
    return [[f"setup-{name}", source, roles.SETUP] for name, source in setups]


def _keep(found: work.Work, lesson: Lesson, made: dict, sources: list, opened: Any) -> None:
    """Append the run to the learner's evidence; that it cannot be written is said, and changes no result."""
    payload = {
        "cases": report.payload(made["cases"]),
        "via": "benchmark",
        "timing": made["timing"],
        "card": opened.name,
    }
    try:
        records.append(
            found.log,
            "benchmark",
            lesson.slug,
            device=opened.kind,
            source=fingerprint(sources, lesson.entries),
            payload=payload,
        )
    except (OSError, records.RecordError) as error:
        say(f"  Progress was not saved: {getattr(error, 'strerror', None) or error}")


def _write(output: Path, places: Places, runs: list[dict], skipped: list[dict]) -> None:
    path = output if output.is_absolute() else places.here / output
    try:
        record.write(path, record.whole(runs, skipped))
    except OSError as error:
        raise Unavailable(f"{places.shown(path)} cannot be written: {error.strerror or error}") from None
    say(f"Every sample is in {places.shown(path)}")
