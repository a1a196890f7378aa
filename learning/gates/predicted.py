"""Gates 02, 03, 04, 08 and 09: what was predicted, and what it was compared with. Pure functions of the records.

A wrong prediction proves its gate as a right one does: it was made before the first launch and then measured. Standard
library only.
"""

from __future__ import annotations

from learning.gates import counted
from learning.gates.gate import Found
from learning.gates.rows import TIMED
from learning.gates.scoring import Comparison, compare
from learning.lesson import Lesson


def grid(lesson: Lesson, records: list[dict]) -> Found:
    """Gate 02: the launch grid was predicted, then compared with that of the recorded launch."""
    return _compared(compare(lesson.slug, records), ("grid",))


def tile(lesson: Lesson, records: list[dict]) -> Found:
    """Gate 03: what one program owns and how often each tensor crosses memory, then compared with the trace."""
    return _compared(compare(lesson.slug, records), ("tile", "passes"))


def masks(lesson: Lesson, records: list[dict]) -> Found:
    """Gate 04: lanes that own nothing and what they hold; a CPU lesson has no lanes and predicts its neutral value."""
    return _compared(compare(lesson.slug, records), ("padding",) if lesson.kind == "cpu" else ("masked", "padding"))


def bound(lesson: Lesson, records: list[dict]) -> Found:
    """Gate 08: bound class and launch share, then compared with the measured roofline position and launch share."""
    return _compared(compare(lesson.slug, records), ("bound", "launch_share"))


def causes(lesson: Lesson, records: list[dict]) -> Found:
    """Gate 09: every prediction has a measured partner, each miss a written cause, and of a GPU lesson's kernel the loads
    were counted in its PTX."""
    found = compare(lesson.slug, records)
    if found.record is None:
        return Found(None, _missing(found))
    if not found.rows:
        return Found(None, "not measured yet: every field")
    open_ = sorted({row.field for row in found.rows if row.missed and not row.cause})
    unread = lesson.kind == "gpu" and counted.proof(records) is None
    waiting = [row for row in found.rows if row.points is None]
    if waiting:
        only_a_gpu = not open_ and not unread and all(row.waits == TIMED for row in waiting)
        return Found(None, f"not measured yet: {', '.join(sorted({row.field for row in waiting}))}", only_a_gpu)
    if open_:
        return Found(None, f'each miss needs a cause in words: predictions.because({open_[0]}="…")')
    missed = sum(row.missed for row in found.rows)
    why = f"{len(found.rows)} values compared, {missed} missed and explained"
    if unread:
        return Found(None, f"{why}; still to do: count the loads in your kernel's PTX, reading.count(loads={{…: …}})")
    return Found(found.record, why + ("; the loads counted in the PTX" if lesson.kind == "gpu" else ""))


def _compared(found: Comparison, fields: tuple[str, ...]) -> Found:
    if found.record is None:
        return Found(None, _missing(found))
    absent = [name for name in fields if name not in found.fields]
    if absent:
        return Found(None, f"{' and '.join(absent)} stood in no prediction before the first launch")
    waiting = [row for row in found.rows if row.field in fields and row.points is None]
    if waiting:
        why = f"{waiting[0].field} was predicted and waits for {waiting[0].waits}"
        return Found(None, why, all(row.waits == TIMED for row in waiting))
    missed = sum(row.missed for row in found.rows if row.field in fields)
    outcome = "right" if not missed else f"{missed} missed, which proves it as well: it was made"
    return Found(found.record, f"{' and '.join(fields)} predicted before the first launch, then measured: {outcome}")


def _missing(found: Comparison) -> str:
    if found.state == "late":
        return "the first prediction was locked after the kernel had run"
    return "lock a prediction with predict(…) before the first launch"
