"""Gate 05: the answer was run on the lesson's small case, and source and trace keep the gate's rules.

``rules`` is made with the comparison's run and kept in its ``launch`` record; ``kernel`` reads records alone. Standard
library only.
"""

from __future__ import annotations

from typing import Any

from learning.gates import source
from learning.gates.gate import Found
from learning.gates.measured import mapping
from learning.judge import rules as house
from learning.lesson import Lesson

MOST = 8
"""Sentences that a record keeps."""


def rules(lesson: Lesson, answer: str, found: dict) -> dict[str, Any]:
    """What a ``launch`` record says of gate 05: {"broken": sentences}, none where every rule is kept.

    ``answer`` is the module that ran, ``found`` what ``learning.lens.rehearsal.run`` said of it. A kernel: no stride written
    as a number, every store in the output's element type (both from the source), no partial sums below float32 (from the
    same case in float16), nothing that the trace found. Without a kernel: the house rules.
    """
    broken = [f"the trace found: {problem}" for problem in found["problems"]]
    if lesson.kind == "cpu":
        for entry in lesson.entries:
            kept = house.broken([("answer", answer)], entry, imports=lesson.imports, kernel=False)
            broken += [f"{entry}: {item.got}; the rule: {item.rule}" for item in kept]
    else:
        broken += source.faults(answer)
        broken += found["narrow"]
    return {"broken": list(dict.fromkeys(broken))[:MOST]}


def kernel(lesson: Lesson, records: list[dict]) -> Found:
    """Gate 05: a run of the small case whose record says that no rule was broken; any such run counts."""
    told = "your functions run" if lesson.kind == "cpu" else "your kernel runs"
    why = f"run predictions.compare() once {told}: it reads the rules of this gate"
    newest = ""
    for record in reversed(records):
        if record["event"] != "launch" or not record["source"]:
            continue
        broken = mapping(record["payload"].get("rules")).get("broken")
        if not isinstance(broken, list):
            continue
        if not broken:
            return Found(record, "it runs on the small case, and source and trace keep the rules")
        newest = newest or str(broken[0])
    return Found(None, newest or why)
