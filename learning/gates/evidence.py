"""What a check run leaves behind: ``parity`` records, the same from a notebook and from the terminal."""

from __future__ import annotations

import os

from learning.gates import records
from learning.judge.finding import CheckResult
from learning.lesson import Lesson


def brief(result: CheckResult) -> dict:
    """A public check's result as a record keeps it: no seeds, one sentence for the finding."""
    return {
        "check": result.check,
        "state": result.state,
        "earned": result.earned,
        "points": result.points,
        "device": result.device,
        "cases": result.cases,
        "seconds": round(result.seconds, 4),
        "skipped": list(result.skipped),
        "finding": result.finding.sentence() if result.finding else "",
    }


def parity(
    path: str | os.PathLike,
    lesson: Lesson,
    results: list[CheckResult],
    *,
    source: str,
    public: list[str],
    device: str = "",
    card: str = "",
    via: str = "notebook",
    file: str = "",
    replaced: list[str] | tuple[str, ...] = (),
    fixture: bool = False,
) -> dict | None:
    """Append one ``parity`` record for the public ``results`` of one run; None where there is none.

    ``source`` is the answer's fingerprint, ``public`` the names of all public checks of the lesson, ``card`` the
    device's name (NVIDIA T4), ``via`` "notebook" or "check", ``file`` the name of the file that was checked, ``replaced`` what of
    the lesson's own checks and references was not the lesson's own when it ran: such a pass proves nothing. Raises what
    ``records.append`` raises.
    """
    shown = [result for result in results if not result.hidden]
    if not shown:
        return None
    device = device or next((result.device for result in shown if result.device), "")
    payload = {
        "checks": [brief(result) for result in shown],
        "public": list(public),
        "card": card,
        "via": via,
        "file": file,
        "version": lesson.version,
    }
    if replaced:
        payload["replaced"] = sorted(replaced)
    return records.append(path, "parity", lesson.slug, device=device, source=source, payload=payload, fixture=fixture)
