"""``@check``: a plain function becomes a graded check whose call gives a ``Score``.

Standard library only at module level, so that the CPU lesson is checked under ``python -S``.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable

from learning.judge import setting as settings
from learning.judge.finding import BROKEN, FAILED, PASSED, WAITING, CheckResult, Finding, NeedsDevice, WrongAnswer
from learning.judge.score import Score

_ABOUT_VALUES = ("wrong values", "precision", "law", "repeat")


class Check:
    """A check: a sentence for a name, points, and a function of the learner's entries and a ``trial``.

    Calling it with the entries runs the function under the current setting and returns a ``Score``. All or nothing,
    unless the function calls ``trial.award(fraction)``.
    """

    def __init__(self, function: Callable, points: float, *, hidden: bool, needs_gpu: bool, trap: int | None):
        self.function, self.points, self.hidden, self.needs_gpu, self.trap = function, points, hidden, needs_gpu, trap
        self.name = function.__name__
        self.title = self.name.replace("_", " ")
        self.story = inspect.cleandoc(function.__doc__ or "")
        self.__doc__, self.__name__ = function.__doc__, self.name
        *entries, last = inspect.signature(function).parameters
        if last != "trial":
            raise TypeError(f"check {self.name}: its last parameter must be called 'trial'")
        self.entries = tuple(entries)

    def __call__(self, *entries: Callable) -> Score:
        if len(entries) != len(self.entries):
            raise TypeError(f"check {self.name} takes {', '.join(self.entries)}")
        score = Score(self.run(*entries))
        setting = settings.current()
        for listener in setting.listeners:
            listener(score.result)
        if setting.raise_failures and score.result.state in (FAILED, BROKEN):
            from learning.judge.score import report_lines

            raise AssertionError("\n".join(report_lines(score.result)))
        return score

    def run(self, *entries: Callable) -> CheckResult:
        """Run the check and return its result; never raises for what the learner's code did."""
        from learning.judge.entry import Entry, here
        from learning.judge.trial import Trial

        entries = [entry if isinstance(entry, Entry) else here(entry) for entry in entries]
        trial = Trial(self, settings.current())
        result = CheckResult(
            check=self.name, title=self.title, points=self.points, hidden=self.hidden, needs_gpu=self.needs_gpu
        )
        started = time.perf_counter()
        try:
            result.device = trial.device
            if self.needs_gpu and trial.device != "cuda":
                raise NeedsDevice("this check is decided on a GPU")
            self.function(*entries, trial)
            fraction = trial.awarded
            result.earned = self.points * fraction
            result.state = PASSED if fraction == 1.0 else FAILED
            result.finding = trial.shortfall
        except NeedsDevice as reason:
            result.state, result.skipped = WAITING, [str(reason)]
        except WrongAnswer as wrong:
            result.state, result.finding = FAILED, wrong.finding
        except Exception as broken:  # the check or the judge is at fault, never the learner
            result.state = BROKEN
            result.finding = Finding(
                rule="judge", got=f"{type(broken).__name__}: {broken}", advice="not your fault: report it"
            )
            trial.remember(broken)
        result.seconds = time.perf_counter() - started
        result.cases, result.notes = trial.cases, list(trial.notes)
        result.skipped += trial.skipped
        found = result.finding
        if found is not None and found.trap is None and result.state == FAILED and found.rule in _ABOUT_VALUES:
            found.trap = self.trap
        return result


def check(
    *, points: float, hidden: bool = False, needs_gpu: bool = False, trap: int | None = None
) -> Callable[[Callable], Check]:
    """Turn a function ``f(entry, …, trial)`` into a ``Check`` worth ``points``.

    ``hidden`` marks checks that only graders run, ``needs_gpu`` those that wait where there is none, ``trap`` the
    ledger entry that wrong values point to unless the finding names its own (a crash or a stray store is another story).
    """

    def decorate(function: Callable) -> Check:
        return Check(function, points, hidden=hidden, needs_gpu=needs_gpu, trap=trap)

    return decorate
