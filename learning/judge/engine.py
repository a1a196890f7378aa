"""The one engine: a lesson and a learner's cells in, results out.

Standard library only at module level.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from learning.judge.finding import CheckResult, Fault


@dataclass(frozen=True)
class Limits:
    """What one submission may use: seconds a call, seconds a call after its first time-out, seconds of worker time in
    all, bytes of address space (resident bytes on CUDA), processes and threads at once, bytes one call may return,
    characters of prints kept."""

    call_seconds: float = 2.0
    after_timeout_seconds: float = 0.5
    total_seconds: float = 20.0
    memory_bytes: int = 3 << 30
    processes: int = 64
    output_bytes: int = 1 << 30
    printed_characters: int = 20_000


@dataclass
class Graded:
    """One submission's outcome.

    ``lesson`` slug; ``version`` of the lesson; ``device`` "cuda", "interpreter" or "cpu"; ``sandbox`` one sentence on
    what held the worker, and what did not; ``results`` one per check in notebook order; ``faults`` of learner cells
    that raised while loading; ``dropped`` magics and statements that never ran; ``todo`` the answer is the untouched
    starter; ``seconds`` wall time, of which ``overhead_seconds`` lay outside the checks; ``source_hash`` SHA-256 of
    the learner's sources.
    """

    lesson: str
    version: int
    device: str
    sandbox: str
    results: list[CheckResult] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    dropped: list[str] = field(default_factory=list)
    todo: bool = False
    seconds: float = 0.0
    overhead_seconds: float = 0.0
    source_hash: str = ""

    def as_dict(self) -> dict:
        """Plain JSON-able form, the same keys as the fields."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: dict) -> Graded:
        """Inverse of ``as_dict``; unknown keys raise ``TypeError``."""
        data = dict(data)
        data["results"] = [CheckResult.from_dict(result) for result in data.get("results", [])]
        data["faults"] = [Fault(**fault) for fault in data.get("faults", [])]
        return cls(**data)
