"""Parity in the records: whole passes of one answer, and when the lesson's blank page is due. Standard library only."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator

MORNING = datetime.time(5)
NIGHT = datetime.timedelta(hours=8)


def passes(records: Iterable[dict]) -> Iterator[dict]:
    """Each ``parity`` record after which every public check had passed for its answer on its device. Where kernels are interpreted
    a check that waits for a GPU keeps none back, as long as another passed.

    A notebook keeps a record a check, so they add up; one in which a check or a reference had been replaced counts for nothing.
    """
    states: dict[tuple[str, str], dict[str, str]] = {}
    for record in records:
        if record["event"] != "parity" or not record["source"] or record["payload"].get("replaced"):
            continue
        group = states.setdefault((record["device"], record["source"]), {})
        for check in _list(record["payload"].get("checks")):
            if isinstance(check, dict) and check.get("device", record["device"]) == record["device"]:
                group[str(check.get("check"))] = str(check.get("state"))
        public = [str(name) for name in _list(record["payload"].get("public"))]
        done = ("passed", "waiting") if record["device"] == "interpreter" else ("passed",)
        told = [group.get(name) for name in public]
        if "passed" in told and all(state in done for state in told):
            yield record


def replaced(records: Iterable[dict]) -> str:
    """The names of what was replaced when checks last ran that way, "" where that never was."""
    names = ""
    for record in records:
        if record["event"] == "parity" and record["source"] and record["payload"].get("replaced"):
            names = ", ".join(map(str, _list(record["payload"]["replaced"])))
    return names


def morning_after(records: Iterable[dict]) -> datetime.datetime | None:
    """When the blank page of the lesson whose ``records`` these are is due: its answer has passed, and a night lies between, by
    this machine's clock. None where no answer has passed."""
    for record in passes(records):
        try:
            passed = datetime.datetime.fromisoformat(record["time"]).astimezone()
            morning = datetime.datetime.combine(passed.date(), MORNING).astimezone()
            if morning <= passed:
                morning = datetime.datetime.combine(passed.date() + datetime.timedelta(days=1), MORNING).astimezone()
            return max(morning, passed + NIGHT)  # a clock set to another zone than the learner's has its own mornings
        except (ValueError, OverflowError, OSError):  # no time, or one that no calendar holds
            continue
    return None


def _list(value: object) -> list:
    return value if isinstance(value, list) else []
