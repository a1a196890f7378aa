"""One predicted value beside what was measured, with its points: a row for each. Standard library only."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from learning.gates import reasons
from learning.gates.fields import FIELDS, real
from learning.gates.measured import Partners, mapping
from learning.lens import roofline

MISS = 0.2
"""α of the interval score: an interval is taken as one its author would bet on four times in five."""
OCTAVES, SHARE = 2.0, 0.5
"""The interval score at which points are halved: two octaves for times and registers, 0.5 for shares."""
DIGITS = 1e-3
"""Relative distance up to which a predicted output counts as right."""


@dataclass(frozen=True)
class Row:
    """One predicted value beside its partner: ``field``, ``key`` (tensor, case, index, kernel; "" where there is none),
    both in words, ``points`` 0 to 1 (None where nothing was measured), ``gap`` in words, ``waits`` for what is missing,
    ``reasons`` for a miss, ``cause`` as the learner wrote it."""

    field: str
    key: str
    predicted: str
    measured: str = ""
    points: float | None = None
    gap: str = ""
    waits: str = ""
    reasons: tuple[str, ...] = ()
    cause: str = ""

    @property
    def missed(self) -> bool:
        """Whether prediction and measurement differ: a value that is not equal, an interval that does not hold."""
        return self.points is not None and bool(self.gap)


def interval_score(low: float, high: float, value: float, miss: float = MISS) -> float:
    """Width plus 2/α times the distance by which ``value`` lies outside: Gneiting & Raftery 2007, equation 43."""
    return (high - low) + 2 / miss * (max(low - value, 0.0) + max(value - high, 0.0))


def interval_points(low: float, high: float, value: float, *, octaves: bool) -> float:
    """The interval score as points, 1 for a right interval of no width, halved each ``OCTAVES`` or ``SHARE`` of score.

    ``octaves`` measures in powers of two, for times and registers, whose errors are ratios; all three must be positive.
    """
    if octaves:
        low, high, value = (math.log2(x) for x in (low, high, value))
    return 0.5 ** (interval_score(low, high, value) / (OCTAVES if octaves else SHARE))


def rows_of(name: str, value: Any, partners: Partners) -> list[Row]:
    build = {
        "grid": _shape_rows, "tile": _shape_rows, "registers": _register_rows, "passes": _pass_rows, "masked": _masked_rows,
        "padding": _padding_rows, "output": _output_rows, "occupancy": _occupancy_rows, "bound": _bound_rows,
        "launch_share": _share_rows, "microseconds": _time_rows,
    }  # fmt: skip
    if name not in FIELDS or name not in build:
        raise KeyError(name)
    return build[name](name, value, partners)


TRACE = "a run of your code that is watched: run predictions.compare() once it gives a result"
COMPILED = "the compiler's report: run predictions.compare() where Triton can compile"
TIMED = "a benchmark on a GPU"


def _off(by: float, size: str, above: str, below: str) -> str:
    """A gap in words, the prediction's side of it named: "54 lanes too few"; ``by`` is predicted less measured."""
    return f"{size} too {above if by > 0 else below}" if by == by else f"{size} apart"


def _shape_rows(name: str, value: Any, partners: Partners) -> list[Row]:
    rows = []
    for key, sizes in value.items() if isinstance(value, dict) else [("", value)]:
        launch = partners.launch(key)
        words = reasons.sizes(sizes)
        if not launch or not launch.get(name):
            rows.append(Row(name, key, words, waits=TRACE))
            continue
        got = [int(size) for size in launch[name]]
        same = got == [int(size) for size in sizes]
        gap = "" if same else f"{words}, not {reasons.sizes(got)}"
        why = () if same else reasons.shape(name, sizes, got, launch)
        rows.append(Row(name, key, words, reasons.sizes(got), float(same), gap, reasons=why))
    return rows


def _register_rows(name: str, value: Any, partners: Partners) -> list[Row]:
    if isinstance(value, dict):
        kernel = partners.compiled[0] if partners.compiled else {}
        rows = []
        for card, (low, high) in value.items():
            if kernel.get("target") != {"t4": "sm_75"}.get(card, card) or not kernel.get("registers"):
                rows.append(Row(name, card, f"{low:g} to {high:g} a thread", waits=COMPILED))
                continue
            got, words = kernel["registers"], f"{low:g} to {high:g} a thread"
            rows.append(_interval_row(name, card, low, high, got, words, f"{got:g}", True, reasons.registers))
        return rows
    memory = mapping(partners.trace.get("tensors"))
    parameters = {str(p).removesuffix("_ptr") for launch in partners.trace.get("launches", ())
                  for p in mapping(launch.get("tensors"))}  # fmt: skip
    rows = []
    for word in value:
        if not partners.trace:
            rows.append(Row(name, word, "stays in registers", waits=TRACE))
            continue
        crosses = word.removesuffix("_ptr") in {*memory, *parameters}
        got = "goes through memory" if crosses else "never in memory"
        why = (
            f"{word} is a tensor the kernel loads or stores: it crosses memory, and only what is computed from it stays.",
        )
        rows.append(
            Row(
                name, word, "stays in registers", got, float(not crosses), got if crosses else "", reasons=why * crosses
            )
        )
    return rows


def _pass_rows(name: str, value: dict, partners: Partners) -> list[Row]:
    rows = []
    for key, predicted in value.items():
        tensor = partners.tensor(key)
        if not tensor:
            rows.append(
                Row(
                    name,
                    key,
                    f"{predicted:g}",
                    waits=TRACE if not partners.trace else reasons.untraced(key, partners.trace),
                )
            )
            continue
        got = tensor["load_passes"] + tensor["store_passes"]
        same = abs(got - predicted) < 0.005
        gap = "" if same else _off(predicted - got, f"{abs(predicted - got):.2f} passes", "many", "few")
        rows.append(
            Row(name, key, f"{predicted:g}", f"{got:.2f}", float(same), gap,
                reasons=() if same else reasons.passes(predicted, got, tensor))
        )  # fmt: skip
    return rows


def _masked_rows(name: str, value: Any, partners: Partners) -> list[Row]:
    rows = []
    for key, predicted in value.items() if isinstance(value, dict) else [("", value)]:
        tensor = partners.tensor(key) if key else partners.output
        if not tensor:
            rows.append(Row(name, key, f"{predicted} lanes", waits=TRACE))
            continue
        # A tensor that is stored owns its lanes once; one that is only read is counted by its loads.
        got = tensor["masked_stores"] if tensor.get("stored") else tensor["masked_loads"]
        gap = "" if got == predicted else _off(predicted - got, f"{abs(predicted - got)} lanes", "many", "few")
        why = () if not gap else reasons.masked(predicted, got, partners.launch(), tensor)
        rows.append(Row(name, key, f"{predicted} lanes", f"{got} lanes", float(got == predicted), gap, reasons=why))
    return rows


def _padding_rows(name: str, value: Any, partners: Partners) -> list[Row]:
    stated = mapping(partners.trace.get("padding"))  # a CPU lesson's own words for its neutral elements
    pairs = value.items() if isinstance(value, dict) else [("", value)]
    rows = []
    for key, predicted in pairs:
        if key in stated:
            found, masked = [stated[key]], True
        else:
            tensors = [partners.tensor(key)] if key else list(mapping(partners.trace.get("tensors")).values())
            loaded = [t for t in tensors if t.get("masked_loads")]
            found = list(dict.fromkeys(other for t in loaded for other in t.get("others", ())))
            masked = bool(loaded)
        if not partners.trace:
            rows.append(Row(name, key, str(predicted), waits=TRACE))
        elif not masked:
            rows.append(Row(name, key, str(predicted), waits="a load with masked lanes: this answer has none here"))
        else:
            right = _same_padding(predicted, found)
            words = " and ".join(reasons.value(v) for v in found) or "none stated"
            gap = "" if right else f"{reasons.value(predicted)}, not {words}"
            why = () if right else reasons.padding(predicted, found)
            rows.append(Row(name, key, reasons.value(predicted), words, float(right), gap, reasons=why))
    return rows


def _same_padding(predicted: Any, found: list) -> bool:
    if predicted == "none":
        return not found
    wanted = real(predicted)
    return any(real(v) == wanted or (math.isnan(real(v)) and math.isnan(wanted)) for v in found)


def _output_rows(name: str, value: dict, partners: Partners) -> list[Row]:
    measured = mapping(partners.trace.get("output"))
    rows = []
    for key, predicted in value.items():
        if key not in measured:
            waits = TRACE if not partners.trace else "a result with that index in this case"
            rows.append(Row(name, key, reasons.value(predicted), waits=waits))
            continue
        got, said = real(measured[key]), real(predicted)
        right = got == said or (math.isnan(got) and math.isnan(said)) or (
            math.isfinite(got) and abs(got - said) <= DIGITS * max(abs(got), 1e-30)
        )  # fmt: skip
        gap = "" if right else _off(said - got, f"{abs(said - got):.4g}", "high", "low")
        why = () if right else ("Compute this one element by hand with the reference's formula, from its own inputs.",)
        rows.append(
            Row(name, key, reasons.value(predicted), reasons.value(measured[key]), float(right), gap, reasons=why)
        )
    return rows


def _occupancy_rows(name: str, value: list, partners: Partners) -> list[Row]:
    low, high = value
    kernel = partners.compiled[0] if partners.compiled else {}
    words = f"{low:.0%} to {high:.0%}"
    if "occupancy" not in kernel:
        return [Row(name, "", words, waits=COMPILED)]
    got = float(kernel["occupancy"])
    shown = f"{got:.0%} on {kernel.get('card', 'the card')}"
    return [_interval_row(name, "", low, high, got, words, shown, False, lambda *a: reasons.occupancy(*a, kernel))]


def _bound_rows(name: str, value: str, partners: Partners) -> list[Row]:
    for label, case in reversed(partners.cases.items()):
        if "bytes" not in case or "card" not in case:
            continue
        work = roofline.Work(case["bytes"], case.get("flops", 0.0), tensor_cores=bool(case.get("tensor_cores")))
        try:
            got = roofline.classify(work, str(case["card"]), _measured_share(case))
        except KeyError:
            continue  # a card whose ceilings nobody quoted
        why = () if got == value else reasons.bound(value, got, work)
        gap = "" if got == value else f"{value}, not {got}"
        return [Row(name, label, f"{value}-bound", f"{got}-bound", float(got == value), gap, reasons=why)]
    return [Row(name, "", f"{value}-bound", waits=TIMED)]


def _share_rows(name: str, value: list, partners: Partners) -> list[Row]:
    low, high = value
    words = f"{low:.0%} to {high:.0%}"
    for label, case in reversed(partners.cases.items()):
        got = _measured_share(case)
        if got is not None:
            return [_interval_row(name, label, low, high, got, words, f"{got:.0%}", False, reasons.launch_share)]
    return [Row(name, "", words, waits=TIMED)]


def _time_rows(name: str, value: Any, partners: Partners) -> list[Row]:
    rows = []
    newest = next(reversed(partners.cases), "")
    for key, (low, high) in value.items() if isinstance(value, dict) else [(newest, value)]:
        words = f"{low:g} to {high:g} µs"
        times = mapping(partners.cases.get(key, {}).get("microseconds"))
        got = times.get("graph") or times.get("events")
        if not got or got <= 0:
            rows.append(Row(name, key, words, waits=TIMED))
            continue
        case = partners.cases[key]
        rows.append(
            _interval_row(name, key, low, high, got, words, f"{got:.4g} µs", True,
                          lambda *a, case=case: reasons.microseconds(*a, case))
        )  # fmt: skip
    return rows


def _measured_share(case: dict) -> float | None:
    times = mapping(case.get("microseconds"))
    graph, events = times.get("graph"), times.get("events")
    return roofline.share(graph, events) if graph and events and graph > 0 and events > 0 else None


def _interval_row(
    name: str, key: str, low: float, high: float, got: float, words: str, shown: str, octaves: bool, why: Any
) -> Row:
    points = interval_points(low, high, got, octaves=octaves)
    gap = ""
    if got > high or got < low:
        near = high if got > high else low
        side = "above" if got > high else "below"
        gap = f"measured {got / near:.2f} × {near:g}" if octaves else f"measured {abs(got - near):.0%} {side}"
    return Row(name, key, words, shown, points, gap, reasons=why(low, high, got) if gap else ())
