"""The benchmark cell of a lesson: the answer and its peers by ``triton.testing.do_bench``, every sample kept.

    benchmark(softmax, samples)      # samples(call) → milliseconds, by do_bench(call, return_mode="all")

Three times are told apart. *Cold*: ``do_bench`` empties the L2 cache before each run. *Warm*: run after run between events,
nothing emptied, launches included. *Graph*: the same runs replayed from a CUDA graph, without Python. Warm less graph is
the launch tax. A picture (``learning.widgets.timings``) is kept up to date meanwhile; what comes back is displayed as a table
with a sentence on each size and the prediction beside it, and is kept as a ``benchmark`` record. The paired protocol that grades is the judge's (``learning.judge.timing``). Imports torch when it is called.
"""

from __future__ import annotations

import html
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from learning import tables
from learning.bench import plan as plans
from learning.bench.report import percent, time_text
from learning.lens import roofline

WARM_RUNS, WARM_SECONDS = 200, 0.05
FLUSH_BYTES = 256 << 20
"""What ``do_bench`` clears before each run."""
DO_BENCH_SECONDS, GRAPH_RUNS = 0.125, 16
"""``do_bench``'s own warm-up and repetitions by default, 25 and 100 ms; replays that a graph is tried with."""
_TIMED = ("microseconds", "launch_share", "bound")
WRONG = 20.0
"""An answer whose relative error is so many times that of its first peer is not timed."""


@dataclass
class Measured:
    """What the cell displays: ``cases`` as the record keeps them, ``sentences`` that read them, ``compared`` the rows (field,
    predicted, measured, gap) of what was predicted of them; or ``words`` on why nothing was timed."""

    cases: list[dict] = field(default_factory=list)
    words: str = ""
    sentences: list[str] = field(default_factory=list)
    compared: list[list[str]] = field(default_factory=list)

    def rows(self) -> list[list[str]]:
        """The table, its heading first."""
        made = [["", "", "cold", "warm", "graph", "launch tax", "of the floor"]]
        for case in reversed(self.cases):
            entries = {case["answer"]: case, **case["peers"]}
            for place, (name, one) in enumerate(entries.items()):
                times = one.get("microseconds", {})
                tax = one.get("launch_tax")
                best = times.get("graph") or times.get("cold")
                share = case["floor"] / best if case.get("floor") and best and case.get("cold_floor") else None
                told = [
                    time_text(times[key]) if key in times else one.get("unavailable", "")
                    for key in ("cold", "warm", "graph")
                ]
                made.append(
                    [
                        case["case"] if not place else "",
                        name,
                        *told,
                        time_text(tax) if tax is not None else "",
                        percent(share),
                    ]
                )
        return made

    def __repr__(self) -> str:
        if not self.cases:
            return self.words
        parts = [_aligned(self.rows(), 2), "\n".join(self.sentences), _aligned(self.compared, 4), self.words]
        return "\n\n".join(filter(None, parts))

    def _repr_html_(self) -> str:
        if not self.cases:
            return f"<p>{html.escape(self.words)}</p>"
        parts = [_html(self.rows(), 2), *(f"<p>{html.escape(line)}</p>" for line in self.sentences)]
        parts += [_html(self.compared, 4)] if self.compared else []
        return "".join([*parts, *([f"<p>{html.escape(self.words)}</p>"] if self.words else [])])


def _aligned(rows: list[list[str]], left: int) -> str:
    return "\n".join(tables.text(rows, left=left))


def _html(rows: list[list[str]], left: int) -> str:
    head, *body = rows
    return tables.html(body, head, left=left)


def benchmark(
    entry: Callable,
    samples: Callable[[Callable], list[float]],
    *,
    also: Callable[[], dict] | None = None,
    compiled: bool = False,
) -> Measured:
    """Time ``entry`` and the lesson's peers on the lesson's two shapes; display the result, and keep it as evidence.

    ``samples(call)`` gives the milliseconds of every run of ``call``, by ``do_bench(call, return_mode="all")``. ``also()``
    returns further cases of the answer, {label: call without arguments}, made only where there is a GPU. ``compiled`` adds
    ``torch.compile`` of the reference, which compiles for some 20 s. Nothing is timed without a GPU, before the answer is
    written, or where it is wrong; the display then says so.
    """
    from learning.judge import setting
    from learning.lens import device
    from learning.widgets import timings

    session = setting.current().resources.get("session")
    found = plans.load(_lesson(session))
    opened = device.current()
    if opened.kind != "cuda":
        return Measured(words=_elsewhere(found, opened))
    cases, words = [], ""
    live = timings.Live(timings.locked())
    for shape in reversed(found.shapes):
        case, words = _case(
            found, shape, entry, samples, compiled, opened, lambda so_far: live.update([*cases, so_far])
        )
        if case is None:
            return Measured(words=words)
        cases.append(case)
    more = also() if also is not None else {}
    extra = [
        _timed_alone(label, call, samples, opened)
        for label, call in more.items()
        if label not in {c["case"] for c in cases}
    ]
    live.update(extra + cases)
    drawn = timings.Timings(timings.data.cases(extra + cases, predicted=live.predicted))
    made = Measured(extra + cases, words, drawn.sentences())
    kept = session is not None and session.note(
        "benchmark", {"cases": made.cases, "via": "notebook", "card": opened.name}, device="cuda"
    )
    made.compared = _compared(session) if kept else []
    made.words = (
        "" if kept else "Not saved: " + (session.why if session is not None else "no lesson's notebook is open here")
    )
    return made


def _compared(session: Any) -> list[list[str]]:
    """What was predicted of times beside what is measured now, a heading first; empty where nothing was."""
    from learning.gates.comparison import cells
    from learning.gates.scoring import compare

    rows = [row for row in compare(session.lesson.slug, session.evidence()).rows if row.field in _TIMED]
    return [["", "predicted", "measured", "gap"], *(list(cells(row)[:4]) for row in rows)] if rows else []


def _lesson(session: Any) -> Any:
    from learning import lesson as lessons
    from learning.judge import setting

    return session.lesson if session is not None else lessons.load(setting.current().lesson)


def _elsewhere(found: plans.Plan, opened: Any) -> str:
    return (
        f"No timing here: do_bench needs a CUDA GPU, and this notebook runs on {opened.name}. Colab has a T4 for the asking "
        f"(Runtime, Change runtime type, T4); there this cell takes about {estimate(found):.0f} s (an estimate from bytes ÷ 320 GB/s, "
        "launches and cache flushes, not measured)."
    )


def _case(
    found: plans.Plan,
    shape: plans.Shape,
    entry: Callable,
    samples: Callable,
    compiled: bool,
    opened: Any,
    tell: Callable,
) -> tuple:
    """(the case, ""), or (None, why the answer was not timed); ``tell(case)`` is called after each side."""
    from learning.bench import measure
    from learning.judge import guard

    args, kwargs = found.inputs(
        plans.Draw(plans.seed(found.lesson.slug, shape.name), opened.torch_device), **shape.sizes
    )
    made = entry(*args, **kwargs)
    name = found.lesson.entry
    if not guard.tensors_in(made):
        return None, f"Your {name} returns {made!r} so far: write it first, then time it."
    truths = measure._truths(found, args, kwargs)
    mine, first = _error(made, truths), _error(found.peers[0].call(*args, **kwargs), truths)
    if mine is None or (first is not None and not mine <= WRONG * max(first, 1e-7)):
        return None, f"Not timed: on {shape.about} your {name} is wrong (relative error {mine if mine is None else format(mine, '.1e')}, eager's is {first:.1e}). Fast and wrong is worth nothing: back to the checks."  # fmt: skip
    del made, truths
    work = found.work(*args, **kwargs)
    case = {
        "case": shape.name, "about": shape.about, "answer": f"my {name}", "bytes": work.bytes, "flops": work.flops,
        "tensor_cores": work.tensor_cores, "card": opened.name, "relative_error": mine, "peers": {}, "cold_floor": _beyond_the_cache(args, kwargs),
    }  # fmt: skip
    top = measure._top(opened)
    case["floor"] = 1e6 * roofline.roof(work, top).floor if top is not None else None
    case |= _times(lambda: entry(*args, **kwargs), samples)
    tell(case)
    for peer in found.peers:
        case["peers"][peer.name] = _peer(peer, args, kwargs, samples, compiled)
        tell(case)
    return case, ""


def _beyond_the_cache(args: tuple, kwargs: dict) -> bool:
    """Whether one set of inputs is itself twice what the L2 cache holds: then warm times, too, are memory's."""
    from learning.judge.held import cache_bytes, held_bytes

    return held_bytes(args, kwargs) > 2 * cache_bytes()


def _error(made: Any, truths: Any) -> float | None:
    from learning.bench import measure
    from learning.judge import guard

    errors = measure._errors(guard.tensors_in(made), truths)
    if any("unavailable" in one and isinstance(truths, str) for one in errors):
        return 0.0  # no oracle fits here; the checks have decided
    found = [one.get("relative_l2") for one in errors]
    return None if not found or any(value is None for value in found) else max(found)


def _peer(peer: plans.Peer, args: tuple, kwargs: dict, samples: Callable, compiled: bool) -> dict:
    import torch

    missing = peer.missing() or ("benchmark(…, compiled=True) adds it" if peer.compiled and not compiled else "")
    if missing:
        return {"unavailable": missing, "rounding": peer.rounding}
    try:
        call = torch.compile(peer.call, dynamic=False) if peer.compiled else peer.call
        return {"rounding": peer.rounding, **_times(lambda: call(*args, **kwargs), samples)}
    except Exception as problem:  # a peer that fails here is no fault of the learner's
        return {"unavailable": f"{type(problem).__name__}: {str(problem).splitlines()[0] if str(problem) else ''}"[:120], "rounding": peer.rounding}  # fmt: skip


def _timed_alone(label: str, call: Callable, samples: Callable, opened: Any) -> dict:
    return {"case": label, "answer": "mine", "card": opened.name, "peers": {}, **_times(call, samples)}


def _times(call: Callable, samples: Callable) -> dict:
    """Medians and samples, in µs: cold by ``samples``, warm between events, replayed from a graph where that can be."""
    taken = {"cold": [1e3 * float(ms) for ms in samples(call)], "warm": _warm(call), "graph": _graph(call)}
    taken = {name: values for name, values in taken.items() if values}
    middle = {name: round(statistics.median(values), 3) for name, values in taken.items()}
    if "warm" in middle:
        middle["events"] = middle["warm"]
    found = {"microseconds": middle, "samples": {name: [round(t, 3) for t in values] for name, values in taken.items()}}
    if "graph" in middle and "warm" in middle:
        found["launch_tax"] = round(max(0.0, middle["warm"] - middle["graph"]), 3)
    return found


def _warm(call: Callable) -> list[float]:
    """Microseconds of up to 200 runs one after the other, each between its own events."""
    import torch

    call()
    torch.cuda.synchronize()
    (one,) = roofline.between_events(call, 1)
    count = max(5, min(WARM_RUNS, int(1e3 * WARM_SECONDS / max(one, 1e-3))))
    return [1e3 * ms for ms in roofline.between_events(call, count)]


def _graph(call: Callable) -> list[float]:
    """Microseconds a run when replayed from a CUDA graph, by Triton's own ``do_bench_cudagraph``; none where it cannot be."""
    import torch
    from triton import testing

    stream = torch.cuda.current_stream()
    try:
        with torch.cuda.stream(torch.cuda.Stream()):
            return [1e3 * float(ms) for ms in testing.do_bench_cudagraph(call, return_mode="all")]
    except Exception:  # what cannot be captured has no graph time; the table leaves the field empty
        torch.cuda.set_stream(stream)
        return []


def estimate(found: plans.Plan, card: str = "t4") -> float:
    """Seconds the cell should take on a card, an estimate from its quoted rates: bytes over bandwidth (operations over their
    rate), launches, the cache flushes of ``do_bench``, one second of compiling a candidate. Peers count three times the floor."""
    top = roofline.ceiling(card)
    flush = FLUSH_BYTES / top.bandwidth
    peers = [peer for peer in found.peers if not peer.compiled]
    total = 0.0
    for shape in found.shapes:
        args, kwargs = found.inputs(plans.Draw(0, "meta"), **shape.sizes)
        roof = roofline.roof(found.work(*args, **kwargs), top)
        for passes in (1.0, *[3.0] * len(peers)):
            run = passes * roof.floor + roof.launch
            total += DO_BENCH_SECONDS + 8 * (run + flush)
            total += WARM_SECONDS + 5 * run
            total += max(0.2, GRAPH_RUNS * run)
            total += 5 * run + 1.0
    return total
