"""A benchmark record of any kind as one form: cases, whose times, their spread, the floor, and what that says in words.

Pure functions; standard library only.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from learning.bench.plan import COPY
from learning.bench.report import percent, time_text
from learning.judge import samples

SEQUENTIAL = 1.05
"""Times taken one after the other, not in pairs, are told apart only beyond this factor: a clock drifts between them."""
_TIMES = ("graph", "cold", "events", "warm")
_HOW = {
    "graph": "replayed from a CUDA graph",
    "cold": "by do_bench, the L2 cache emptied",
    "events": "between events, launches included",
    "warm": "run after run, launches included",
}
_STANDS = {
    samples.FASTER: "faster than",
    samples.AS_FAST: "as fast as",
    samples.SLOWER: "slower than",
    samples.CANNOT_TELL: "not to be told apart from",
}


@dataclass(frozen=True)
class Taken:
    """One side's time in a case, µs: the ``median``, the 95 % interval of that median, ``least`` and ``most`` of the middle
    four fifths of the samples; ``how`` it was timed; ``verdict`` and ``ratio`` of the answer against it."""

    name: str
    median: float
    low: float
    high: float
    least: float
    most: float
    how: str
    verdict: str = ""
    ratio: float = 1.0
    tax: float | None = None


@dataclass(frozen=True)
class Timed:
    """One case: ``label`` as records name it, ``about`` in words, ``floor`` µs or None, ``cold`` whether its inputs exceed the
    caches (else a floor says little), the work, the ``card``, the answer first in ``sides``; ``absent`` those not measured."""

    label: str
    about: str
    floor: float | None
    cold: bool
    bytes: float
    flops: float
    tensor_cores: bool
    card: str
    sides: tuple[Taken, ...]
    absent: tuple[tuple[str, str], ...] = ()
    predicted: tuple[float, float] | None = None

    @property
    def answer(self) -> Taken:
        return self.sides[0]

    def share(self, side: Taken) -> float | None:
        """The part of a side's time that the floor would take; None where there is none or caches may hold it all."""
        return self.floor / side.median if self.floor and self.cold else None


def cases(record: Any, *, op: str = "", predicted: Any = None) -> list[Timed]:
    """The cases of ``record``, smallest work first: a progress record or its payload, a list of its cases, a benchmark file
    (its path, its content or one of its runs). ``op`` names the lesson where a file holds several; ``predicted`` is the
    ``microseconds`` field of a prediction, drawn where its case is.

    Raises ``ValueError`` for what is none of these, or holds no such lesson.
    """
    found = [_timed(case) for case in _raw(record, op)]
    found = [case for case in found if case is not None]
    if not found:
        return []
    wanted = intervals(predicted, newest=found[-1].label if not _runs(record) else found[0].label)
    placed = [_with(case, predicted=wanted.get(case.label)) for case in found]
    return sorted(placed, key=lambda case: (case.bytes, case.flops, case.answer.median))


def intervals(predicted: Any, newest: str) -> dict[str, tuple[float, float]]:
    """A prediction's intervals by case; one without a label is about ``newest``."""
    if isinstance(predicted, Mapping):
        return {str(name): (float(pair[0]), float(pair[1])) for name, pair in predicted.items() if _pair(pair)}
    return {newest: (float(predicted[0]), float(predicted[1]))} if _pair(predicted) else {}


def spread(values: Sequence[float]) -> tuple[float, float, float, float, float]:
    """(median, low, high, 10th, 90th percentile): the median's 95 % interval by order statistics, whatever the
    distribution (Conover 1999, section 3.2: ranks n/2 ± 0.98 √n)."""
    ordered = sorted(values)
    count, reach = len(ordered), 0.98 * math.sqrt(len(ordered))
    low = ordered[max(0, math.floor(count / 2 - reach) - 1)] if count > 1 else ordered[0]
    high = ordered[min(count - 1, math.ceil(count / 2 + reach))]
    middle = statistics.median(ordered)
    return middle, min(low, middle), max(high, middle), samples.quantile(ordered, 0.1), samples.quantile(ordered, 0.9)


def verdict(mine: Taken, other: Taken) -> str:
    """How two sides compare that were timed one after the other: nothing is said of less than ``SEQUENTIAL``."""
    low, high = mine.low / other.high, mine.high / other.low
    if high < 1 / SEQUENTIAL:
        return samples.FASTER
    if low > SEQUENTIAL:
        return samples.SLOWER
    return samples.AS_FAST if low >= 1 / SEQUENTIAL and high <= SEQUENTIAL else samples.CANNOT_TELL


def table(timed: Iterable[Timed]) -> list[list[str]]:
    """The rows beside a picture, the heading first."""
    made = [["", "", "time", "95 % of it", "of the floor", "the answer is"]]
    for case in timed:
        for place, side in enumerate(case.sides):
            interval = f"{side.low:.4g} … {side.high:.4g} µs"
            said = f"{_STANDS[side.verdict]} it" if side.verdict else ""
            said += f" ({side.ratio:.2f} × its time)" if side.verdict in (samples.FASTER, samples.SLOWER) else ""
            made.append([case.label if not place else "", side.name, time_text(side.median), interval,
                         percent(case.share(side)), said])  # fmt: skip
        made += [["", name, "not measured", "", "", why] for name, why in case.absent]
        if case.predicted is not None:
            low, high = case.predicted
            made.append(["", "predicted", f"{low:.4g} … {high:.4g} µs", "", "", hit(case)])
    return made


def hit(case: Timed) -> str:
    """Whether the prediction's interval holds the answer's time, in words; "" without a prediction."""
    if case.predicted is None:
        return ""
    (low, high), got = case.predicted, case.answer.median
    if low <= got <= high:
        return "the measurement lies inside"
    near = low if got < low else high
    return f"the measurement lies {'below' if got < low else 'above'}: {got / near:.2f} × {near:.4g} µs"


def sentence(case: Timed) -> str:
    """One sentence on a case: the answer's time, the floor, the others, the prediction."""
    mine = case.answer
    parts = [f"{case.about}: {mine.name} takes {time_text(mine.median)} ({_HOW.get(mine.how, mine.how)})"]
    share = case.share(mine)
    if share is not None:
        parts.append(f"{percent(share)} of what the floor of {time_text(case.floor)} allows")
    elif case.floor:
        parts.append(f"the floor is {time_text(case.floor)}, and these inputs stay in the L2 cache")
    standing: dict[str, list[str]] = {}
    for side in case.sides[1:]:
        standing.setdefault(side.verdict, []).append(side.name)
    said = [f"{_STANDS[told]} {' and '.join(names)}" for told, names in standing.items() if told]
    parts += [", ".join(said)] if said else []
    if case.predicted is not None:
        parts.append(f"predicted were {case.predicted[0]:.4g} to {case.predicted[1]:.4g} µs, and {hit(case)}")
    return "; ".join(parts) + "."


# --- reading the forms a record comes in ---------------------------------------------------------------------------


def _raw(record: Any, op: str) -> list[dict]:
    runs = _runs(record)
    if runs:
        chosen = [run for run in runs if not op or op in (run.get("op"), run.get("lesson"))]
        if not chosen or (len({run.get("op") for run in chosen}) > 1 and not op):
            names = ", ".join(sorted({str(run.get("op")) for run in runs}))
            raise ValueError(f"the file holds runs of {names}; name one of them: op=…")
        return list(chosen[-1].get("cases", []))
    if isinstance(record, Mapping):
        payload = record.get("payload", record)
        record = payload.get("cases") if isinstance(payload, Mapping) else None
    if not isinstance(record, list):
        raise ValueError("this is no benchmark: wanted is a record, its payload, its cases, or a benchmark file")
    return [case for case in record if isinstance(case, dict)]


def _runs(record: Any) -> list[dict]:
    if isinstance(record, (str, Path)):
        record = json.loads(Path(record).read_text(encoding="utf-8"))
    if not isinstance(record, Mapping):
        return []
    if isinstance(record.get("runs"), list):
        return [run for run in record["runs"] if isinstance(run, dict)]
    return [dict(record)] if "op" in record and isinstance(record.get("cases"), list) else []


def _timed(case: dict) -> Timed | None:
    return _from_file(case) if isinstance(case.get("results"), list) else _from_progress(case)


def _from_file(case: dict) -> Timed | None:
    sides, absent = [], []
    floor, work = case.get("floor") or {}, case["work"]
    for one in case["results"]:
        if one["kind"] == "ceiling" and floor.get("bound") == "compute":
            continue  # how fast its bytes could be copied says nothing of a product
        kept = one.get(case["timing"])
        if one["unavailable"] or not kept:
            absent.append((one["name"], one["unavailable"] or one["why_no_graph"]))
            continue
        side = _taken(one["name"], kept["microseconds"], case["timing"])
        if one.get("interval"):
            side = _with(side, low=one["interval"]["low"], high=one["interval"]["high"])
        if one.get("ratio"):
            side = _with(side, verdict=one["ratio"]["verdict"], ratio=one["ratio"]["ratio"])
        sides.append((one["kind"] != "answer", side))
    if not sides or sides[0][0]:
        return None
    return Timed(
        case["case"], case["about"], floor.get("microseconds"), bool(case.get("cold", True)), work["bytes"], work["flops"],
        work["tensor_cores"], floor.get("card", ""), tuple(side for _, side in sides), tuple(absent),
    )  # fmt: skip


def _from_progress(case: dict) -> Timed | None:
    peers = case.get("peers") if isinstance(case.get("peers"), dict) else {}
    mine = _side(str(case.get("answer") or "yours"), case)
    if mine is None:
        return None
    sides, absent = [mine], []
    for name, one in peers.items():
        if name == COPY and _computes(case):
            continue
        side = _side(str(name), one, prefer=mine.how) if isinstance(one, dict) else None
        if side is None:
            absent.append((str(name), str(one.get("unavailable", "")) if isinstance(one, dict) else ""))
        else:
            sides.append(_with(side, verdict=verdict(mine, side), ratio=mine.median / side.median))
    floor = case.get("floor") or _floor(case)
    cold = bool(case.get("cold_floor", True)) or mine.how == "cold"
    return Timed(
        str(case.get("case", "")), str(case.get("about") or case.get("case", "")), floor, cold, float(case.get("bytes") or 0.0),
        float(case.get("flops") or 0.0), bool(case.get("tensor_cores")), str(case.get("card", "")), tuple(sides), tuple(absent),
    )  # fmt: skip


def _computes(case: dict) -> bool:
    """Whether arithmetic, not memory, sets the floor of a record's case, by the quoted rates of its card."""
    from learning.lens import roofline

    try:
        work = roofline.Work(float(case["bytes"]), float(case["flops"]), tensor_cores=bool(case.get("tensor_cores")))
        found = roofline.roof(work, str(case["card"]))
        return found.compute > found.memory
    except (KeyError, TypeError, ValueError):
        return False


def _floor(case: dict) -> float | None:
    """The floor of a record that names a card and its work, µs; None where the card is unknown."""
    from learning.lens import roofline

    try:
        work = roofline.Work(float(case["bytes"]), float(case["flops"]), tensor_cores=bool(case.get("tensor_cores")))
        return 1e6 * roofline.roof(work, str(case["card"])).floor or None
    except (KeyError, TypeError, ValueError):
        return None


def _side(name: str, one: dict, prefer: str = "") -> Taken | None:
    times = one.get("microseconds") if isinstance(one.get("microseconds"), dict) else {}
    kept = one.get("samples") if isinstance(one.get("samples"), dict) else {}
    how = next(
        (how for how in (prefer, *_TIMES) if how and isinstance(times.get(how), (int, float)) and times[how] > 0), ""
    )
    if not how:
        return None
    values = [float(t) for t in kept.get(how, []) if isinstance(t, (int, float)) and t > 0] or [float(times[how])]
    return _with(_taken(name, values, how), tax=one.get("launch_tax"))


def _taken(name: str, values: list[float], how: str) -> Taken:
    return Taken(name, *spread(values), how)


def _with(thing: Any, **changes: Any) -> Any:
    return replace(thing, **changes)


def _pair(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and len(value) == 2 and all(isinstance(v, (int, float)) for v in value)
