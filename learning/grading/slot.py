"""A judge process with its own warm worker server, fed one submission a line.

``python -m learning.grading.slot [THREADS]`` reads jobs as JSON lines and answers each with an ``Outcome`` as one JSON
line with the job's ``id``, as many at a time as it has threads. It ends when its input ends, so it never outlives the
process that started it. Standard library only at module level: torch is imported when the first lesson needs it.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import sys
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from learning.grading import ingest
from learning.grading.outcome import GRADED, Outcome, Placed
from learning.grading.store import gpus
from learning.judge import match
from learning.judge.cells import name_of, roles
from learning.judge.describe import quoted
from learning.judge.setting import public_seed
from learning.judge.statements import same_text

MOST_VERSIONS = 100_000
"""No lesson has as many: what a notebook says of itself beyond that is no version."""


def work(job: dict, servers: object = None) -> Outcome:
    """Grade the submission that ``job`` names and return its outcome.

    ``job`` holds ``folder`` (of one submission), ``notebook`` (its name without ``.ipynb``), ``lesson`` (a slug),
    ``version`` (the current one), ``sources`` (by version: the paths of the instructor's notebook and of its release
    form, and the notebook's hash), ``against_current``, ``device``, ``seed_file``. What a learner did never raises;
    what is wrong with the judge does.
    """
    started = time.perf_counter()
    try:
        submission = ingest.submission(Path(job["folder"]), job["notebook"])
    except ingest.Damage as damage:
        return Outcome.failed(str(damage), lesson=job["lesson"], version=job["version"])
    version, cause, note = _version(submission.notebook, job)
    said = {"lesson": job["lesson"], "version": version, "digest": submission.digest}
    if cause:
        return Outcome.failed(cause, notes=submission.notes, **said)
    source = job["sources"][str(version)]
    instructor = json.loads(Path(source["instructor"]).read_text(encoding="utf-8"))
    release = json.loads(Path(source["release"]).read_text(encoding="utf-8"))
    aligned = match.align(submission.notebook, release)
    graded = _judge(job, aligned.learner_cells(), instructor, servers)
    graded.version = version
    graded.dropped = [line for line in graded.dropped if line not in aligned.notes]
    return Outcome(
        GRADED,
        source=source["hash"],
        notes=submission.notes + note + aligned.notes,
        cells=_layout(aligned, submission.notebook),
        answered=_answered(aligned),
        graded=graded,
        seconds=time.perf_counter() - started,
        **said,
    )


def _judge(job: dict, cells, instructor: dict, servers):
    from learning import lesson
    from learning.judge import engine, seeds

    secret = seeds.secret(job["seed_file"])
    hidden = {name_of(cell) for cell, role in roles(instructor) if role == "hidden"}

    def seed(slug: str, check: str, case: str) -> int:
        return secret(slug, check, case) if check in hidden else public_seed(slug, check, case)

    return engine.grade(
        lesson.load(job["lesson"]),
        cells,
        notebook=instructor,
        seed=seed,
        hidden=True,
        device=job["device"],
        servers=servers,
    )


def _version(notebook: dict, job: dict) -> tuple[int, str, list[str]]:
    """The version to grade against, why that is impossible, and a note where it is not the current one."""
    current = job["version"]
    learning = notebook["metadata"].get("learning") or {}
    own = learning.get("version", current)
    lesson = learning.get("lesson", job["lesson"])
    if lesson != job["lesson"]:
        return (
            current,
            f"this notebook is of the lesson {quoted(lesson)}, not of {job['lesson']!r}; hand in the right one",
            [],
        )
    if own == current or type(own) is not int or not 0 < own < MOST_VERSIONS:
        return current, "", []
    if job["against_current"]:
        return current, "", [f"the notebook is of version {own}; it was graded against version {current}, as asked"]
    if str(own) not in job["sources"]:
        return own, (
            f"the notebook is of version {own} of the lesson, whose source is not kept here; put it at learning/"
            f"lessons/{job['lesson']}/versions/{own}.ipynb, or grade with --Grading.against_current=True"
        ), []  # fmt: skip
    return own, "", [f"the notebook is of version {own} and was graded against it; the current one is {current}"]


def _layout(aligned: match.Alignment, notebook: dict) -> list[Placed]:
    def pictures(found: match.Found) -> dict:
        return notebook["cells"][found.index].get("attachments", {}) if found.index < len(notebook["cells"]) else {}

    cells = [
        Placed(slot.index, False, slot.type, found.source, pictures(found) if slot.type == "markdown" else {})
        for slot in aligned.slots
        if not slot.locked
        and (found := aligned.placed.get(slot.index)) is not None
        and (found.source != slot.source or pictures(found))
    ]
    return cells + [Placed(found.slot, True, found.type, found.source, pictures(found)) for found in aligned.extras]


def _answered(aligned: match.Alignment) -> dict[str, bool]:
    return {
        slot.grade_id: not same_text(aligned.text(slot), slot.source)
        for slot in aligned.slots
        if slot.role == "explain" and slot.grade_id
    }


def warm_up(job: dict, servers) -> None:
    """Import what every job of a lesson like this one needs, once, while the worker server starts beside it."""
    from learning import lesson

    if lesson.load(job["lesson"]).kind != "gpu":
        return
    from learning.lens import device

    expected = job["device"] or ("cuda" if gpus() else device.without_gpu())
    starter = threading.Thread(target=_start, args=(servers, expected), daemon=True)
    starter.start()
    device.current()
    from learning.judge import parity, trial  # noqa: F401

    starter.join()


def _start(servers, device: str) -> None:
    with contextlib.suppress(Exception):  # the first job that needs it will say what is wrong
        servers.release(servers.get(device))


def answered(job: dict, servers) -> dict:
    """The outcome of ``job`` as JSON; a fault of the judge is named, and the next submission is graded all the same."""
    try:
        return work(job, servers).as_dict()
    except Exception as error:
        traceback.print_exc()
        return Outcome.failed(f"the judge failed ({type(error).__name__}: {error})").as_dict()


def main(threads: int = 1) -> int:
    """Serve jobs until the input ends, ``threads`` at a time."""
    answers, lock = os.fdopen(os.dup(1), "w", encoding="utf-8"), threading.Lock()
    os.dup2(2, 1)  # whatever a library prints goes to the log, not between the answers
    from learning.judge.fleet import Servers

    def serve(job: dict) -> None:
        line = json.dumps({**answered(job, servers), "id": job["id"]})
        with lock:
            answers.write(line + "\n")
            answers.flush()

    warmed = set()
    with Servers() as servers, ThreadPoolExecutor(threads) as pool:
        for line in sys.stdin:
            job = json.loads(line)
            if job["lesson"] not in warmed:
                warmed.add(job["lesson"])
                with contextlib.suppress(Exception):  # told by the job itself
                    warm_up(job, servers)
                gc.freeze()  # what is imported stays
            pool.submit(serve, job)
    return 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1))
