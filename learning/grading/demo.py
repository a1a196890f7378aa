"""``python -m learning.grading.demo [LESSON …] [--folder PATH] [--most N]``: the whole line from a lesson folder to a grade.

Builds the sources, makes and audits the releases, lays out a class for each lesson, grades it with nbgrader into a
gradebook, writes feedback, and prints what came of every submission. Works in ``demo/`` (ignored by git); nothing else
in the checkout changes. Exit status 0 when every expectation held, 1 otherwise.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from learning import lesson as lessons
from learning.grading import classroom, report, save
from learning.grading.classroom import Handin
from learning.grading.outcome import FAILED, Outcome
from learning.judge.finding import BROKEN, PASSED, CheckResult
from learning.judge.finding import FAILED as WRONG
from learning.judge.score import plain
from learning.lesson import Lesson

ROOT = Path(__file__).resolve().parents[2]
CONFIGS = ("grader_config.py", "nbgrader_config.py")
MARKS = {**report.MARKS, WRONG: "✗"}


class Broken(RuntimeError):
    """A step of the demonstration failed; the message holds the command's last lines."""


def main(arguments: list[str] | None = None) -> int:
    """Run the demonstration and return the exit status."""
    parser = argparse.ArgumentParser("python -m learning.grading.demo", description="From a lesson folder to a grade.")
    parser.add_argument("lesson", nargs="*", help="slugs or ids; all lessons where none is named")
    parser.add_argument("--folder", type=Path, default=ROOT / "demo", help="the working folder, made anew")
    parser.add_argument("--most", type=int, help="the largest class: fewer mutants and variants, for a slow machine")
    chosen = parser.parse_args(arguments)
    try:
        picked = [lessons.find(name) for name in chosen.lesson] or lessons.discover()
    except lessons.UnknownLesson as error:
        print(error, file=sys.stderr)
        return 3
    started = time.perf_counter()
    try:
        prepare(chosen.folder)
        broken = [line for lesson in picked for line in one_lesson(chosen.folder, lesson, chosen.most)]
        nbgrader(chosen.folder, "export", quiet=True)
    except Broken as error:
        print(f"\n{error}", file=sys.stderr)
        return 1
    say(f"\ngradebook {chosen.folder / 'gradebook.db'}, feedback in {chosen.folder / 'feedback'}")
    say(f"the class's report: cd {chosen.folder} && {sys.executable} -m learning.grading")
    say(f"{len(picked)} lessons in {time.perf_counter() - started:.0f} s")
    for line in broken:
        print(f"NOT AS EXPECTED: {line}", file=sys.stderr)
    say("every submission came out as expected" if not broken else f"{len(broken)} expectations were broken")
    return 1 if broken else 0


def say(text: str) -> None:
    print(text, flush=True)


def prepare(folder: Path) -> None:
    """Make ``folder`` anew with the course's own configuration; a folder that is no demonstration is refused."""
    if folder.exists() and any(folder.iterdir()) and not (folder / ".demonstration").exists():
        raise Broken(f"{folder} holds something else; name an empty folder with --folder")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / ".demonstration").write_text("made by learning.grading.demo, replaced at its next run\n")
    for name in CONFIGS:
        shutil.copy(ROOT / name, folder / name)


def environment() -> dict[str, str]:
    """The environment of nbgrader's commands: this package first, quiet libraries."""
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    return {**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "ignore", "PYTHONUNBUFFERED": "1"}


def nbgrader(folder: Path, *arguments: str, quiet: bool = False, statuses: tuple[int, ...] = (0,)) -> int:
    """Run an nbgrader command in ``folder``, showing its progress lines; raises ``Broken`` for another status."""
    command = [sys.executable, "-m", "nbgrader", *arguments]
    process = subprocess.Popen(
        command, cwd=folder, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    tail: list[str] = []
    for line in process.stdout:
        tail = [*tail[-30:], line.rstrip()]
        if not quiet and " of " in line and "] " in line and line.split("] ", 1)[1][:1].isdigit():
            say("  " + line.split("] ", 1)[1].rstrip())
    status = process.wait()
    if status not in statuses:
        raise Broken(f"nbgrader {' '.join(arguments)} ended with status {status}:\n" + "\n".join(tail[-12:]))
    return status


def one_lesson(folder: Path, lesson: Lesson, most: int | None = None) -> list[str]:
    """Run the line for one lesson and a class of at most ``most``; returns a sentence for each broken expectation."""
    from learning.build import audit, notebook
    from learning.build import course as courses

    say(f"\n{lesson.id} {lesson.slug}: building the source and the release")
    made = notebook.assemble(lesson, courses.read(folder))
    notebook.write(lesson, folder, made=made)
    nbgrader(folder, "generate_assignment", lesson.slug, quiet=True)
    texts = [
        (folder / kind / lesson.slug / f"{lesson.slug}.ipynb").read_text(encoding="utf-8")
        for kind in ("source", "release")
    ]
    complaints = [str(one) for one in audit.audit(made, *texts, folder) + audit.strays(lesson.slug, folder)]
    source, release = map(json.loads, texts)
    class_of = classroom.smaller(list(classroom.handins(lesson, source, release)), most)
    classroom.lay_out(folder / "submitted", lesson, class_of)
    say(f"{lesson.slug}: a class of {len(class_of)}; grading")
    status = nbgrader(folder, "autograde", lesson.slug, statuses=(0, 1))
    nbgrader(folder, "generate_feedback", lesson.slug, quiet=True)
    with save.opened(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        saved = save.all_saved(gradebook, lesson.slug)
    outcomes = {name: row.outcome for name, row in saved.items()}
    print_table(class_of, outcomes)
    broken = [f"{lesson.slug}: {line}" for line in complaints]
    broken += [f"{lesson.slug}: {line}" for h in class_of for line in disappointments(h, outcomes.get(h.who))]
    for handin in class_of:
        if not (folder / "feedback" / handin.who / lesson.slug / f"{lesson.slug}.html").exists():
            broken.append(f"{lesson.slug}: {handin.who} got no feedback")
    if status != 1 and any(handin.expects == "cause" for handin in class_of):
        broken.append(f"{lesson.slug}: autograde ended with status {status} though a submission failed to grade")
    return broken


def print_table(class_of: list[Handin], outcomes: dict[str, Outcome]) -> None:
    """Who, score, each check's outcome and reason, seconds."""
    width = max(len(handin.who) for handin in class_of)
    for handin in class_of:
        outcome = outcomes.get(handin.who)
        if outcome is None:
            say(f"  {handin.who:<{width}} not in the gradebook")
            continue
        if outcome.state == FAILED:
            say(f"  {handin.who:<{width}} failed to grade: {outcome.cause}")
            continue
        results = outcome.results.values()
        earned, gradable = gradable_points(outcome)
        marks = "".join(MARKS.get(result.state, "?") for result in results)
        say(f"  {handin.who:<{width}} {plain(earned):>4} of {plain(gradable):<4} {marks}  {outcome.seconds:6.2f} s")
        for line in reasons(results):
            say(f"      {line}")


def reasons(results: Iterable[CheckResult], most: int = 3) -> list[str]:
    """Why checks did not pass: checks with one reason share a line, and after ``most`` reasons the rest are counted."""
    groups: dict[str, list[CheckResult]] = {}
    for result in results:
        if result.state in (WRONG, BROKEN) and (finding := result.finding) is not None:
            key = f"{finding.fault.type} {finding.fault.message}" if finding.fault else finding.sentence()
            groups.setdefault(re.sub(r"[\d.]+", "#", key), []).append(result)
    lines = []
    for same in list(groups.values())[:most]:
        more = f" and {len(same) - 1} more" if len(same) > 1 else ""
        mark = MARKS.get(same[0].state, "?")
        lines.append(f"{mark} {same[0].title}{more}: {shortened(same[0].finding.sentence())}")
    left = sum(len(same) for same in list(groups.values())[most:])
    return [*lines, f"✗ and {left} more checks"] if left else lines


def shortened(text: str, length: int = 150) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"


def gradable_points(outcome: Outcome) -> tuple[float, float]:
    """Points earned by checks that have a verdict, and what those checks are worth."""
    decided = [result for result in outcome.results.values() if result.state in (PASSED, WRONG)]
    return sum(result.earned for result in decided), sum(result.points for result in decided)


def disappointments(handin: Handin, outcome: Outcome | None) -> list[str]:
    """Where ``outcome`` is not what the hand-in's story asks for; one sentence each."""
    if outcome is None:
        return [f"{handin.who} is not in the gradebook"]
    if handin.expects == "cause":
        return [] if outcome.failed_to_grade else [f"{handin.who} ({handin.story}) was graded"]
    if outcome.failed_to_grade:
        return [f"{handin.who} failed to grade: {outcome.failed_to_grade}"]
    earned, gradable = gradable_points(outcome)
    if handin.expects == "full" and (earned != gradable or not gradable):
        lost = ", ".join(r.check for r in outcome.results.values() if r.state == WRONG)
        return [f"{handin.who} ({handin.story}) earned {plain(earned)} of {plain(gradable)}, losing {lost}"]
    if handin.expects == "nothing" and earned:
        won = ", ".join(r.check for r in outcome.results.values() if r.state == PASSED)
        return [f"{handin.who} ({handin.story}) earned {plain(earned)} points: {won}"]
    if handin.expects == "loses":
        device = outcome.graded.device
        result = outcome.results.get(handin.check)
        if result is None:
            return [f"{handin.who} names the check {handin.check!r}, which does not exist"]
        if device in handin.dies_on and result.state == PASSED:
            return [f"{handin.who} ({handin.story}) passed {handin.check} on {device}"]
    return []


if __name__ == "__main__":
    sys.exit(main())
