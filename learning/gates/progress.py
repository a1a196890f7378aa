"""Which gates are proved: a pure function of the records that exist. Standard library only.

A gate is proved by what ``PROOFS`` finds in the records, and by nothing else; a gate without an entry there is open
until the records that prove it are made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from learning.gates import predicted
from learning.lesson import GATES, Lesson


@dataclass(frozen=True)
class Gate:
    """One gate of a lesson: ``number`` 1–12, ``id``, whether it ``applies`` and is ``proved``, and ``why`` in words.

    ``record`` is the record that proves it, or None.
    """

    number: int
    id: str
    applies: bool
    proved: bool
    why: str
    record: dict | None = None


@dataclass(frozen=True)
class Progress:
    """All twelve gates of a lesson, those that do not apply included."""

    gates: tuple[Gate, ...]

    @property
    def proved(self) -> int:
        return sum(gate.proved for gate in self.gates)

    @property
    def total(self) -> int:
        return sum(gate.applies for gate in self.gates)

    def __str__(self) -> str:
        return f"progress {self.proved}/{self.total}"


def progress(lesson: Lesson, records: Iterable[dict]) -> Progress:
    """The state of ``lesson``'s gates by ``records`` (of any lessons, in the order they were written)."""
    own = [record for record in records if record.get("lesson") == lesson.slug]
    gates = []
    for number, name in enumerate(GATES, 1):
        if name not in lesson.gates:
            kind = "CPU lesson" if lesson.kind == "cpu" else "not part of this lesson"
            gates.append(Gate(number, name, False, False, f"does not apply: {kind}"))
            continue
        record, why = PROOFS[name](lesson, own) if name in PROOFS else (None, "no record proves it yet")
        gates.append(Gate(number, name, True, record is not None, why, record))
    return Progress(tuple(gates))


def reference(lesson: Lesson, records: list[dict]) -> tuple[dict | None, str]:
    """Gate 01: the locked reference ran before the first check of its kernel session."""
    for record in records:
        if record["event"] == "reference" and record["payload"].get("before_launch") is True:
            return record, "the locked reference ran first"
    return None, "run the reference on the sample inputs before your first check"


def parity(lesson: Lesson, records: list[dict]) -> tuple[dict | None, str]:
    """Gate 06: every public check passed, for one and the same answer, on a GPU (a CPU lesson: on the CPU)."""
    wanted = "cpu" if lesson.kind == "cpu" else "cuda"
    states: dict[tuple[str, str], dict[str, str]] = {}
    elsewhere = False
    proof: dict | None = None
    for record in records:
        if record["event"] != "parity" or not record["source"]:
            continue
        group = states.setdefault((record["device"], record["source"]), {})
        public = [str(name) for name in _list(record["payload"].get("public"))]
        for check in _list(record["payload"].get("checks")):
            if isinstance(check, dict) and check.get("device", record["device"]) == record["device"]:
                group[str(check.get("check"))] = str(check.get("state"))
        if public and all(group.get(name) == "passed" for name in public):
            if record["device"] == wanted:
                proof = record
            elsewhere = True
    if proof is not None:
        return proof, "every public check passed on " + ("the CPU" if wanted == "cpu" else "a GPU")
    if elsewhere and wanted == "cuda":
        return None, "every public check passed on the interpreter; open until they pass on a GPU"
    return None, "not every public check has passed for one answer yet"


def bench(lesson: Lesson, records: list[dict]) -> tuple[dict | None, str]:
    """Gate 07: a benchmark of the learner's answer on a GPU, with the samples it was read from."""
    elsewhere = False
    for record in reversed(records):
        if record["event"] != "benchmark" or not record["source"]:
            continue
        for case in _list(record["payload"].get("cases")):
            samples = case.get("samples") if isinstance(case, dict) else None
            if isinstance(samples, dict) and any(_list(times) for times in samples.values()):
                if record["device"] == "cuda":
                    return record, "benchmarked on a GPU, every sample kept"
                elsewhere = True
    if elsewhere:
        return None, "a benchmark without a GPU proves nothing; open until one is run on a GPU"
    return None, "run the benchmark cell on a GPU, or python -m learning.workshops.benchmark"


def _list(value: object) -> list:
    return value if isinstance(value, list) else []


PROOFS: dict[str, Callable[[Lesson, list[dict]], tuple[dict | None, str]]] = {
    "reference": reference,
    "grid": predicted.grid,
    "tile": predicted.tile,
    "masks": predicted.masks,
    "parity": parity,
    "bench": bench,
    "bound": predicted.bound,
    "compare": predicted.causes,
}
