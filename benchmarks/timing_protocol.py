"""The timing protocol tried on this GPU: an answer against itself, against slower ones, and the clocks against each other.

    python benchmarks/timing_protocol.py [--runs N] [--seconds S]
        measure, print, write benchmarks/results/timing-protocol.json
    python benchmarks/timing_protocol.py --add [--runs N] [--seconds S]
        add A/A comparisons with graphs to those on record until there are N; the other parts stay

A/A: the same kernel on both sides, each in a worker of its own, N times; how often the 95 % interval holds 1, how often
each verdict is given, how often the control doubts the machine. Slower ones: the same kernel launched five and eight times
against four. Four comparisons are made exactly as a grader makes them, of honest and dishonest answers. Wall against claim:
in how many timed blocks the worker's CUDA events agree with the judge's clock. Blocks are shorter and fewer than in grading (24
pairs of 10 ms against 50 of 20), which makes the task harder, not easier. Each part stands alone: what fails is recorded as failed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "benchmarks" / "results" / "timing-protocol.json"
sys.path.insert(0, str(ROOT))

from learning.bench import record  # noqa: E402
from learning.gates import records  # noqa: E402
from learning.judge import cells, engine, fleet, samples, timing  # noqa: E402
from learning.judge.entry import Entry  # noqa: E402
from learning.judge.line import Line  # noqa: E402
from tools import hardware  # noqa: E402

SOURCE = """
import torch
import triton
import triton.language as tl


@triton.jit
def scale_kernel(x_ptr, out_ptr, n, ROUNDS: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n, other=0.0)
    for _ in range(ROUNDS):
        x = x * 1.0001
    tl.store(out_ptr + offsets, x, mask=offsets < n)


def scaled(x, times):
    out = torch.empty_like(x)
    for _ in range(times):
        scale_kernel[(triton.cdiv(x.numel(), 1024),)](x, out, x.numel(), ROUNDS=1, BLOCK=1024)
    return out


def once(x):
    return scaled(x, 1)


def four(x):
    return scaled(x, 4)


def five(x):
    return scaled(x, 5)


def eight(x):
    return scaled(x, 8)


def uncapturable(x):
    out = scaled(x, 4)
    torch.cuda.synchronize()
    return out


KEPT = {}


def remembers(x):
    key = x.data_ptr()
    if key not in KEPT:
        KEPT[key] = scaled(x, 4)
    return KEPT[key]


def moody(x):
    MOOD[0] += 1
    return scaled(x, 4 if MOOD[0] % 3 else 16)


MOOD = [0]
"""


GRADED = timing.Protocol()
SHORT = timing.Protocol(block_seconds=0.010, pairs=24, audits=4)


class Pair:
    """Two workers that hold SOURCE; ``entries(ours, theirs)`` gives a function of each."""

    def __init__(self, servers: fleet.Servers, device: str = "cuda"):
        limits = engine.Limits(call_seconds=20.0, total_seconds=1e6)
        self.lines = [Line(servers, device, [("answer", SOURCE, cells.ANSWER)], limits, checks=1) for _ in range(2)]
        for line in self.lines:
            line.begin()

    def entries(self, ours: str, theirs: str) -> tuple[Entry, Entry]:
        return Entry(ours, self.lines[0]), Entry(theirs, self.lines[1])

    def close(self) -> None:
        for line in self.lines:
            line.close()


def main(argv: list[str] | None = None) -> int:
    """Exit status 0: every part ran; 1: some failed (the record says which); 3: no GPU."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200, help="A/A comparisons (200)")
    parser.add_argument("--seconds", type=float, default=110.0, help="stop the A/A comparisons after so long (110)")
    parser.add_argument(
        "--add", action="store_true", help="add A/A comparisons to the record; nothing else is measured"
    )
    options = parser.parse_args(argv)
    if not hardware.has_cuda():
        return 3
    import torch

    from learning.lens import device

    opened = device.open("cuda")
    started = time.perf_counter()
    rows = {str(what): str(value) for what, value in opened.details}
    found: dict = {"format": 1, "card": opened.name, "machine": rows, "environment": records.environment(), "parts": {}}
    x = torch.randn(1 << 22, device="cuda")  # 16 MiB: some 10 µs on an H200, 100 µs on a T4
    kept, parts = {}, PARTS
    if options.add:
        found = json.loads(RECORD.read_text(encoding="utf-8"))
        if found["card"] != opened.name:
            print(f"the record is of {found['card']}, this card is {opened.name}; nothing was measured")
            return 1
        kept, parts = found["parts"][ADDED], {ADDED: PARTS[ADDED]}
        options.runs = max(0, options.runs - kept["n"])
        if not options.runs:
            print(f"{kept['n']} comparisons are on record already; nothing was measured")
            return 0
    with fleet.Servers() as servers:
        for name, part in parts.items():
            began = time.perf_counter()
            pair = Pair(servers)
            try:
                told = part(pair, x, options)
            except Exception as problem:
                traceback.print_exc()
                told = {"failed": f"{type(problem).__name__}: {problem}"}
            finally:
                pair.close()
            told["seconds"] = round(time.perf_counter() - began, 1)
            if options.add and "failed" not in told:
                told = joined(kept, told)
            found["parts"][name] = told
            print(f"{name}: {short(found['parts'][name])}", flush=True)
            found["seconds"] = round(time.perf_counter() - started, 1)
            record.write(RECORD, found)
    return 1 if any("failed" in part for part in found["parts"].values()) else 0


def short(told: dict) -> str:
    return ", ".join(f"{key} {value}" for key, value in told.items() if not isinstance(value, (list, dict)))


def many(
    pair: Pair, x, ours: str, theirs: str, protocol: timing.Protocol, runs: int, seconds: float
) -> list[timing.Verdict]:
    """``runs`` comparisons on one pair of workers, fewer where ``seconds`` are over; the workers and graphs are set up once."""
    answer, anchor = pair.entries(ours, theirs)
    from learning.lens import nvml

    verdicts, ends = [], time.perf_counter() + seconds
    duel = timing.Duel(answer, anchor, (x,), {}, protocol)
    with nvml.Watch() as watch:
        while not verdicts or (len(verdicts) < runs and time.perf_counter() < ends):
            verdicts.append(duel.fight((), watch.look))
    return verdicts


def summed(verdicts: list[timing.Verdict], truth: float | None) -> dict:
    """What a list of comparisons says, ``truth`` being the ratio that the work has where that is known."""
    if not verdicts:
        raise RuntimeError("no comparison was made in the time there was")
    found = [samples.Ratio(v.ratio, v.low, v.high) for v in verdicts]
    middle = truth or statistics.median(one.ratio for one in found)
    held = samples.share(sum(one.low <= middle <= one.high for one in found), len(found))
    doubted = samples.share(sum(bool(v.doubt) for v in verdicts), len(verdicts))
    blocks = sum(v.pairs for v in verdicts)
    agreed = samples.share(sum(v.agreed for v in verdicts), blocks)
    widths = [one.high / one.low - 1 for one in found]
    return {
        "n": len(verdicts),
        "mode": verdicts[0].mode,
        "pairs": verdicts[0].pairs,
        "calls": verdicts[0].calls,
        "copies": verdicts[0].copies,
        "cold": verdicts[0].cold,
        "microseconds": round(statistics.median(v.answer_seconds for v in verdicts) * 1e6, 3),
        ("interval_holds_1" if truth else "interval_holds_the_median_of_all"): held.text(),
        "interval_holds_share": [held.low, held.k / held.n, held.high],
        "verdicts": dict(Counter(one.verdict for one in found)),
        "against_the_bar_1.25": dict(Counter(one.against(1.25) for one in found)),
        "doubted": doubted.text(),
        "wall_agrees_with_claim": agreed.text(),
        "ratio_median": round(statistics.median(one.ratio for one in found), 5),
        "ratio_range": [round(min(one.ratio for one in found), 5), round(max(one.ratio for one in found), 5)],
        "interval_width_median": round(statistics.median(widths), 5),
        "ratios": [round(one.ratio, 5) for one in found],
        "lows": [round(one.low, 5) for one in found],
        "highs": [round(one.high, 5) for one in found],
        "clock": list(verdicts[-1].clock or ()),
        "held_down": sorted({name for v in verdicts for name in v.throttled}),
    }


def joined(kept: dict, new: dict) -> dict:
    """Two runs of the A/A part as one: counts added, medians taken again from every ratio; what belongs to a run (calls, clock) is
    the later one's, and ``runs`` says how many comparisons each had."""
    told = dict(new)
    lists = {name: kept[name] + new[name] for name in ("ratios", "lows", "highs")}
    found = [samples.Ratio(*one) for one in zip(lists["ratios"], lists["lows"], lists["highs"], strict=True)]
    held = samples.share(sum(one.low <= 1.0 <= one.high for one in found), len(found))
    told |= lists | {
        "n": len(found),
        "runs": [*kept.get("runs", [kept["n"]]), new["n"]],
        "interval_holds_1": held.text(),
        "interval_holds_share": [held.low, held.k / held.n, held.high],
        "verdicts": dict(Counter(kept["verdicts"]) + Counter(new["verdicts"])),
        "against_the_bar_1.25": dict(Counter(kept["against_the_bar_1.25"]) + Counter(new["against_the_bar_1.25"])),
        "ratio_median": round(statistics.median(lists["ratios"]), 5),
        "ratio_range": [min(lists["ratios"]), max(lists["ratios"])],
        "interval_width_median": round(statistics.median(one.high / one.low - 1 for one in found), 5),
        "held_down": sorted({*kept["held_down"], *new["held_down"]}),
        "seconds": round(kept["seconds"] + new["seconds"], 1),
    }
    for name in ("doubted", "wall_agrees_with_claim"):
        counts = [[int(part) for part in one[name].split(" (")[0].split(" of ")] for one in (kept, new)]
        told[name] = samples.share(sum(k for k, _ in counts), sum(n for _, n in counts)).text()
    return told


def same(graph: bool) -> Callable:
    """A/A with graphs, or with plain calls."""

    def part(pair: Pair, x, options) -> dict:
        protocol = replace(SHORT, graph=graph)
        runs, seconds = (options.runs, options.seconds) if graph else (max(10, options.runs // 8), options.seconds / 10)
        return summed(many(pair, x, "four", "four", protocol, runs, seconds), 1.0)

    return part


def slower(ours: str) -> Callable:
    """An answer that launches the same kernel more often than the anchor's four times; the first launch alone reads from
    memory, the others from L2, so the ratio of the times is not that of the launches."""

    def part(pair: Pair, x, options) -> dict:
        return summed(many(pair, x, ours, "four", SHORT, 20, 6), None)

    return part


def graded(ours: str) -> Callable:
    """One comparison exactly as a grader makes it."""

    def part(pair: Pair, x, options) -> dict:
        answer, anchor = pair.entries(ours, "four")
        began = time.perf_counter()
        try:
            verdict = timing.compare(answer, anchor, (x,), {}, bars=(1.25, 2.0), protocol=GRADED)
        except timing.NotComputed as problem:
            return {"refused": str(problem)}
        spent = time.perf_counter() - began
        fraction, why = verdict.points(full=1.25, half=2.0)
        return {
            "sentence": verdict.sentence(),
            "fraction": fraction,
            "why": why,
            "doubt": verdict.doubt,
            "took": round(spent, 2),
        }

    return part


PARTS: dict[str, Callable] = {
    "graded as in a check: an equal answer": graded("four"),
    "graded as in a check: what cannot be captured": graded("uncapturable"),
    "graded as in a check: results remembered by address": graded("remembers"),
    "graded as in a check: every third call slow": graded("moody"),
    "five launches against four": slower("five"),
    "eight launches against four": slower("eight"),
    "A/A, plain calls": same(False),
    (ADDED := "A/A, graph replays"): same(True),
}


if __name__ == "__main__":
    sys.exit(main())
