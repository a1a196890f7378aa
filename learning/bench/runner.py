"""A process of its own for measuring: it loads an answer's cells, times it, and sends the record back as JSON.

A crash, a hang or a poisoned CUDA context ends one job and leaves the others alone. Standard library at module level.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import tempfile
import time
from collections.abc import Callable
from typing import Any

SECONDS = 300.0
"""A job may take so long; two shapes with ``torch.compile`` take under one minute on an H200."""


class Failed(RuntimeError):
    """A job gave no record; the message says why. ``answers`` is True where the answer itself failed."""

    def __init__(self, message: str, answers: bool = False):
        super().__init__(message)
        self.answers = answers


class Runner:
    """Runs jobs one after the other in one child process on ``device`` ("cuda" or "interpreter"), started anew after a
    job that failed. A context manager."""

    def __init__(self, device: str = "cuda", seconds: float = SECONDS):
        self.device, self.seconds = device, seconds
        self._child: Any = None
        self._line: Any = None

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *exc: object) -> None:
        self._end()

    def run(self, job: dict, say: Callable[[str], None] = lambda text: None) -> list[dict]:
        """The cases of ``job`` (see ``job``); ``say`` hears what is being done. Raises ``Failed``."""
        if self._child is None:
            self._start()
        deadline = time.monotonic() + self.seconds
        try:
            self._line.send_bytes(json.dumps(job).encode())
            while True:
                left = deadline - time.monotonic()
                if left <= 0 or not self._line.poll(left):
                    raise Failed(f"it was not done after {self.seconds:g} s")
                told = json.loads(self._line.recv_bytes())
                if "say" in told:
                    say(str(told["say"]))
                elif "cases" in told:
                    return told["cases"]
                else:
                    raise Failed(str(told["failed"]), bool(told["answers"]))
        except (EOFError, OSError):
            self._child.join(5)
            message = f"the process that measures ended (status {self._child.exitcode})"
            self._end()
            raise Failed(message) from None
        except Failed:
            self._end()
            raise

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._line, theirs = context.Pipe()
        self._child = context.Process(target=serve, args=(theirs, self.device), daemon=True)
        self._child.start()
        theirs.close()

    def _end(self) -> None:
        if self._child is not None:
            self._line.close()
            self._child.join(1)
            if self._child.is_alive():
                self._child.kill()
                self._child.join()
            self._child = self._line = None


def job(slug: str, loads: list, answers: dict[str, str], *, shapes: dict[str, dict] | None = None, **how: Any) -> dict:
    """What is to be measured: the lesson, its cells as (name, source, role[, statements kept]), the functions to be timed by
    label, the answer first, the shapes ({name: sizes}; by default the plan's), and the fields of ``measure.How``."""
    return {"slug": slug, "loads": loads, "answers": answers, "shapes": shapes, "how": how}


def serve(line: Any, device: str) -> None:
    """The child: answer jobs until the other side hangs up."""
    from learning.lens import device as door

    opened = door.open(device)
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            asked = json.loads(line.recv_bytes())
            line.send_bytes(json.dumps(_answer(asked, opened, line)).encode())


def _answer(asked: dict, opened: Any, line: Any) -> dict:
    try:
        functions = load(asked["loads"], asked["answers"])
    except Exception as problem:
        return {"failed": str(problem) if isinstance(problem, Failed) else _text(problem), "answers": True}
    try:
        return {
            "cases": measured(
                asked, functions, opened, lambda text: line.send_bytes(json.dumps({"say": text}).encode())
            )
        }
    except Exception as problem:
        return {"failed": _text(problem), "answers": False}


def measured(asked: dict, functions: dict[str, Callable], opened: Any, say: Callable[[str], None]) -> list[dict]:
    """The cases of a job, in this process."""
    from dataclasses import replace

    from learning import lesson as lessons
    from learning.bench import measure, plan

    found = plan.load(lessons.load(asked["slug"]))
    wanted = asked["shapes"] or {shape.name: shape.sizes for shape in found.shapes}
    how = measure.How(**asked["how"])
    return [
        measure.shape(found, replace(found.shape(name), sizes=sizes), functions, opened, how, say)
        for name, sizes in wanted.items()
    ]


def load(loads: list, answers: dict[str, str]) -> dict[str, Callable]:
    """Run cells in a module of their own and return the functions by label. Raises ``Failed`` naming what is missing."""
    from learning.judge.worker import Submission

    folder = tempfile.mkdtemp(prefix="learning-bench-")  # tracebacks and Triton read the cells' files while they run
    submission = Submission(folder)
    for name, source, role, *keep in loads:
        fault, _ = submission.run(name, source, role, *keep)
        if fault is not None and role != "extra":
            raise Failed(f"{name}: {fault['type']}: {fault['message']}", answers=True)
    found = {}
    for label, name in answers.items():
        function = submission.module.__dict__.get(name)
        if not callable(function):
            raise Failed(f"the cells define no function {name!r}", answers=True)
        found[label] = function
    return found


def _text(problem: Exception) -> str:
    return f"{type(problem).__name__}: {str(problem).strip()[:500] or 'no reason given'}"
