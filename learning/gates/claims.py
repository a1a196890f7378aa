"""Ticks by hand: a learner's claim that a gate is done. A claim is shown apart from proof and never becomes one.

A tick is a record of event ``tick`` with payload ``{"gate": id, "ticked": true or false, "number": whose}``; the newest of a gate counts.
Whoever ticks says which tick of that gate they had seen, by its record's hash, and which numbers their own earlier ones had,
so that a tick that a browser kept while no kernel answered cannot undo a newer one of somebody else. Standard library only.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from learning.lesson import GATES, Lesson


@dataclass(frozen=True)
class Answer:
    """What became of a tick: whether it is ``kept`` in the records, and ``why`` not, in words ("" where it is)."""

    kept: bool
    why: str = ""


def newest(lesson: str, records: Iterable[dict]) -> dict[str, dict]:
    """The newest tick of every gate of ``lesson`` (a slug): gate id to record. Ticks of what is no gate are left out."""
    found: dict[str, dict] = {}
    for record in records:
        payload = record.get("payload")
        if record.get("event") != "tick" or record.get("lesson") != lesson or not isinstance(payload, dict):
            continue
        if payload.get("gate") in GATES and isinstance(payload.get("ticked"), bool):
            found[payload["gate"]] = record
    return found


def ticked(record: dict | None) -> bool:
    """Whether the newest tick of a gate, as ``newest`` gives it, sets it."""
    return record is not None and record["payload"]["ticked"]


def tick(session: Any, gate: Any, wanted: Any, seen: Any = None, number: Any = "", mine: Any = ()) -> Answer:
    """Tick ``gate`` (an id) of the open lesson, or untick it; asked twice, it is recorded once.

    ``seen`` is the hash of the gate's newest tick as the asker knew it, "" for none; None says that the asker does not care.
    ``number`` names this tick, ``mine`` are the numbers of the asker's earlier ones, which may have arrived unanswered.
    Never raises: a tick that cannot be kept is answered with the reason.
    """
    lesson: Lesson = session.lesson
    if gate not in lesson.gates or not isinstance(wanted, bool):
        return Answer(False, f"{gate!r} is no gate of this lesson")
    if session.log is None:
        return Answer(False, session.why)
    last = newest(lesson.slug, session.evidence()).get(gate)
    if ticked(last) == wanted:
        return Answer(True)
    own = last is not None and isinstance(mine, (list, tuple)) and last["payload"].get("number", "") in mine
    if seen is not None and not own and seen != (last or {}).get("hash", ""):
        return Answer(False, "it was changed elsewhere in the meantime, and the later change stands")
    payload = {"gate": gate, "ticked": wanted} | ({"number": number[:64]} if number and isinstance(number, str) else {})
    kept = session.note("tick", payload)
    return Answer(kept, "" if kept else session.why)
