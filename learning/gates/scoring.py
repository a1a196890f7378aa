"""Prediction against measurement: a pure function of the records that exist. Standard library only.

The prediction is the lesson's first ``prediction`` record, provided no launch of the learner's kernel comes before it; what
is locked later is a revision, shown and unscored. Its partners are taken from the newest ``launch`` record with a trace, the
newest ``compile`` and ``benchmark`` records. Grading the records again anywhere gives the same score.

A ``benchmark`` record's payload holds ``cases``: a list of {"case": label, "microseconds": {"graph": t, "events": t}} with
medians, and where the roofline is to be read ``bytes``, ``flops``, ``tensor_cores`` and ``card``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from learning.gates.fields import FIELDS
from learning.gates.measured import Partners, mapping
from learning.gates.rows import Row, rows_of


@dataclass(frozen=True)
class Comparison:
    """A lesson's prediction and what became of it.

    ``state`` is "scored", "waiting" (nothing measured yet), "late" (locked after the first launch) or "none"; ``points`` the
    mean over fields that have a partner, None where none has; ``revisions`` counts later locks; ``case`` what the prediction
    was stated for; ``record`` the prediction's record.
    """

    state: str
    rows: tuple[Row, ...] = ()
    points: float | None = None
    revisions: int = 0
    case: str = ""
    record: dict | None = field(default=None, repr=False)
    revised: dict = field(default_factory=dict)

    @property
    def fields(self) -> set[str]:
        """Names of the fields that were predicted."""
        return {row.field for row in self.rows}

    @property
    def answered(self) -> set[str]:
        """Fields all of whose values have a partner."""
        return self.fields - {row.field for row in self.rows if row.points is None}


def launched(record: dict) -> bool:
    """Whether a record shows that the learner's own kernel has run: a launch, or a check that passed."""
    if record["event"] == "launch":
        return True
    checks = record["payload"].get("checks") if record["event"] == "parity" else None
    return isinstance(checks, list) and any(isinstance(c, dict) and c.get("state") == "passed" for c in checks)


def predictions(records: Iterable[dict]) -> tuple[dict | None, list[dict]]:
    """(the prediction that counts or None, later locks in order) of one lesson's records."""
    first, later, ran = None, [], False
    for record in records:
        ran = ran or launched(record)
        if record["event"] != "prediction" or not mapping(record["payload"].get("fields")):
            continue
        if first is None and not ran and not later:
            first = record
        else:
            later.append(record)
    return first, later


def causes(records: Iterable[dict]) -> dict[str, str]:
    """Written causes by field; the newest of each counts."""
    found: dict[str, str] = {}
    for record in records:
        if record["event"] == "prediction":
            found |= {
                str(name): str(text)
                for name, text in mapping(record["payload"].get("causes")).items()
                if str(text).strip()
            }
    return found


def compare(lesson: str, records: Iterable[dict]) -> Comparison:
    """The prediction of ``lesson`` (a slug) beside what was measured, by the records alone."""
    own = [record for record in records if record.get("lesson") == lesson]
    record, later = predictions(own)
    if record is None:
        newest = later[-1] if later else None
        revised = _fields(newest) if newest else {}
        return Comparison("late" if later else "none", revisions=len(later), revised=revised)
    partners, written = Partners(own[own.index(record) :]), causes(own)
    rows: list[Row] = []
    said = _fields(record)
    for name, value in sorted(said.items(), key=lambda item: list(FIELDS).index(item[0]) if item[0] in FIELDS else 99):
        try:
            rows += [_with_cause(row, written) for row in rows_of(name, value, partners)]
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            rows.append(Row(name, "", str(value), waits="this record cannot be read: lock a prediction again"))
    by_field: dict[str, list[float]] = {}
    for row in rows:
        if row.points is not None:
            by_field.setdefault(row.field, []).append(row.points)
    points = sum(sum(v) / len(v) for v in by_field.values()) / len(by_field) if by_field else None
    return Comparison(
        "waiting" if points is None else "scored", tuple(rows), points, len(later),
        str(record["payload"].get("case", "")), record, _fields(later[-1]) if later else {},
    )  # fmt: skip


def _with_cause(row: Row, written: dict[str, str]) -> Row:
    cause = written.get(f"{row.field}.{row.key}") or written.get(row.field, "")
    return replace(row, cause=cause) if cause else row


def _fields(record: dict) -> dict:
    return mapping(record["payload"].get("fields"))
