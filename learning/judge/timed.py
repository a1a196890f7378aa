"""A timing check decided: an answer beside an anchor, what makes a time impossible, when a machine must be asked again.

Standard library at module level.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from learning.judge import timing
from learning.judge.finding import NeedsDevice
from learning.judge.timing import Verdict

TRIES = 2


def decide(
    trial: Any, entry: Callable, args: tuple, kwargs: dict, *, anchor: Callable | str | None, full: float, half: float
) -> None:
    """Do what ``Trial.faster`` says, on ``trial``'s behalf."""
    if trial.device != "cuda":
        raise NeedsDevice("time is measured on a GPU")
    ours = trial.setting.resources.get("anchor")
    anchor = ours.beside(anchor) if isinstance(anchor, str) and ours is not None else anchor or ours
    if anchor is None or isinstance(anchor, str):
        raise NeedsDevice("the anchor, the lesson's own answer, is not at hand here; the grader has it")
    # An answer shares its process with what runs its blocks, so threads and patched modules must be out of bounds; and it is
    # watched once with these very arguments, since an answer may leave large inputs to torch.
    trial.house_rules(entry, *args, **kwargs)
    called = trial.called(entry, args, kwargs)
    try:
        with trial._told():
            verdict = steady(trial, entry, anchor, args, kwargs, (full, half))
    except timing.NotComputed as problem:
        trial.fail(
            "time", called=called, got=f"while it was timed its inputs were changed in place, and {problem}",
            expected="every call computes its result from its inputs as they are then",
        )  # fmt: skip
    if (
        verdict.torch_calls
    ):  # a program can tell a watched call from a timed one, but not which of those are captured or audited
        trial.torch_calls.update(verdict.torch_calls)
        trial.house_rules(entry)
    roof = roof_of(trial, args, kwargs)
    if roof is not None and verdict.impossible(roof):
        trial.fail(
            "time", called=called,
            got=f"{verdict.answer_seconds * 1e6:.1f} µs a call, which cannot be a time of this work",
            expected=f"no less than 0.9 × the floor. {roof.sentence()}",
        )  # fmt: skip
    fraction, why = verdict.points(full=full, half=half)
    if fraction == 0.0:
        trial.fail("time", called=called, got=why, expected=f"at most {half:g} × the anchor's time")
    trial.award(fraction, why)


def steady(trial: Any, entry: Callable, anchor: Callable, args: tuple, kwargs: dict, bars: tuple) -> Verdict:
    """The verdict of a machine that can be trusted, its sentence noted; one more try where it cannot, then ``NeedsDevice``."""
    for _ in range(TRIES):
        verdict = timing.compare(entry, anchor, args, kwargs, bars=bars)
        trial.notes.append(verdict.sentence())
        if not verdict.doubt:
            return verdict
    raise NeedsDevice(f"this machine is too unsteady to time on now ({verdict.doubt}): grade again when it is idle")


def roof_of(trial: Any, args: tuple, kwargs: dict) -> Any:
    """The roof of this call on the GPU in use, by the lesson's own ``work``; None where either is unknown."""
    from learning import lesson
    from learning.bench import plan
    from learning.lens import device, roofline

    with contextlib.suppress(KeyError, lesson.UnknownLesson):
        card = lesson.load(trial.setting.lesson)
        if plan.has_plan(card):
            return roofline.roof(plan.load(card).work(*args, **kwargs), device.current().name)
    return None
