"""``check --target t4``: what the compiler made of an answer, for a card that need not be here. Standard library only."""

from __future__ import annotations

from typing import Any

from learning import course
from learning.gates import predictions, records
from learning.gates.fingerprint import fingerprint
from learning.lens import facts, rehearsal
from learning.lens.cards import TARGETS
from learning.lesson import Lesson


def report(lesson: Lesson, sources: list[tuple[str, str]], notebook: dict, target: str, log: Any = None) -> list[str]:
    """Lines about every kernel the answer in ``sources`` launches on the lesson's small case, compiled for ``target``:
    registers, spills, shared memory, occupancy, widths, what multiplies; or in a sentence why there are none.

    The case runs in a process of its own, on the CPU. Figures for the course's own card are kept as a ``compile`` record in
    ``log``, where one is given.
    """
    if lesson.kind == "cpu":
        return [f"--target {target} changes nothing: a CPU lesson launches no kernel"]
    setups = [("setup", course.text(cell)) for cell in notebook["cells"] if course.role(cell) == "setup"]
    source = predictions.module(setups + sources, lesson.entries)
    if not source:
        return [f"not compiled for {target}: {' and '.join(lesson.entries)} is not defined"]
    try:
        found = rehearsal.run(lesson.folder, source, lesson.entries, target=target)
    except rehearsal.RehearsalFailed as reason:
        return [f"not compiled for {target}: {reason}"]
    if not found["compiled"]:
        return [f"not compiled for {target}: this machine's Triton cannot compile"]
    kept = ""
    if log is not None and TARGETS[target] == TARGETS[rehearsal.TARGET]:
        try:
            records.append(
                log, "compile", lesson.slug, device=found["device"], source=fingerprint(sources, lesson.entries),
                payload={"case": found["case"], "kernels": found["compiled"]},
            )  # fmt: skip
        except (OSError, records.RecordError) as error:
            kept = f"The figures were not saved: {getattr(error, 'strerror', None) or error}"
    lines = [f"compiled for {target}, without running there: {found['case']}"]
    for made in found["compiled"]:
        lines += ["  " + line for line in str(facts.table(made)).splitlines()]
    return [*lines, *([kept] if kept else [])]
