"""What ``check`` does, from the command line to its exit status. Standard library only at module level."""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from argparse import Namespace
from collections.abc import Callable, Iterator
from pathlib import Path

from learning import lesson as lessons
from learning.gates import evidence, records
from learning.gates.fingerprint import fingerprint
from learning.gates.progress import progress
from learning.judge.engine import Graded
from learning.judge.finding import BROKEN, FAILED, WAITING, CheckResult
from learning.judge.score import report_lines
from learning.lesson import Lesson
from learning.workshops import ahead, early, machine, options, report, work
from learning.workshops.console import command, complain, prepare, say
from learning.workshops.unavailable import Unavailable
from learning.workshops.work import Places

PASS, WRONG, TODO, MISSING, USAGE, FAULT = 0, 1, 2, 3, options.USAGE, 70
_STRENGTH = (FAULT, WRONG, TODO, MISSING, PASS)

Grade = Callable[..., Graded]


def main(arguments: list[str] | None = None, *, places: Places | None = None, grade: Grade | None = None) -> int:
    """Run ``check`` with ``arguments`` (the process's own) and return the exit status.

    ``places`` says where the course and the learner's work are; ``grade`` is the judge's engine.
    """
    return answered("check", lambda: _run(options.parse(arguments), places or Places.default(), grade))


def answered(name: str, run: Callable[[], int]) -> int:
    """The exit status of ``run``, the command ``learning.workshops.<name>``; what keeps it from answering is said, with a status
    of its own: a usage error, something missing, a fault of ours."""
    prepare()
    try:
        return run()
    except options.UsageError as wrong:
        complain(f"{name}: {wrong}")
        complain(f"{' ' * len(name)}  {command('--help', module=f'learning.workshops.{name}')} shows how it is used")
        return USAGE
    except (Unavailable, lessons.UnknownLesson) as missing:
        say(_sentence(str(missing)))
        return MISSING
    except BrokenPipeError:
        raise
    except Exception as fault:
        return _fault(fault)


def _run(chosen: Namespace, places: Places, grade: Grade | None) -> int:
    if chosen.list:
        return _list(chosen.level, places)
    if chosen.name == "all":
        return _all(chosen, places, grade)
    lesson = lessons.find(chosen.name)
    if chosen.hint is not None:
        return _hint(lesson, chosen.hint)
    with _servers(grade) as engine:
        if chosen.blank is not None:
            from learning.workshops import blank

            return blank.check(lesson, chosen, places, engine)
        return _check(lesson, chosen, places, engine)


def _list(level: str | None, places: Places) -> int:
    found = lessons.discover(level) + ([] if level else lessons.discover("capstone"))
    if not found:
        raise Unavailable(f"there are no lessons of level {level} yet" if level else "this course holds no lessons")
    for line in report.listing(found, lambda lesson: _progress(lesson, places)):
        say(line)
    return PASS


def _hint(lesson: Lesson, number: int) -> int:
    say(f"{lesson.slug}, hint {number} of {len(lesson.hints)}")
    say()
    for line in report.wrapped(lesson.hints[number - 1]):
        say(line)
    if number < len(lesson.hints):
        say()
        say(f"The next one gives more: --hint {number + 1}")
    return PASS


def _all(chosen: Namespace, places: Places, grade: Grade | None) -> int:
    found = lessons.discover(chosen.level)
    left_out = [lesson for lesson in found if lesson.kind == "gpu" and not chosen.include_gpu]
    selected = [lesson for lesson in found if lesson not in left_out]
    results: list[tuple[Lesson, int]] = []
    if selected:
        with _servers(grade) as engine:
            for lesson in selected:
                results.append((lesson, _guarded(lesson, chosen, places, engine)))
                say()
    for lesson, status in results:
        say(f"{lesson.slug:<24} {report.OUTCOMES[status]}")
    for lesson in left_out:
        say(f"{lesson.slug:<24} not checked: a GPU lesson; add --include-gpu")
    if left_out:
        say()
        say(f"On a GPU: {command('all --include-gpu')}")
        say(f"Without one, on the course's CPU device: {command('all --include-gpu --interpret')}")
    if not results:
        where = f" of level {chosen.level}" if chosen.level else ""
        say(f"Nothing was checked: there is no CPU lesson{where}.")
        return MISSING
    return strongest([status for _, status in results])


def _guarded(lesson: Lesson, chosen: Namespace, places: Places, grade: Grade) -> int:
    """One lesson of ``all``: what stops it leaves the others alone."""
    try:
        return _check(lesson, chosen, places, grade)
    except Unavailable as missing:
        say(f"{lesson.slug}: {missing}")
        return MISSING
    except BrokenPipeError:
        raise
    except Exception as fault:
        say(f"{lesson.slug}: the checker failed")
        return _fault(fault)


def strongest(statuses: list[int]) -> int:
    """The exit status of several results: 1 beats 2 beats 3 beats 0, and a fault of the checker beats them all."""
    return min(statuses, key=_STRENGTH.index)


def _check(lesson: Lesson, chosen: Namespace, places: Places, grade: Grade) -> int:
    found = None
    if chosen.solution:
        say(f"{lesson.slug} ({lesson.id}): checking the supplied answer, not yours; that is no evidence of learning")
    else:
        single = chosen.name != "all"
        found = work.find(lesson, places, file=chosen.file or "", python=chosen.py, make=single)
        if found is None:
            say(f"{lesson.slug} ({lesson.id}): not begun; {command(lesson.slug)} lays out the starter")
        else:
            say(f"{lesson.slug} ({lesson.id}): {places.shown(found.path)}")
            for note in found.notes:
                say(f"  {note}")
    device, card, sentence = machine.open_for(lesson, interpret=chosen.interpret, target=chosen.target or "")
    if sentence:
        say(f"  {sentence}")
    if found is None and not chosen.solution:
        return TODO
    if found is None:
        learner = work.solution(lesson, places)
    else:
        learner = work.read(found, lesson, places)
        stale = work.stale(found, lesson)
        if stale:
            say(f"  {stale}")
        if work.is_todo(learner, found, lesson, places):
            say("  Still TODO: the answer is the untouched starter. For a first step:")
            say(f"    {command(lesson.slug + ' --hint')}")
            return TODO
    notebook = work.instructor(lesson, places)
    log = found.log if found is not None and found.keeps else None
    if log is not None and not chosen.anyway and not _agreed(lesson, chosen, places, log):
        return TODO
    say()
    graded = grade(lesson, learner, notebook=notebook, hidden=False, device=device, progress=_Told())
    for line in report.after(graded, notebook):
        say(line)
    if chosen.target and not graded.todo:
        from learning.workshops import compiled

        say()
        for line in compiled.report(lesson, learner.sources(), notebook, chosen.target, log):
            say(line)
    if log is not None:
        _keep(lesson, graded, learner.sources(), found, notebook, card)
        say(_progress(lesson, places, found))
    return status(graded)


def _agreed(lesson: Lesson, chosen: Namespace, places: Places, log: Path) -> bool:
    """Whether the run may cost the learner what it would: see ``ahead.agreed``. A log that cannot be read costs nothing."""
    again = " ".join([chosen.name] + ["--py"] * chosen.py + ["--include-gpu"] * chosen.include_gpu
                     + ["--interpret"] * chosen.interpret + [f"--target {chosen.target}"] * bool(chosen.target)
                     + [f"--file {chosen.file}"] * bool(chosen.file))  # fmt: skip
    try:
        kept = records.read(log)
    except (OSError, records.RecordError):
        return True
    return ahead.agreed(lesson, places.shown(places.folder(lesson) / f"{lesson.slug}.ipynb"), kept, again)


class _Told:
    """Says each result as it comes; a fault that stops check after check, such as a cell that does not load, once."""

    def __init__(self) -> None:
        self.last: tuple | None = None

    def __call__(self, result: CheckResult) -> None:
        head, *rest = report_lines(result)
        fault = result.finding.fault if result.finding is not None else None
        same = fault is not None and (fault.sentence(), result.finding.advice) == self.last
        self.last = (fault.sentence(), result.finding.advice) if fault is not None else None
        say(head)
        for line in ["  got      the same as above"] if same else rest:
            say(line)


def status(graded: Graded) -> int:
    """The exit status of one checked lesson. Public checks that wait for a GPU make it 3, never 0."""
    states = {result.state for result in graded.results}
    if BROKEN in states or not states:
        return FAULT
    if graded.todo:
        return TODO
    if FAILED in states:
        return WRONG
    return MISSING if WAITING in states else PASS


def _keep(lesson: Lesson, graded: Graded, sources: list, found: work.Work, notebook: dict, card: str) -> None:
    """Append the run's evidence; that it cannot be written is said, and changes no result."""
    public = [name for name, _ in work.course.grade_cells(notebook, "check")]
    try:
        evidence.parity(
            found.log, lesson, graded.results, source=fingerprint(sources, lesson.entries), public=public,
            device=graded.device, card=card, via="check", file=found.path.name,
        )  # fmt: skip
    except (OSError, records.RecordError) as error:
        say(f"Progress was not saved: {getattr(error, 'strerror', None) or error}")


def _progress(lesson: Lesson, places: Places, found: work.Work | None = None) -> str:
    """``progress k/n``, what is wrong with the log, if anything is, and of ``found`` the first gate that is open."""
    log = found.log if found is not None else places.log(lesson)
    try:
        kept = records.read(log)
    except (OSError, records.RecordError) as error:
        return f"progress unknown: {error}"
    state = progress(lesson, kept)
    text = str(state)
    if kept.damage and found is not None:
        lines = "; ".join(damage.sentence() for damage in kept.damage[:3])
        text += f" ({places.shown(log)} is damaged: {lines}; the undamaged records count)"
    if state.ahead is not None and found is not None:
        text += f"\n  next: gate {state.ahead.number:02}, {state.ahead.id}: {state.ahead.why}"
    return text


@contextlib.contextmanager
def _servers(grade: Grade | None) -> Iterator[Grade]:
    """The engine; its worker servers start at the first answer there is to judge and stay warm for the others."""
    if grade is not None:
        yield grade
        return
    with early.Engine() as engine:
        yield engine


def _fault(fault: Exception) -> int:
    complain("The checker itself failed; this says nothing about your answer. Please report it with these lines:")
    frame = traceback.extract_tb(fault.__traceback__)[-1]
    complain(f"    {type(fault).__name__}: {fault}")
    complain(f"    in {os.path.basename(frame.filename)}, line {frame.lineno}, Python {sys.version.split()[0]}")
    if os.environ.get("LEARNING_DEBUG"):
        traceback.print_exception(fault)
    else:
        complain("    (with LEARNING_DEBUG=1 in the environment the whole traceback is printed)")
    return FAULT


def _sentence(text: str) -> str:
    """``text`` with a capital, unless it begins with a name such as vector_add or an option."""
    first = text.split(" ", 1)[0]
    return text[:1].upper() + text[1:] if first.isalpha() else text
