"""The worksheet: an experiment written down before it is timed, and concluded from the times.

    plan(lesson="gemv", hypothesis="…", variable="…", baseline="…", rounding="…", timing="graph")
    ...                                                # measure: the lesson's benchmark cell, or the command
    conclude(lesson="gemv", conclusion="…", cannot="…", next="…")

Both leave a ``worksheet`` record in the lesson's progress. Payload: ``sheet`` (1, 2, …), ``stage`` "planned" or "concluded",
``fields`` as written, and of a conclusion ``samples`` (label → numbers), ``benchmarks`` (hashes of the records they are from)
and ``unit``. A record's ``source`` is the answer's fingerprint. Standard library only at module level.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from learning import course, host
from learning.companions import CompanionError, kept
from learning.companions.kept import Kept
from learning.gates import records
from learning.gates.measured import mapping, number, sequence
from learning.sheet import Sheet, cell, table

EVENT, PLANNED, CONCLUDED = "worksheet", "planned", "concluded"
TIMINGS = ("graph", "events", "do_bench")
PLAN = {
    "hypothesis": "what will happen, by how much, and why; said before any timing, with a number in it",
    "variable": "the one thing that differs between the two sides",
    "baseline": "what it is compared with",
    "rounding": "how the baseline rounds, and where",
    "timing": "graph (replays, no launch cost), events (calls from Python) or do_bench (cold cache)",
}
END = {
    "conclusion": "what the times say of the hypothesis",
    "cannot": "what cannot be concluded from them",
    "next": "the next experiment",
}
_MOST = 100_000


class WorksheetError(CompanionError):
    """A worksheet cannot be kept as it is; the message names the field and what it wants."""


@dataclass(frozen=True)
class Experiment:
    """Worksheet ``number`` of a lesson: its ``planned`` record, and its ``concluded`` one or None."""

    lesson: str
    number: int
    planned: dict
    concluded: dict | None = None


def plan(
    lesson: str,
    *,
    hypothesis: Any = ...,
    variable: Any = ...,
    baseline: Any = ...,
    rounding: Any = ...,
    timing: Any = ...,
) -> Sheet:
    """Lock what you expect of an experiment with a lesson's kernel, before it is timed.

    ``lesson`` is a slug or id. A field left as ``...`` is not said yet: then nothing is kept, and the fields that wait are
    named. Raises ``WorksheetError`` for a field that says too little, ``UnknownLesson`` for a name that is none.
    """
    one = kept.one(lesson)
    said = {
        "hypothesis": hypothesis,
        "variable": variable,
        "baseline": baseline,
        "rounding": rounding,
        "timing": timing,
    }
    if waiting := _waiting(said):
        return _unsaid(waiting, PLAN)
    fields = {name: _words(name, said[name]) for name in PLAN if name != "timing"}
    if not re.search(r"\d", fields["hypothesis"]):
        raise WorksheetError("hypothesis: name a number it can fail by, such as how many times faster or how many µs")
    if timing not in TIMINGS:
        raise WorksheetError(f"timing: {timing!r} is not one of {', '.join(TIMINGS)}")
    number = len(experiments(one.records, one.card.slug)) + 1
    payload = {"sheet": number, "stage": PLANNED, "fields": fields | {"timing": timing}}
    _append(one, payload, _source(one))
    return Sheet(
        f"Kept: worksheet {number} of {one.link}. Now measure; then conclude it.",
        f"What is benchmarked from here on belongs to it: the lesson's benchmark cell, or `python -m learning.workshops.benchmark "
        f"--op {one.card.slug}`." if one.card.kind == "gpu" else "Type the times in: samples={\"mine\": […], \"baseline\": […]}.",
    )  # fmt: skip


def conclude(
    lesson: str,
    *,
    conclusion: Any = ...,
    cannot: Any = ...,
    next: Any = ...,
    samples: Mapping[str, Sequence[float]] | None = None,
    unit: str = "µs",
) -> Sheet:
    """Conclude the newest open worksheet of a lesson, from the benchmarks recorded since it was planned.

    ``samples`` are times you took yourself, {label: numbers} in ``unit``, where the course recorded none. Raises
    ``WorksheetError`` where nothing was planned or nothing was measured since.
    """
    one = kept.one(lesson)
    said = {"conclusion": conclusion, "cannot": cannot, "next": next}
    if waiting := _waiting(said):
        return _unsaid(waiting, END)
    open_ones = [found for found in experiments(one.records, one.card.slug) if found.concluded is None]
    if not open_ones:
        raise WorksheetError(f"no worksheet of {one.card.slug} is open: plan one first, before you measure")
    sheet = open_ones[-1]
    fields = {name: _words(name, said[name]) for name in END}
    times, hashes, source = _measured(one, sheet) if samples is None else (_typed(samples), [], _source(one))
    payload = {
        "sheet": sheet.number, "stage": CONCLUDED, "fields": fields, "samples": times, "benchmarks": hashes, "unit": str(unit)[:16],
    }  # fmt: skip
    _append(one, payload, source)
    return show(one.card.slug, sheet.number)


def show(lesson: str | None = None, number: int | None = None) -> Sheet:
    """Worksheets as they were written: of every lesson, of one, or one by its number."""
    found = [kept.one(lesson)] if lesson is not None else kept.lessons()
    parts = []
    for one in found:
        for sheet in experiments(one.records, one.card.slug):
            if number in (None, sheet.number):
                parts += page(one, sheet)
    return Sheet(*parts) if parts else Sheet("No worksheet is planned yet.")


def experiments(found: list[dict], slug: str) -> list[Experiment]:
    """The worksheets of a lesson by number, out of its records; records that hold none are left out."""
    made: dict[int, Experiment] = {}
    for record in found:
        payload = record["payload"]
        number = payload.get("sheet")
        whole = isinstance(number, int) and not isinstance(number, bool) and isinstance(payload.get("fields"), dict)
        if record["event"] != EVENT or record["lesson"] != slug or not whole:
            continue
        if payload.get("stage") == PLANNED and number not in made:
            made[number] = Experiment(slug, number, record)
        elif payload.get("stage") == CONCLUDED and number in made and made[number].concluded is None:
            made[number] = Experiment(slug, number, made[number].planned, record)
    return [made[number] for number in sorted(made)]


def page(one: Kept, sheet: Experiment) -> list[str]:
    """One worksheet as parts of a page."""
    planned = sheet.planned["payload"]["fields"]
    rows = [
        ["planned", cell(sheet.planned["time"][:16].replace("T", " "))],
        ["source", cell(sheet.planned["source"][:12]) or "not written yet"],
    ]
    rows += [[name, cell(planned.get(name, ""))] for name in PLAN]
    if sheet.concluded is None:
        rows.append(["", "not concluded yet"])
    else:
        payload = sheet.concluded["payload"]
        rows.append(["concluded", cell(sheet.concluded["time"][:16].replace("T", " "))])
        rows.append(["source measured", cell(sheet.concluded["source"][:12]) or "unknown"])
        typed = "" if sequence(payload.get("benchmarks")) else " (typed in by hand)"
        if not {str(one) for one in sequence(payload.get("benchmarks"))} <= {record["hash"] for record in one.records}:
            rows.append(["samples", "the benchmark they were read from is no longer among the records"])
        rows += [
            [f"samples{typed}: {cell(name)}", _summary(times, payload.get("unit", ""))]
            for name, times in _pairs(payload)
        ]
        rows += [[name, cell(payload["fields"].get(name, ""))] for name in END]
    return [f"### {one.card.id} {cell(one.card.title)}, worksheet {sheet.number}", table(("", ""), rows)]


def _pairs(payload: dict) -> list[tuple[str, list]]:
    samples = payload.get("samples")
    return (
        [(str(name), times) for name, times in samples.items() if isinstance(times, list)]
        if isinstance(samples, dict)
        else []
    )


def _summary(times: list, unit: str) -> str:
    whole = [float(t) for t in times if number(t)]
    if not whole:
        return "none"
    spread = f", {min(whole):.4g} to {max(whole):.4g}" if len(whole) > 1 else ""
    return f"median {statistics.median(whole):.4g} {cell(unit)} of {len(whole)}{spread}"


def _measured(one: Kept, sheet: Experiment) -> tuple[dict[str, list[float]], list[str], str]:
    """Samples of the benchmarks recorded after the plan in its timing mode, their records' hashes, the answer's source."""
    mode = sheet.planned["payload"]["fields"].get("timing")
    wanted = {"graph": ("graph",), "events": ("events", "warm"), "do_bench": ("cold",)}.get(str(mode), ())
    after = one.records[one.records.index(sheet.planned) + 1 :]
    times: dict[str, list[float]] = {}
    hashes, source = [], ""
    for record in after:
        if record["event"] != "benchmark":
            continue
        taken = False
        for case in filter(None, map(mapping, sequence(record["payload"].get("cases")))):
            for label, held in [(str(case.get("case")), case), *_peers(case)]:
                samples = mapping(held.get("samples"))
                found = [t for t in next((sequence(samples.get(n)) for n in wanted if samples.get(n)), []) if number(t)]
                if found:
                    times[label], taken = [float(t) for t in found], True
        if taken:
            hashes.append(record["hash"])
            source = record["source"]
    if not times:
        raise WorksheetError(
            f"nothing was benchmarked in timing mode {mode!r} since the plan: measure first, or give samples={{…}} you took yourself"
        )
    return times, hashes, source


def _peers(case: dict) -> list[tuple[str, dict]]:
    peers = case.get("peers")
    found = peers.items() if isinstance(peers, dict) else []
    return [(f"{case.get('case')}: {name}", held) for name, held in found if isinstance(held, dict)]


def _typed(samples: Any) -> dict[str, list[float]]:
    if not isinstance(samples, Mapping) or not samples:
        raise WorksheetError('samples: give {"mine": [times], "baseline": [times]}')
    made = {}
    for label, times in samples.items():
        whole = isinstance(times, Sequence) and not isinstance(times, str) and 0 < len(times) <= _MOST
        if not whole or any(
            isinstance(t, bool) or not isinstance(t, (int, float)) or not math.isfinite(t) or t < 0 for t in times
        ):
            raise WorksheetError(f"samples: {label!r} is not a list of times, finite and not below 0")
        made[str(label)] = [float(t) for t in times]
    return made


def _waiting(said: dict[str, Any]) -> list[str]:
    return [name for name, value in said.items() if value is ...]


def _unsaid(waiting: list[str], what: dict[str, str]) -> Sheet:
    lines = "\n".join(f"- **{name}**: {what[name]}" for name in waiting)
    return Sheet("Nothing is kept yet. Still to be said, in place of each `...`:", lines)


def _words(name: str, value: Any) -> str:
    if not isinstance(value, str) or len(value.split()) < 2:
        raise WorksheetError(f"{name}: say it in words; {value!r} says too little")
    return value.strip()


def _append(one: Kept, payload: dict, source: str) -> None:
    if host.graded():
        raise WorksheetError("nbgrader runs this notebook, and keeps no progress")
    try:
        records.append(one.folder / records.FILE, EVENT, one.card.slug, source=source, payload=payload)
    except (OSError, records.RecordError) as error:
        raise WorksheetError(f"not kept: {getattr(error, 'strerror', None) or error} ({one.folder})") from None


def _source(one: Kept) -> str:
    """The fingerprint of the answer as it stands in the learner's work, "" where none is written or it cannot be read."""
    from learning.gates.fingerprint import fingerprint
    from learning.workshops import work

    places = work.Places(course.ROOT, one.folder.parent, one.folder)
    try:
        found = work.find(one.card, places, make=False)
        if found is None or work.is_todo(cells := work.read(found, one.card, places), found, one.card, places):
            return ""
    except work.Unavailable:
        return ""
    return fingerprint([(one.name, one.source) for one in cells.cells], one.card.entries)
