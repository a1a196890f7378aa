"""Blank pages in the records: which were drawn, what became of them, gate 11. Standard library only.

A page leaves ``attempt`` records. Their payload holds ``page`` (1, 2, …), ``variation`` (the entry to write) and ``state``:
"drawn" when it is laid out; "todo", "failed" or "passed" each time it is judged, then with ``checks`` as ``evidence.brief``
keeps them, and ``card``, the device's name.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from learning.lesson import Lesson

DRAWN, TODO, FAILED, PASSED = "drawn", "todo", "failed", "passed"
_WHERE = {"interpreter": "in Triton's interpreter", "cpu": "on the CPU"}


@dataclass(frozen=True)
class Attempted:
    """One blank page and what the records say of it: ``state`` is its best, ``tries`` how often it was judged, ``where`` the
    device of the pass in words ("" without one), ``record`` the one that passed, else the newest."""

    lesson: str
    number: int
    variation: str
    state: str
    tries: int
    where: str
    record: dict


def pages(records: Iterable[dict], slug: str) -> list[Attempted]:
    """The blank pages of lesson ``slug`` by number; records that name no page are left out."""
    kept: dict[int, list[dict]] = {}
    for record in records:
        if record.get("event") == "attempt" and record.get("lesson") == slug and _page(record):
            kept.setdefault(record["payload"]["page"], []).append(record)
    return [_attempted(slug, number, found) for number, found in sorted(kept.items())]


def draw(records: Iterable[dict], slug: str, entries: Sequence[str], chance: random.Random | None = None) -> str:
    """Which of ``entries`` the next page asks for: one of those drawn least often, never the last one again."""
    drawn = [page.variation for page in pages(records, slug)]
    others = [entry for entry in entries if not drawn or entry != drawn[-1]] or list(entries)
    fewest = min(drawn.count(entry) for entry in others)
    return (chance or random.SystemRandom()).choice([entry for entry in others if drawn.count(entry) == fewest])


def proof(lesson: Lesson, records: list[dict]) -> tuple[dict | None, str]:
    """Gate 11: an attempt on a varied contract passed, its own reference first; where it ran is named."""
    found = pages(records, lesson.slug)
    for page in found:
        if page.state == PASSED:
            return page.record, f"blank page {page.number}, {page.variation}, passed {page.where}"
    if not found:
        return None, f'a night after your answer has passed, draw a blank page: blank_page("{lesson.slug}")'
    newest = found[-1]
    if newest.state in (DRAWN, TODO):  # what it asks for stands on the page, for whoever opens it
        return None, f"blank page {newest.number} is still empty"
    return None, f"blank page {newest.number}, {newest.variation}, does not pass yet"


def right(record: dict) -> bool:
    """Whether a record holds a whole pass: an answer, and every check of the page passed."""
    payload = record["payload"]
    checks = payload.get("checks")
    whole = (
        isinstance(checks, list) and checks and all(isinstance(c, dict) and c.get("state") == PASSED for c in checks)
    )
    return bool(record.get("source")) and payload.get("state") == PASSED and bool(whole)


def _attempted(slug: str, number: int, records: list[dict]) -> Attempted:
    judged = [record for record in records if record["payload"].get("state") != DRAWN]
    passed = next((record for record in judged if right(record)), None)
    newest = passed or records[-1]
    state = PASSED if passed else str(newest["payload"].get("state")) if judged else DRAWN
    if not passed and state == PASSED:
        state = FAILED  # a record that says so and does not hold it
    variation = str(newest["payload"].get("variation", ""))
    return Attempted(slug, number, variation, state, len(judged), where(passed) if passed else "", newest)


def where(record: dict) -> str:
    """The device of a record in words: "on NVIDIA T4", "in Triton's interpreter (virtual T4)", "on the CPU"."""
    card, kind = str(record["payload"].get("card", "")), record.get("device", "")
    if kind in _WHERE:
        return _WHERE[kind] + (f" ({card})" if card and kind == "interpreter" else "")
    return f"on {card or 'a GPU'}"


def _page(record: dict) -> Any:
    number = record["payload"].get("page")
    whole = isinstance(number, int) and not isinstance(number, bool) and number > 0
    return whole and isinstance(record["payload"].get("variation"), str)
