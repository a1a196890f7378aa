"""A comparison as text, Markdown and HTML: prediction, measurement, gap, points, and why such a miss usually happens.

Standard library only.
"""

from __future__ import annotations

import html
from typing import Any

from learning import tables
from learning.gates.scoring import Comparison, Row
from learning.sheet import cell as inline
from learning.unseen import spelt_out

HEADS = ("field", "predicted", "measured", "gap", "points")


class Shown:
    """What a cell shows: ``text`` in a terminal, ``markdown`` on a page, HTML in a notebook; what no terminal should obey is
    spelt out in each (``learning.unseen.spelt_out``)."""

    def __init__(self, text: str, markdown: str = "", markup: str = ""):
        self.text, self.markdown = spelt_out(text), spelt_out(markdown or text)
        self._markup = spelt_out(markup) or f"<p>{html.escape(self.text)}</p>"

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self._markup

    def _repr_markdown_(self) -> str:
        return self.markdown


def page(found: Comparison, lesson: Any, notes: list[str]) -> Shown:
    """The report of ``found``; ``lesson`` the card or None, ``notes`` sentences to put below."""
    title = f"{lesson.id} {lesson.title}: prediction and measurement" if lesson is not None else "Prediction"
    head = [title, *([f"stated for: {found.case}"] if found.case else []), verdict(found)]
    rows = [cells(row) for row in found.rows]
    why = remarks(found)
    tail = why + ([revisions(found)] if found.revisions else []) + notes
    return Shown(_text(head, rows, tail), _markdown(head, rows, tail), _html(head, rows, tail))


def verdict(found: Comparison) -> str:
    """The outcome in a sentence."""
    if found.state == "none":
        return "Nothing was predicted, so there is nothing to compare."
    if found.state == "late":
        return "The kernel ran before anything was locked: what was locked later is a revision, and is not scored."
    if found.points is None:
        return "Locked; nothing to compare it with has been measured yet."
    waiting = len(found.fields) - len(found.answered)
    text = f"{found.points:.0%} over {len(found.answered)} of {len(found.fields)} fields"
    measured = [row for row in found.rows if row.points is not None]
    misses = sum(row.missed for row in measured)
    text += ": no measured value missed." if not misses else f": {misses} of {len(measured)} measured values missed."
    unmeasured = len(found.rows) - len(measured)
    values = f"{unmeasured} value{'s' * (unmeasured != 1)} of {waiting} field{'s' * (waiting != 1)}"
    return text + (f" Still to be measured: {values}." if waiting else "")


def cells(row: Row) -> tuple[str, ...]:
    """A row of the table, in words."""
    name = f"{row.field} {row.key}".strip()
    if row.points is None:
        return name, row.predicted, "waits", f"for {row.waits}", ""
    return name, row.predicted, row.measured, row.gap or "none", f"{row.points:.2f}"


def remarks(found: Comparison) -> list[str]:
    """For every miss its usual reasons, and the cause the learner wrote or that one is asked for."""
    lines = []
    for row in found.rows:
        if not row.missed:
            continue
        name = f"{row.field} {row.key}".strip()
        lines += [f"{name}: {reason}" for reason in row.reasons]
        lines.append(
            f"{name}: your cause: {row.cause}"
            if row.cause
            else f'{name}: write yours: predictions.because({row.field}="…")'
        )
    return lines


def revisions(found: Comparison) -> str:
    """How many later locks there are, and what the newest says."""
    said = "; ".join(f"{name} {value}" for name, value in found.revised.items())
    count = f"{found.revisions} revision" + ("s" if found.revisions > 1 else "")
    return f"{count}, not scored; the newest: {said}"


def _text(head: list[str], rows: list[tuple], tail: list[str]) -> str:
    lines = list(head)
    if rows:
        lines += ["", *tables.text([HEADS, *rows])]
    return "\n".join([*lines, *([""] if tail else []), *tail])


def _markdown(head: list[str], rows: list[tuple], tail: list[str]) -> str:
    lines = [f"**{inline(head[0])}**", "", *(inline(line) + "  " for line in head[1:])]
    if rows:
        lines += ["", f"| {' | '.join(HEADS)} |", "|---" * len(HEADS) + "|"]
        lines += [f"| {' | '.join(map(inline, row))} |" for row in rows]
    return "\n".join([*lines, *([""] if tail else []), *(f"- {inline(line)}" for line in tail)])


def _html(head: list[str], rows: list[tuple], tail: list[str]) -> str:
    parts = [f"<p><strong>{html.escape(head[0])}</strong><br>{'<br>'.join(map(html.escape, head[1:]))}</p>"]
    if rows:
        parts.append(tables.html(rows, HEADS, named=True))
    if tail:
        parts.append("<ul>" + "".join(f"<li>{html.escape(line)}</li>" for line in tail) + "</ul>")
    return "".join(parts)
