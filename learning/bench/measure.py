"""One shape of one lesson, timed in this process: the answer, its peers and a copy, turn about.

Times come from CUDA events around blocks of calls, and the wall's beside them. Graph timing replays captured calls: no
Python, no allocator (memory comes from the graph's pool), no launch gaps. Events timing surrounds the Python calls and can
include idle gaps. Neither is the latency of a model. Imports torch at module level.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch

from learning.bench.plan import COPY, Draw, Peer, Plan, Shape, seed
from learning.judge import guard, samples
from learning.judge.held import Held, copied, rotation
from learning.lens import nvml, roofline

ANSWER, TUNED, PEER, CEILING = "answer", "tuned", "peer", "ceiling"
MOST_CAPTURED = 512


@dataclass(frozen=True)
class How:
    """``timing`` "graph" or "events" is measured in ``rounds`` rounds, the other one in ``few``; a block lasts ``block_seconds``."""

    timing: str = "graph"
    rounds: int = 50
    few: int = 10
    block_seconds: float = 0.020
    compiled: bool = True


@dataclass
class Candidate:
    """Somebody to be timed. ``kind`` is ``ANSWER``, ``TUNED``, ``PEER`` or ``CEILING``; ``missing`` says why it is not timed."""

    name: str
    kind: str
    rounding: str
    call: Callable
    compiled: bool = False
    missing: str = ""
    errors: list[dict] = field(default_factory=list)
    holders: dict[str, Held] = field(default_factory=dict)
    calls: dict[str, int] = field(default_factory=dict)
    units: dict[str, int] = field(default_factory=dict)
    why_no_graph: str = ""
    found: dict[str, dict] = field(default_factory=dict)


def shape(
    plan: Plan, chosen: Shape, answers: dict[str, Callable], device: Any, how: How, say: Callable[[str], None] = print
) -> dict:
    """Time one shape and return its case of the record (``schema.json``).

    ``answers`` are the functions to be timed by name, the answer first; ``device`` is ``learning.lens.device``'s. A peer that
    fails is left out with its reason; what an answer raises is raised.
    """
    case_seed = seed(plan.lesson.slug, chosen.name)
    args, kwargs = plan.inputs(Draw(case_seed, device.torch_device), **chosen.sizes)
    work = plan.work(*args, **kwargs)
    copies, cold = rotation(args, kwargs)
    first = Held(args, kwargs, copies)
    candidates = _candidates(plan, answers, how)
    truths = _truths(plan, args, kwargs)
    for one in candidates:
        if not one.missing:
            say(f"{chosen.name}: {'compiling' if one.compiled else 'trying'} {one.name}")
            _prepare(one, first, truths, how)
    candidates.insert(0, _ceiling(work, device, how))
    clocks: list[nvml.Clock] = []
    with nvml.Watch() as watch:
        for mode, rounds in ((how.timing, how.rounds), (_other(how.timing), how.few)):
            said = f"{chosen.name}: {mode}, {rounds} rounds"
            _rounds(
                [c for c in candidates if mode in c.units],
                mode,
                rounds,
                watch,
                clocks,
                lambda n, said=said: say(f"{said}, {n}"),
            )
    del truths
    return _case(plan, chosen, case_seed, candidates, work, copies, cold, clocks, device, how)


def _other(timing: str) -> str:
    return "events" if timing == "graph" else "graph"


def _candidates(plan: Plan, answers: dict[str, Callable], how: How) -> list[Candidate]:
    """Peers first and the answer last: in rounds that turn back and forth the last one's blocks are neighbours, its control."""
    found = []
    for peer in plan.peers:
        missing = peer.missing() or ("left out on request" if peer.compiled and not how.compiled else "")
        found.append(Candidate(peer.name, PEER, peer.rounding, peer.call, peer.compiled, missing))
    for place, (name, call) in reversed(list(enumerate(answers.items()))):
        kind = TUNED if place else ANSWER
        found.append(Candidate(name, kind, "as the contract says", call))
    return found


def _prepare(one: Candidate, first: Held, truths: list | str, how: How) -> None:
    """Compile, run once, hold against the truth, capture. A peer's failure becomes its ``missing``."""
    try:
        if one.compiled:
            torch.compiler.reset()
            one.call = torch.compile(one.call, dynamic=False)
        args, kwargs = copied(first.sets[0])
        made = one.call(*args, **kwargs)
        outputs = guard.tensors_in(made)
        if not outputs:
            raise ValueError(f"{one.name} returned no tensor")
        inputs = {t.untyped_storage().data_ptr() for t in guard.tensors_in(args, kwargs)}
        if one.kind == PEER and any(t.untyped_storage().data_ptr() in inputs for t in outputs):
            one.missing = "it returns its input and does no work on this shape"
            return
        one.errors = _errors(outputs, truths)
        del made, outputs, args, kwargs
        _hold(one, first, how)
    except Exception as problem:
        if one.kind in (ANSWER, TUNED):
            raise
        text = str(problem).strip().splitlines()
        one.missing = f"{type(problem).__name__}: {text[0] if text else 'no reason given'}"[:200]


def _hold(one: Candidate, first: Held, how: How) -> None:
    held = one.holders["events"] = first.beside()
    _units(one, "events", how)
    if not held.on_gpu:
        one.why_no_graph = "there is no GPU to capture on"
        return
    graph = first.beside()
    calls = max(1, min(MOST_CAPTURED, max(len(first.sets), one.units["events"])))
    one.why_no_graph = graph.capture(one.call, calls)
    if not one.why_no_graph:
        one.holders["graph"] = graph
        _units(one, "graph", how, calls)


def _units(one: Candidate, mode: str, how: How, calls: int = 1) -> None:
    """Calls, or replays, that make a block last ``block_seconds``."""
    held, units = one.holders[mode], 1
    _block(held, one.call, max(1, len(held.sets)) if mode == "events" else 1)
    while units < 20_000:
        spent = max(_block(held, one.call, units))
        if spent >= how.block_seconds:
            break
        growth = how.block_seconds / spent * 1.1 if spent > 0 else 4.0
        units = max(units + 1, math.ceil(units * min(growth, 8.0)))
    one.units[mode], one.calls[mode] = units, units * calls
    one.found[mode] = {"microseconds": [], "wall_microseconds": [], "calls": units * calls}


def _block(held: Held, call: Callable, units: int) -> tuple[float, float]:
    """(seconds by the GPU's events, seconds by the wall) of a block."""
    came = held.serve(call, {"op": "run", "repeats": units})
    if came.fault is not None:
        raise RuntimeError(came.fault.sentence())
    return came.claimed, came.seconds


def _rounds(
    timed: list[Candidate], mode: str, rounds: int, watch: Any, clocks: list, tell: Callable[[int], None]
) -> None:
    import gc

    collecting = gc.isenabled()
    gc.disable()
    try:
        for number in range(rounds):
            if number % 10 == 0:
                tell(number)
            for one in timed if number % 2 == 0 else reversed(timed):
                spent, wall = _block(one.holders[mode], one.call, one.units[mode])
                one.found[mode]["microseconds"].append(1e6 * spent / one.calls[mode])
                one.found[mode]["wall_microseconds"].append(1e6 * wall / one.calls[mode])
            seen = watch.look()
            clocks += [seen] if seen is not None else []
    finally:
        if collecting:
            gc.enable()


def _ceiling(work: roofline.Work, device: Any, how: How) -> Candidate:
    """A copy of half as many bytes, read once and written once: what memory delivers here and now."""
    count = max(1, int(work.bytes) // 2)
    source = torch.zeros(count, dtype=torch.uint8, device=device.torch_device)
    one = Candidate(COPY, CEILING, "no arithmetic", lambda source, target: target.copy_(source))
    pair = (source, torch.empty_like(source))
    try:
        _hold(one, Held(pair, {}, rotation(pair)[0]), how)
    except Exception as problem:
        one.missing = f"{type(problem).__name__}: {problem}"[:200]
    return one


def _truths(plan: Plan, args: tuple, kwargs: dict) -> list | str:
    """The oracle's outputs in float64, or why there are none."""
    try:
        wide = _double(copied((args, kwargs)))
        return [t.double() for t in guard.tensors_in(plan.oracle(*wide[0], **wide[1]))]
    except torch.OutOfMemoryError:
        return "this GPU's memory does not hold the float64 oracle"


def _double(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.double() if value.is_floating_point() else value
    if isinstance(value, (tuple, list)):
        return type(value)([_double(item) for item in value])
    return {key: _double(item) for key, item in value.items()} if isinstance(value, dict) else value


def _errors(outputs: list[torch.Tensor], truths: list | str) -> list[dict]:
    """Of each output the relative L2 distance from the truth and the largest absolute one."""
    if isinstance(truths, str):
        return [{"unavailable": truths}]
    if len(outputs) != len(truths) or any(a.shape != b.shape for a, b in zip(outputs, truths, strict=False)):
        return [{"unavailable": "its outputs have not the oracle's shapes"}]
    found = []
    for number, (got, truth) in enumerate(zip(outputs, truths, strict=True)):
        gap = (got.double() - truth).abs_()
        norm = float(truth.norm())
        found.append(
            {
                "output": number,
                "relative_l2": _finite(float(gap.norm()) / norm if norm else float(gap.norm())),
                "largest": _finite(float(gap.max()) if gap.numel() else 0.0),
            }
        )
    return found


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _case(
    plan: Plan, chosen: Shape, case_seed: int, candidates: list[Candidate], work: roofline.Work, copies: int, cold: bool,
    clocks: list, device: Any, how: How,
) -> dict:  # fmt: skip
    top = _top(device)
    roof = roofline.roof(work, top) if top is not None else None
    answer = next(c for c in candidates if c.kind == ANSWER)
    mode = how.timing if how.timing in answer.units else "events"
    mine = answer.found[mode]["microseconds"]
    speeds = sorted(clock.mhz for clock in clocks)
    held_down = sorted({name for clock in clocks for name in clock.reasons if name != "idle"})
    return {
        "case": chosen.name,
        "about": chosen.about,
        "sizes": dict(chosen.sizes),
        "seed": case_seed,
        "copies": copies,
        "cold": cold,
        "timing": mode,
        "work": {"bytes": work.bytes, "flops": work.flops, "tensor_cores": work.tensor_cores},
        "floor": None
        if roof is None
        else {
            "microseconds": 1e6 * roof.floor,
            "bound": "memory" if roof.memory >= roof.compute else "compute",
            "card": top.name,
            "source": "measured here" if top.measured else top.source,
        },
        "control": _ratio(samples.control(mine)) if len(mine) >= 4 else None,
        "clock": {
            "lowest": speeds[0],
            "median": int(statistics.median(speeds)),
            "highest": speeds[-1],
            "held_down": held_down,
        }
        if speeds
        else None,
        "results": [_result(one, answer, mode, roof if cold else None, roof) for one in sorted(candidates, key=_place)],
    }


def _top(device: Any) -> roofline.Ceiling | None:
    if device.kind != "cuda":
        return None
    try:
        return roofline.ceiling(device.name)
    except KeyError:
        return roofline.measure()


def _place(one: Candidate) -> int:
    return (ANSWER, TUNED, PEER, CEILING).index(one.kind)


def _result(one: Candidate, answer: Candidate, mode: str, cold_roof: Any, roof: Any) -> dict:
    found = {
        "name": one.name, "kind": one.kind, "rounding": one.rounding, "compiled": one.compiled, "unavailable": one.missing,
        "why_no_graph": one.why_no_graph, "errors": one.errors, "graph": None, "events": None, "median": {}, "interval": None,
        "ratio": None, "floor_share": None, "launch_share": None, "impossible": False, "wall_agrees": None,
    }  # fmt: skip
    if one.missing:
        return found
    for name, times in one.found.items():
        if times["microseconds"]:
            found[name] = times
            found["median"][name] = statistics.median(times["microseconds"])
    own = one.found.get(mode, {}).get("microseconds") or []
    if own:
        middle = samples.paired(own, [1.0] * len(own))
        found["interval"] = {"low": middle.low, "high": middle.high}
        walls = one.found[mode]["wall_microseconds"]
        calls = one.found[mode]["calls"] / 1e6
        agreed = sum(samples.agrees(wall * calls, spent * calls) for wall, spent in zip(walls, own, strict=True))
        found["wall_agrees"] = {"k": agreed, "n": len(own)}
    theirs = answer.found[mode]["microseconds"]
    if own and one is not answer and len(own) == len(theirs):
        found["ratio"] = _ratio(samples.paired(theirs, own))
    median = found["median"]
    if roof is not None and own:
        found["floor_share"] = 1e6 * roof.floor / median[mode] if median[mode] else None
        found["impossible"] = cold_roof is not None and cold_roof.impossible(median[mode] / 1e6)
    if median.get("graph") and median.get("events"):
        found["launch_share"] = roofline.share(median["graph"], median["events"])
    return found


def _ratio(found: samples.Ratio) -> dict:
    return {"ratio": found.ratio, "low": found.low, "high": found.high, "verdict": found.verdict}


__all__ = ["ANSWER", "CEILING", "PEER", "TUNED", "Candidate", "How", "Peer", "shape"]
