"""The log in the records: what an entry said, whether the records hold it, gate 12. Standard library only.

A ``log`` record's payload holds ``numbers``, a list of {"name", "said", "held", "where", "unit", "event", "record"}, where
``record`` is the hash of the record that held the number; ``surprise`` in the learner's words; ``text``, the entry as it
stands in ``logs.txt``; and ``missed``, what of the prediction missed, with its cause.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from learning.gates import measured
from learning.gates.gate import Found
from learning.gates.log_numbers import Held, held
from learning.lesson import Lesson

WORDS = 4
"""A surprise in words has at least so many."""


def entries(records: Iterable[dict], slug: str = "") -> list[dict]:
    """The payloads of the log's entries, oldest first, of one lesson or of all."""
    return [
        record["payload"]
        for record in records
        if record.get("event") == "log"
        and slug in ("", record.get("lesson"))
        and isinstance(record.get("payload"), dict)
    ]


def proof(lesson: Lesson, records: list[dict]) -> Found:
    """Gate 12: an entry whose every number is still held by a record, and a surprise in words."""
    known = held(lesson.slug, records)
    why = 'write the entry: log(time=…, surprise="…")'
    for record in reversed(records):
        if record["event"] != "log":
            continue
        lacking = complaint(record["payload"], known)
        if not lacking:
            numbers = [number for number in record["payload"]["numbers"] if isinstance(number, dict)]
            told = ", ".join(dict.fromkeys(str(number["name"]) for number in numbers))
            return Found(record, f"logged with {told}, and what surprised you")
        why = lacking
    return Found(None, why)


def complaint(payload: dict, known: list[Held]) -> str:
    """What keeps an entry from counting, given the numbers that records hold now; "" where nothing does."""
    numbers = payload.get("numbers") if isinstance(payload.get("numbers"), list) else []
    numbers = [number for number in numbers if isinstance(number, dict)]
    if not numbers:
        return "the entry holds no number"
    for number in numbers:
        if not any(
            one.name == number.get("name") and one.record == number.get("record") and _says(one, number)
            for one in known
        ):
            return f"the record behind {number.get('name')} {number.get('said')} is gone, so the entry no longer counts"
    return "" if in_words(payload.get("surprise")) else "the entry names no surprise in words"


def in_words(surprise: Any) -> bool:
    """Whether it is a text of some words, not a mark or a single one."""
    return isinstance(surprise, str) and len(re.findall(r"[^\W\d_]{2,}", surprise)) >= WORDS


def _says(one: Held, number: dict) -> bool:
    said = number.get("said")
    return measured.number(said) and one.says(float(said))
