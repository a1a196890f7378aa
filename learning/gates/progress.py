"""Which gates are proved: a pure function of the records that exist. Standard library only.

A gate is proved by what ``PROOFS`` finds in the records, and by nothing else; a gate without an entry there is open
until the records that prove it are made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from learning.capstones import STATES
from learning.gates import blank_record, claims, log_record, parity_record, predicted, told, tuning_record, written
from learning.gates.gate import Found, Gate, Progress
from learning.lesson import GATES, Lesson

__all__ = ["PROOFS", "Gate", "Progress", "progress"]


def progress(lesson: Lesson, records: Iterable[dict]) -> Progress:
    """The state of ``lesson``'s gates by ``records`` (of any lessons, in the order they were written)."""
    own = [record for record in records if record.get("lesson") == lesson.slug]
    ticks = claims.newest(lesson.slug, own)
    gates = []
    for number, name in enumerate(GATES, 1):
        words = told.of(lesson, name)._asdict()
        if name not in lesson.gates:
            kind = "CPU lesson" if lesson.kind == "cpu" else "not part of this lesson"
            gates.append(Gate(number, name, False, False, f"does not apply: {kind}", **words))
            continue
        found, tick = _proof(name, lesson, own), ticks.get(name)
        words["how"] = found.how or words["how"]
        gates.append(
            Gate(
                number, name, True, found.record is not None, found.why, found.record, claims.ticked(tick),
                found.record is None and found.waits, str((tick or {}).get("hash", "")), over=found.over, **words,
            )
        )  # fmt: skip
    return Progress(tuple(gates))


def _proof(name: str, lesson: Lesson, records: list[dict]) -> Found:
    """What the gate's proof finds. A record that a proof cannot read opens its gate and hides no other."""
    if name not in PROOFS:
        return Found(None, "no record proves it yet")
    try:
        return Found(*PROOFS[name](lesson, records))
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
        return Found(None, f"{UNREADABLE}: {type(error).__name__}")


UNREADABLE = "a record that concerns this gate cannot be read by this version of the course"


def reference(lesson: Lesson, records: list[dict]) -> Found:
    """Gate 01: the locked reference ran before the first check of its kernel session; in a capstone, the learner's own
    reference agreed with the oracle."""
    if lesson.level == "capstone":
        return _own_reference(records)
    for record in records:
        if record["event"] == "reference" and record["payload"].get("before_launch") is True:
            return Found(record, "the locked reference ran first")
    return Found(None, "in the notebook, run the cell with the reference before the first check of that sitting")


def _own_reference(records: list[dict]) -> Found:
    for record in records:
        told = _list(record["payload"].get("checks")) if record["event"] == "parity" else []
        if any(isinstance(one, dict) and (one.get("check"), one.get("state")) == (STATES, "passed") for one in told):
            return Found(record, "your own reference agreed with the oracle")
    return Found(None, f"write the reference; the check {STATES} compares it with the oracle")


def parity(lesson: Lesson, records: list[dict]) -> Found:
    """Gate 06: every public check passed, for one and the same answer, on a GPU (a CPU lesson: on the CPU). A pass where
    kernels are interpreted leaves nothing to do but the GPU."""
    wanted = "cpu" if lesson.kind == "cpu" else "cuda"
    passed = list(parity_record.passes(records))
    proof = next((record for record in reversed(passed) if record["device"] == wanted), None)
    replaced = parity_record.replaced(records)
    if proof is not None:
        made = proof["payload"].get("version", lesson.version)
        of = "" if made == lesson.version else f" of version {made} of the lesson; this is version {lesson.version}"
        return Found(proof, "every public check passed on " + ("the CPU" if wanted == "cpu" else "a GPU") + of)
    if passed and wanted == "cuda":
        return Found(None, "every public check passed on the interpreter; open until they pass on a GPU", True)
    if replaced:
        return Found(
            None,
            f"a pass does not count where {replaced} is not as the lesson has it: run that cell as it was released, or "
            f"python -m learning.workshops.check {lesson.slug}",
        )
    return Found(None, "not every public check has passed for one answer yet")


def bench(lesson: Lesson, records: list[dict]) -> Found:
    """Gate 07: a benchmark of the learner's answer on a GPU, with the samples it was read from."""
    elsewhere = False
    for record in reversed(records):
        if record["event"] != "benchmark" or not record["source"]:
            continue
        for case in _list(record["payload"].get("cases")):
            samples = case.get("samples") if isinstance(case, dict) else None
            if isinstance(samples, dict) and any(_list(times) for times in samples.values()):
                if record["device"] == "cuda":
                    return Found(record, "benchmarked on a GPU, every sample kept")
                elsewhere = True
    waits = parity(lesson, records).waits
    if elsewhere:
        return Found(None, "a benchmark without a GPU proves nothing; open until one is run on a GPU", waits)
    return Found(None, "run the benchmark cell on a GPU, or python -m learning.workshops.benchmark", waits)


def bound(lesson: Lesson, records: list[dict]) -> Found:
    """Gate 08. It waits for a GPU where the answer has passed without one and a benchmark is all that is lacking."""
    found = predicted.bound(lesson, records)
    return found._replace(waits=found.waits and parity(lesson, records).waits)


def compare(lesson: Lesson, records: list[dict]) -> Found:
    """Gate 09, likewise."""
    found = predicted.causes(lesson, records)
    return found._replace(waits=found.waits and parity(lesson, records).waits)


def _list(value: object) -> list:
    return value if isinstance(value, list) else []


PROOFS: dict[str, Callable[[Lesson, list[dict]], tuple]] = {
    "reference": reference,
    "grid": predicted.grid,
    "tile": predicted.tile,
    "masks": predicted.masks,
    "kernel": written.kernel,
    "parity": parity,
    "bench": bench,
    "bound": bound,
    "compare": compare,
    "autotune": tuning_record.proof,
    "blank_page": blank_record.proof,
    "log": log_record.proof,
}
"""Gate id to its proof: ``(lesson, its records in order) -> Found``, or a plain ``(record or None, why)``."""
