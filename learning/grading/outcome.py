"""What became of one submission: the record that gradebook, autograded notebook, feedback and report are written from.

Standard library only.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from learning.judge.engine import Graded
from learning.judge.finding import BROKEN, WAITING, CheckResult

GRADED, FAILED, PENDING, NOT_SUBMITTED = "graded", "failed to grade", "regrade pending", "not submitted"


@dataclass
class Placed:
    """A learner's cell in the rebuilt notebook: in the instructor's cell ``slot``, or added behind it."""

    slot: int
    added: bool
    type: str
    source: str
    attachments: dict = field(default_factory=dict)


@dataclass
class Outcome:
    """One submission's outcome.

    ``state`` is one of the four constants of this module; ``cause`` says why it failed to grade; ``notes`` what was
    mended or odd. ``lesson`` and ``version`` are those it was graded against, ``digest`` the SHA-256 of the submitted
    file ("" where there was none), ``source`` that of the instructor's notebook. ``answered`` says for each cell that
    is graded by hand whether it differs from the released text. ``seconds`` is the judge's wall time, ``reused``
    whether the result came from the store.
    """

    state: str
    cause: str = ""
    lesson: str = ""
    version: int = 0
    digest: str = ""
    source: str = ""
    notes: list[str] = field(default_factory=list)
    cells: list[Placed] = field(default_factory=list)
    answered: dict[str, bool] = field(default_factory=dict)
    graded: Graded | None = None
    seconds: float = 0.0
    reused: bool = False

    @classmethod
    def failed(cls, cause: str, **fields) -> Outcome:
        """An outcome for a submission that could not be graded, with the cause in one sentence."""
        return cls(FAILED, cause=cause, **fields)

    @property
    def results(self) -> dict[str, CheckResult]:
        """Results by check name; empty where nothing was graded."""
        return {result.check: result for result in self.graded.results} if self.graded else {}

    @property
    def broken(self) -> list[CheckResult]:
        """Checks that the judge itself could not decide."""
        return [result for result in self.results.values() if result.state == BROKEN]

    @property
    def waiting(self) -> list[CheckResult]:
        """Checks that need a device this grader lacks."""
        return [result for result in self.results.values() if result.state == WAITING]

    @property
    def failed_to_grade(self) -> str:
        """Why the grader failed here, wholly or in part; "" where it did not."""
        if self.state == FAILED:
            return self.cause
        if self.broken:
            names = ", ".join(result.check for result in self.broken)
            reason = next((r.finding.sentence() for r in self.broken if r.finding), "")
            return f"the judge failed at {names}" + (f": {reason}" if reason else "")
        return ""

    def as_dict(self) -> dict:
        """Plain JSON-able form, the same keys as the fields, in text that every file and terminal can hold."""
        return _storable(asdict(self))

    @classmethod
    def from_dict(cls, data: dict) -> Outcome:
        """Inverse of ``as_dict``; unknown keys raise ``TypeError``."""
        data = dict(data)
        data["cells"] = [Placed(**cell) for cell in data.get("cells", [])]
        data["graded"] = Graded.from_dict(data["graded"]) if data.get("graded") else None
        return cls(**data)


def _storable(value):
    """``value`` with lone surrogates in its strings spelt out: an exception's message may hold them, and no file can."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {_storable(key): _storable(one) for key, one in value.items()}
    return [_storable(one) for one in value] if isinstance(value, list) else value
