"""What a check found: the vocabulary every report, record and message of the judge is made of.

Standard library only.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from learning.judge.describe import cut

PASSED, FAILED, WAITING, BROKEN = "passed", "failed", "waiting", "broken"
"""States of a check: right; wrong; waits for a device this machine lacks; the judge itself failed ("failed to grade")."""


@dataclass
class Fault:
    """An exception in the learner's code, told by where it happened in *their* cell.

    ``type`` and ``message`` are read at the innermost cause; ``cell`` is the cell's name, ``line`` counts from 1 in that
    cell, ``text`` is the line itself. ``kind`` is "raised", "died" (``message`` says how), "timeout" or "memory".
    """

    type: str
    message: str
    cell: str = ""
    line: int = 0
    text: str = ""
    kind: str = "raised"

    def __post_init__(self) -> None:
        self.type, self.message, self.cell, self.text = map(cut, (self.type, self.message, self.cell, self.text))

    def sentence(self) -> str:
        kind = "" if self.cell.endswith(".py") else "cell "  # a learner without Jupyter has a file, and no cells
        where = f" (line {self.line} of {kind}{self.cell}: {self.text.strip()})" if self.line else ""
        return f"{self.type}: {self.message}{where}" if self.type else f"{self.message}{where}"


@dataclass
class Finding:
    """Why a check did not pass, in the order a learner reads it.

    ``rule`` names what was broken ("wrong values", "contract", "fault", "house rule", "time", "memory"); ``called`` the
    call as the learner could type it; ``got``, ``expected`` one line each; ``where`` row, tile or index; ``trap`` the
    ledger's number; ``seed`` replays the case and never leaves the instructor's report for a hidden check.
    """

    rule: str
    called: str = ""
    got: str = ""
    expected: str = ""
    where: str = ""
    advice: str = ""
    trap: int | None = None
    fault: Fault | None = None
    case: str = ""
    seed: int | None = None

    def __post_init__(self) -> None:
        self.called, self.got, self.expected, self.where = map(cut, (self.called, self.got, self.expected, self.where))

    def sentence(self) -> str:
        """One line: what was called, what came back, what was expected, where."""
        parts = [f"{self.called}: " if self.called else ""]
        if self.fault is not None:
            parts.append(self.fault.sentence())
        elif self.got:
            parts.append(f"got {self.got}")
            if self.expected:
                parts.append(f", expected {self.expected}")
        elif self.expected:
            parts.append(f"expected {self.expected}")
        if self.where:
            parts.append(f"; {self.where}")
        return "".join(parts) or self.rule


@dataclass
class CheckResult:
    """The outcome of one check on one device: what gradebook, report and evidence are written from.

    ``earned`` and ``points`` are points; ``seconds`` is the judge's wall time for the check; ``cases`` counts the calls
    that were judged; ``skipped`` lists cases this device cannot run, each with its reason.
    """

    check: str
    title: str
    points: float
    earned: float = 0.0
    state: str = FAILED
    hidden: bool = False
    needs_gpu: bool = False
    device: str = ""
    cases: int = 0
    seconds: float = 0.0
    finding: Finding | None = None
    skipped: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def as_dict(self) -> dict:
        """Plain JSON-able form, the same keys as the fields."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict) -> CheckResult:
        """Inverse of ``as_dict``; unknown keys raise ``TypeError``."""
        data = dict(data)
        finding = data.pop("finding", None)
        if finding is not None:
            fault = finding.get("fault")
            finding = Finding(**{**finding, "fault": Fault(**fault) if fault else None})
        return cls(**data, finding=finding)


class WrongAnswer(Exception):
    """Raised inside a check where the answer is wrong; carries the ``Finding``."""

    def __init__(self, finding: Finding):
        self.finding = finding
        super().__init__(finding.sentence())


class LearnerFault(WrongAnswer):
    """Raised in the judge where the learner's code raised, died or ran out of time in its own process."""

    def __init__(self, fault: Fault, called: str = "", rule: str = "fault"):
        self.fault = fault
        super().__init__(Finding(rule=rule, called=called, fault=fault))


def fault_rule(fault: Fault) -> str:
    """The rule a fault breaks: "time" or "memory" where a limit ended the call, else "fault"."""
    return {"timeout": "time", "memory": "memory"}.get(fault.kind, "fault")


class NeedsDevice(Exception):
    """Raised inside a check that cannot be decided on this device; the check waits, it neither passes nor fails."""
