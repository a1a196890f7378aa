"""Every number that a lesson's records hold and a learner may log, with its name, where it stands and its unit.

Pure functions of records; standard library only.

| name | what |
|---|---|
| ``time`` | the answer's own time, µs: cold, warm and replayed, by case |
| ``peer`` | the others' times, µs |
| ``floor``, ``ratio`` | the least time of a case, µs; the answer's time over it |
| ``tax``, ``launch_share`` | warm less replayed, µs; the part of the time between events that a replay does without |
| ``tuned`` | the time of the configuration that won, µs, by value of the key |
| ``registers``, ``spilled``, ``shared``, ``occupancy``, ``loads`` | the compiler's figures |
| ``programs``, ``passes``, ``output`` | the traced small case |
| ``cases``, ``score``, ``missed`` | calls that the checks judged; the prediction's points in percent, and its misses |

A ``benchmark`` record may also hold ``numbers``, {name: value}, which a lesson's own cell measured.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from learning.gates.measured import mapping, sequence
from learning.gates.measured import number as _number
from learning.gates.scoring import compare

CLOSE = 0.01
"""A number said agrees with one held within this share of it; whole numbers below ``EXACT`` must be equal."""
EXACT = 1000
NAMES = (
    "time", "peer", "floor", "ratio", "tax", "launch_share", "tuned", "registers", "spilled", "shared", "occupancy", "loads",
    "programs", "passes", "output", "cases", "score", "missed",
)  # fmt: skip
_TOLD = {"graph": "replayed", "cold": "cold", "warm": "warm"}


@dataclass(frozen=True)
class Held:
    """One number of a record: its ``name``, ``where`` it stands in words, its ``value`` and ``unit``; ``event`` and ``record``
    (the hash) say which record, ``card`` and ``time`` on what and when."""

    name: str
    where: str
    value: float
    unit: str = ""
    event: str = ""
    record: str = ""
    card: str = ""
    time: str = ""

    @property
    def whole(self) -> bool:
        return not self.unit and float(self.value).is_integer()

    def says(self, number: float) -> bool:
        """Whether ``number`` is this one, to the digits that matter."""
        if self.whole and abs(self.value) < EXACT:
            return number == self.value
        return abs(number - self.value) <= CLOSE * abs(self.value)

    def text(self) -> str:
        """ "189.9 µs (64 Mi, add, replayed)"."""
        return f"{self.value:.5g}{f' {self.unit}' if self.unit else ''} ({self.where})"


def held(lesson: str, records: Iterable[dict]) -> list[Held]:
    """The numbers in the records of ``lesson`` (a slug), oldest record first."""
    own = [record for record in records if record.get("lesson") == lesson]
    found: list[Held] = []
    for record in own:
        reader = _READERS.get(record.get("event", ""))
        if reader is None:
            continue
        payload = mapping(record.get("payload"))
        common = {
            "event": record["event"], "record": str(record.get("hash", "")), "time": str(record.get("time", "")),
            "card": str(payload.get("card", "")),
        }  # fmt: skip
        try:
            found += [Held(name, where, float(value), unit, **common) for name, where, value, unit in reader(payload)
                      if _number(value)]  # fmt: skip
        except (
            ArithmeticError,
            AttributeError,
            LookupError,
            TypeError,
            ValueError,
        ):  # of another form: holds no number
            continue
    return found + _of_predictions(lesson, own)


def nearest(number: float, found: Iterable[Held]) -> Held | None:
    """Of ``found`` the one whose value is nearest to ``number``, by ratio where both are positive; None of none."""

    def distance(one: Held) -> float:
        if number > 0 and one.value > 0:
            return abs(math.log(number / one.value))
        return 1e6 + abs(number - one.value)

    return min(found, key=distance, default=None)


def _benchmark(payload: dict) -> Iterator[tuple]:
    for case in map(mapping, sequence(payload.get("cases"))):
        label, own = str(case.get("case", "")), str(case.get("answer") or "yours")
        times = mapping(case.get("microseconds"))
        yield from _times("time", label, own, times)
        best = times.get("graph") or times.get("cold") or times.get("events")
        if _number(case.get("floor")) and case["floor"] > 0:
            yield "floor", label, case["floor"], "µs"
            if _number(best):
                yield "ratio", f"{label}, {own} over the floor", best / case["floor"], "×"
        yield from _taxes(case, label, own)
        for name, peer in mapping(case.get("peers")).items():
            yield from _times("peer", label, str(name), mapping(mapping(peer).get("microseconds")))
            yield from _taxes(mapping(peer), label, str(name))
    for kernel in map(mapping, sequence(mapping(payload.get("autotune")).get("kernels"))):
        for winner in map(mapping, sequence(kernel.get("winners"))):
            key = ", ".join(f"{name} {value}" for name, value in mapping(winner.get("key")).items()) or winner.get(
                "case", ""
            )
            took = mapping(winner.get("microseconds")).get(winner.get("winner"))
            yield "tuned", f"{key}: {winner.get('winner', '')}", took, "µs"
    for name, value in mapping(payload.get("numbers")).items():
        first, _, rest = str(name).partition(" ")
        yield first, rest or first, value, ""


def _times(name: str, label: str, who: str, times: dict) -> Iterator[tuple]:
    for how, took in times.items():
        if how == "events" and times.get("warm") == took:
            continue  # the notebook keeps one time under both names
        yield name, f"{label}, {who}, {_TOLD.get(how, 'between events')}", took, "µs"


def _taxes(case: dict, label: str, who: str) -> Iterator[tuple]:
    times = mapping(case.get("microseconds"))
    graph, events = times.get("graph"), times.get("events") or times.get("warm")
    if _number(case.get("launch_tax")):
        yield "tax", f"{label}, {who}", case["launch_tax"], "µs"
    if _number(graph) and _number(events) and graph > 0 and events > 0:
        yield "launch_share", f"{label}, {who}", max(0.0, 1 - graph / events), "of 1"


def _compile(payload: dict) -> Iterator[tuple]:
    for kernel in map(mapping, sequence(payload.get("kernels"))):
        where = f"{kernel.get('kernel', '')} for a {kernel.get('card', '')}"
        for name in ("registers", "spilled", "shared"):
            yield name, where, kernel.get(name), ""
        yield "occupancy", where, kernel.get("occupancy"), "of 1"
        for size, count in mapping(kernel.get("loads")).items():
            yield "loads", f"{where}, {size} bytes a thread", count, ""


def _launch(payload: dict) -> Iterator[tuple]:
    trace = mapping(payload.get("trace"))
    for launch in map(mapping, sequence(trace.get("launches"))):
        if sequence(launch.get("grid")):
            yield "programs", str(launch.get("kernel", "")), math.prod(launch["grid"]), ""
    for name, tensor in mapping(trace.get("tensors")).items():
        passes = [mapping(tensor).get(f"{way}_passes") for way in ("load", "store")]
        if all(map(_number, passes)):
            yield "passes", str(name), sum(passes), ""
    for name, value in mapping(trace.get("output")).items():
        yield "output", str(name), value, ""


def _parity(payload: dict) -> Iterator[tuple]:
    for check in map(mapping, sequence(payload.get("checks"))):
        if check.get("state") == "passed" and _number(check.get("cases")) and check["cases"]:
            yield "cases", str(check.get("check", "")).replace("_", " "), check["cases"], ""


_READERS = {"benchmark": _benchmark, "compile": _compile, "launch": _launch, "parity": _parity}


def _of_predictions(lesson: str, own: list[dict]) -> list[Held]:
    found = compare(lesson, own)
    if found.record is None or found.points is None:
        return []
    common = {
        "event": "prediction",
        "record": str(found.record.get("hash", "")),
        "time": str(found.record.get("time", "")),
    }
    return [
        Held("score", "prediction against measurement", 100 * found.points, "%", **common),
        Held("missed", "values of the prediction that missed", float(sum(row.missed for row in found.rows)), **common),
    ]
