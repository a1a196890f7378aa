"""What the judge itself costs: server start, fork to ready, one call, large tensors, a whole submission.

    python benchmarks/judge_overhead.py [--plain] [--json FILE]

Prints one row a measurement (median and range of several) and, with ``--json``, writes them with the machine's
description. The submission is ``vector_add``'s answer against its own notebook, without the check that measures
time.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from learning import lesson as lessons
from learning.files import replace
from learning.judge import cells, engine, fleet
from learning.judge.entry import Entry
from learning.judge.line import Line
from learning.lens import device as door
from tools import hardware

ECHO = "def nothing(x):\n    return None\n\n\ndef back(x):\n    return x\n"


def main() -> None:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plain", action="store_true", help="leave bubblewrap and namespaces out")
    parser.add_argument("--json", help="write the result to this file")
    options = parser.parse_args()
    device = door.open()
    walls = {"wrap": False, "isolate": False} if options.plain else {}
    forks, large_calls, submissions = (5, 3, 2) if device.kind == "cuda" else (15, 5, 6)
    report = {
        "device": device.name,
        "kind": device.kind,
        "machine": hardware.sentence(),
        "torch": torch.__version__,
        "rows": {},
    }

    def row(name: str, values: list[float]) -> None:
        value = report["rows"][name] = summary(values)
        print(
            f"{name:<55}{value['median']:>10.4g}   ({value['low']:.4g} to {value['high']:.4g}, n = {value['n']})",
            flush=True,
        )

    print(f"{report['device']}; {report['machine']}")
    started = time.perf_counter()
    with fleet.Servers(**walls) as servers:
        server = servers.get(device.place)
        row("server: cold start (s)", [time.perf_counter() - started])
        print(server.held.sentence())
        limits = engine.Limits.on(device.kind)
        row("fork to ready (ms)", [1e3 * ready(server, limits) for _ in range(forks)])
        line = Line(servers, device.place, [("echo", ECHO, "answer")], limits, checks=1)
        line.begin()
        nothing, back = Entry("nothing", line), Entry("back", line)
        small = torch.randn(1000, device=device.torch_device)
        large = torch.randn(16 << 20, device=device.torch_device)
        row("call with 4 kB (ms)", [1e3 * seconds(nothing, small) for _ in range(200)][20:])
        row("call with 64 MiB, input and output back (ms)", [1e3 * seconds(back, large) for _ in range(large_calls)])
        line.close()
        card = lessons.load("vector_add")
        answer = cells.LearnerCells.from_python((card.folder / "answer.py").read_text())
        timed = {check for check in public_checks(card) if not check.startswith("runs_within")}
        graded = [
            engine.grade(card, answer, device=device.place, servers=servers, only=timed) for _ in range(submissions)
        ]
        row("submission (vector_add, without its timing check): s", [one.seconds for one in graded])
        row("submission: outside the checks (s)", [one.overhead_seconds for one in graded])
        report["sandbox"] = graded[-1].sandbox
        report["checks"] = {result.check: result.state for result in graded[-1].results}
    print(report["checks"])
    if options.json:
        replace(options.json, json.dumps(report, indent=1) + "\n")


def public_checks(card: lessons.Lesson) -> list[str]:
    """The names of the lesson's checks, hidden ones too."""
    return [check.check for check in engine.Plan.of(engine.instructor_notebook(card), card).checks]


def ready(server: fleet.ForkServer, limits: engine.Limits) -> float:
    """Seconds from asking for a worker until it can be asked."""
    started = time.perf_counter()
    worker = server.worker(limits)
    worker.wait_ready()
    taken = time.perf_counter() - started
    worker.kill()
    return taken


def seconds(entry: Entry, argument: torch.Tensor) -> float:
    """Seconds of one guarded call, packing and unpacking included. Raises ``RuntimeError`` where the call failed."""
    started = time.perf_counter()
    called = entry.guarded((argument,))
    if called.fault is not None:
        raise RuntimeError(f"the call failed: {called.fault.sentence()}")
    return time.perf_counter() - started


def summary(values: list[float]) -> dict[str, float]:
    """Median, extremes and count."""
    return {"median": statistics.median(values), "low": min(values), "high": max(values), "n": len(values)}


if __name__ == "__main__":
    main()
