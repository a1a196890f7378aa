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
        return _missing(found)
    if not found.rows:
        return Found(None, "not measured yet: every field")
    open_ = sorted({row.field for row in found.rows if row.missed and not row.cause})
    unread = lesson.kind == "gpu" and counted.proof(records) is None
    waiting = [row for row in found.rows if row.points is None]
    if waiting:
        only_a_gpu = not open_ and not unread and all(row.waits == TIMED for row in waiting)
        why = f"not measured yet: {', '.join(sorted({row.field for row in waiting}))}"
        to_do = [f'a cause in words, predictions.because({open_[0]}="…")'] if open_ else []
        to_do += ["the loads in your kernel's PTX, reading.count(loads={…: …})"] if unread else []
        return Found(None, f"{why}; to do now: {' and '.join(to_do)}" if to_do else why, only_a_gpu)
    if open_:
        return Found(None, f'each miss needs a cause in words: predictions.because({open_[0]}="…")')
    missed = sum(row.missed for row in found.rows)
    why = f"{len(found.rows)} values compared, {missed} missed and explained"
    if unread:
        return Found(None, f"{why}; still to do: count the loads in your kernel's PTX, reading.count(loads={{…: …}})")
    return Found(found.record, why + ("; the loads counted in the PTX" if lesson.kind == "gpu" else ""))


def _compared(found: Comparison, fields: tuple[str, ...]) -> Found:
    if found.record is None:
        return _missing(found)
    absent = [name for name in fields if name not in found.fields]
    if absent:
        return Found(
            None, f"missing from the prediction that counts, the first: {', '.join(absent)}", how=OVER, over=True
        )
    waiting = [row for row in found.rows if row.field in fields and row.points is None]
    if waiting:
        why = f"{waiting[0].field} was predicted and waits for {waiting[0].waits}"
        timed = all(row.waits == TIMED for row in waiting)
        return Found(None, why, timed, MEASURE if timed else WRITE)
    missed = sum(row.missed for row in found.rows if row.field in fields)
    outcome = "right" if not missed else f"{missed} missed, which proves it as well: it was made"
    return Found(found.record, f"{' and '.join(fields)} predicted before the first launch, then measured: {outcome}")


def _missing(found: Comparison) -> Found:
    if found.state == "late":
        return Found(None, "the first prediction was locked after your code had run", how=OVER, over=True)
    return Found(None, "lock a prediction with predict(…) before your code first runs")


WRITE = "It is locked. Write the answer and run its cell; then predictions.compare() measures it."
MEASURE = "It is locked. The benchmark cell measures it on a GPU."
OVER = (
    "No record can prove it in this lesson any more; a tick is kept as your claim. In the next lesson guess rather than leave "
    "a line out: a wrong prediction proves its gate as well."
)
