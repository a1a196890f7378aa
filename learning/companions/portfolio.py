"""The portfolio: a page made of the learner's records, kernel by kernel; what is claimed and what is proved stay apart.

Standard library only.
"""

from __future__ import annotations

import datetime
import os
from pathlib import Path
from typing import Any

from learning import course
from learning.companions import CompanionError, kept, worksheet
from learning.companions.kept import Kept
from learning.files import replace
from learning.gates import blank_record, log_record, scoring
from learning.gates.comparison import verdict
from learning.gates.measured import mapping, number, sequence
from learning.sheet import Sheet, cell, table

MARK = "<!-- made by learning.companions.portfolio -->"
FILE = "portfolio.md"
HEAD = (
    "Made from my own records. A gate counts as proved where a record of what was run proves it; the records' chain of hashes shows "
    "edits, it does not prove honesty."
)


def portfolio() -> Sheet:
    """Every lesson with evidence: gates, parity and where it passed, measured times, predictions, explanation, worksheets."""
    found = [one for one in kept.lessons() if one.records]
    if not found:
        return Sheet("Nothing is recorded yet: the page fills as you work through the lessons.")
    return Sheet("# Portfolio", HEAD, _summary(found), *[part for one in found for part in _lesson(one)])


def save(path: str | os.PathLike | None = None) -> Sheet:
    """Write the page to ``portfolio.md`` in the learner's work (or to ``path``), in place of an earlier portfolio.

    Raises ``CompanionError`` where a file stands there that this page did not make, or it cannot be written.
    """
    target = Path(path).expanduser() if path is not None else course.workspace() / FILE
    if target.exists() and MARK not in target.read_text(encoding="utf-8", errors="replace")[:200]:
        raise CompanionError(f"{target} is not a portfolio that was made here, and is left as it is: name another file")
    today = datetime.date.today().isoformat()
    text = f"{MARK}\n\n{portfolio().markdown}\n\nMade on {today}.\n"
    try:
        replace(target, text)
    except OSError as error:
        raise CompanionError(f"{target} cannot be written ({error.strerror})") from None
    return Sheet(f"Written to {cell(target)}.")


def _summary(found: list[Kept]) -> str:
    rows = [
        [f"{one.card.id} {cell(one.card.title)}", str(one.state).removeprefix("progress "), _where(one)]
        for one in found
    ]
    return table(("kernel", "gates", "parity"), rows)


def _where(one: Kept) -> str:
    gate = next((gate for gate in one.state.gates if gate.id == "parity"), None)
    if gate is None or not gate.proved:
        return cell(gate.why) if gate else ""
    return f"passed {cell(blank_record.where(gate.record))}, {cell(gate.record['time'][:10])}"


def _lesson(one: Kept) -> list[str]:
    parts = [f"## {one.card.id} {cell(one.card.title)}", cell(one.card.sentence)]
    proved = ", ".join(f"{gate.number:02} {cell(gate.name)}" for gate in one.state.gates if gate.proved)
    claimed = ", ".join(
        f"{gate.number:02} {cell(gate.name)}" for gate in one.state.gates if gate.claimed and not gate.proved
    )
    parts.append(f"Proved: {proved or 'none'}." + (f" Claimed, not proved: {claimed}." if claimed else ""))
    if rows := _times(one):
        parts += ["Measured:", table(("case", "card", "mine", "beside"), rows)]
    comparison = scoring.compare(one.card.slug, one.records)
    if comparison.state != "none":
        parts.append(f"Predictions: {cell(verdict(comparison))}")
        missed = [row for row in comparison.rows if row.missed and row.cause]
        parts.append("\n".join(f"- {cell(f'{row.field} {row.key}'.strip())}: {cell(row.cause)}" for row in missed))
    passed = [page for page in blank_record.pages(one.records, one.card.slug) if page.state == blank_record.PASSED]
    if passed:
        parts.append(
            "From memory: " + "; ".join(f"{cell(page.variation)}, {cell(page.where)}" for page in passed) + "."
        )
    if numbers := _logged(one):
        parts.append(f"In my log: {numbers}.")
    surprises = [str(entry.get("surprise", "")) for entry in log_record.entries(one.records, one.card.slug)]
    if any(surprises):
        parts += ["What surprised me:", "\n".join(f"- {cell(words)}" for words in surprises if words)]
    if words := explanation(one):
        parts += ["In my own words:", "\n".join(f"> {line}" for line in words.splitlines())]
    for sheet in worksheet.experiments(one.records, one.card.slug):
        parts += worksheet.page(one, sheet)
    return parts


def _times(one: Kept) -> list[list[str]]:
    """The newest benchmark of each case on a GPU: medians of the answer and of what it was timed beside."""
    newest: dict[str, list[str]] = {}
    for record in one.records:
        if record["event"] != "benchmark" or record["device"] != "cuda":
            continue
        for case in sequence(record["payload"].get("cases")):
            if isinstance(case, dict):
                peers = case.get("peers") if isinstance(case.get("peers"), dict) else {}
                beside = ", ".join(f"{cell(name)} {_median(held)}" for name, held in peers.items())
                newest[str(case.get("case"))] = [
                    cell(case.get("case")),
                    cell(case.get("card") or "GPU"),
                    _median(case),
                    beside,
                ]
    return list(newest.values())


def _logged(one: Kept) -> str:
    """The numbers of the log's entry that proves gate 12, each with where it stands; "" where that gate is open."""
    gate = next((gate for gate in one.state.gates if gate.id == "log" and gate.proved), None)
    if gate is None:
        return ""
    told = []
    for held in filter(None, map(mapping, gate.record["payload"]["numbers"])):
        unit = f" {held['unit']}" if held.get("unit") not in (None, "", "of 1") else ""
        name = str(held["name"]).replace("_", " ")
        told.append(cell(f"{name} {held['said']:.6g}{unit} ({held.get('where', '')})"))
    return ", ".join(told)


def _median(case: Any) -> str:
    times = case.get("microseconds") if isinstance(case, dict) else None
    if not isinstance(times, dict) or not times:
        return "not timed"
    name = next((mode for mode in ("graph", "events", "cold") if mode in times), next(iter(times)))
    return f"{times[name]:.4g} µs ({cell(name)})" if number(times[name]) else "not timed"


def explanation(one: Kept) -> str:
    """What the learner wrote in the explanation cell of their notebook, without the question; "" where it is untouched."""
    try:
        mine, released = course.load(one.folder / f"{one.card.slug}.ipynb"), course.load(course.release(one.card.slug))
    except (OSError, course.NotebookError):
        return ""
    asked = {
        line.strip()
        for cell_ in released["cells"]
        if course.role(cell_) == "explain"
        for line in course.text(cell_).splitlines()
    }
    written = [
        line for cell_ in mine["cells"] if course.role(cell_) == "explain" for line in course.text(cell_).splitlines()
    ]
    return "\n".join(line.rstrip() for line in written if line.strip() and line.strip() not in asked)
