"""What the judge itself costs: server start, fork to ready, one call, large tensors, a whole submission.

    python benchmarks/judge_overhead.py [--plain] [--json FILE]

Prints one row a measurement (median and range of several) and, with ``--json``, writes them with the machine's
description. The submission is ``vector_add``'s answer against its own notebook; its overhead is the wall time outside
the checks.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import statistics
import time

import torch

from learning import lesson as lessons
from learning.judge import cells, engine, fleet
from learning.judge.entry import Entry
from learning.judge.line import Line
from learning.lens import device as door

ECHO = "def echo(x):\n    return None\n\n\ndef back(x):\n    return x\n"


def main() -> None:
    """Measure, print, and write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--plain", action="store_true", help="leave bubblewrap and namespaces out")
    parser.add_argument("--json", help="write the result to this file")
    options = parser.parse_args()
    device = door.open()
    walls = {"wrap": False, "isolate": False} if options.plain else {}
    rows: dict[str, list[float]] = {}
    started = time.perf_counter()
    with fleet.Servers(**walls) as servers:
        server = servers.get(device.kind)
        rows["server: cold start (s)"] = [time.perf_counter() - started]
        limits = engine.Limits.on(device.kind)
        rows["fork to ready (ms)"] = [1e3 * ready(server, limits) for _ in range(15)]
        line = Line(servers, device.kind, [("echo", ECHO, "answer")], limits, checks=1)
        line.begin()
        echo, back = Entry("echo", line), Entry("back", line)
        small = torch.randn(1000, device=device.torch_device)
        large = torch.randn(16 << 20, device=device.torch_device)
        rows["call with 4 kB (ms)"] = [1e3 * seconds(echo, small) for _ in range(200)][20:]
        rows["call with 64 MiB there, input and output back (ms)"] = [1e3 * seconds(back, large) for _ in range(5)]
        line.close()
        card = lessons.load("vector_add")
        text = (card.folder / "answer.py").read_text()
        for name in ("seconds", "overhead"):
            rows[f"submission: {name} (s)"] = []
        for _ in range(6):
            graded = engine.grade(card, cells.LearnerCells.from_python(text), device=device.kind, servers=servers)
            rows["submission: seconds (s)"].append(graded.seconds)
            rows["submission: overhead (s)"].append(graded.overhead_seconds)
        sandbox, earned = graded.sandbox, [(r.check, r.state) for r in graded.results]
    report = {
        "device": device.name,
        "kind": device.kind,
        "processor": f"{platform.machine()}, {os.cpu_count()} cores",
        "load": os.getloadavg()[0],
        "torch": torch.__version__,
        "sandbox": sandbox,
        "checks": earned,
        "rows": {name: summary(values) for name, values in rows.items()},
    }
    for name, value in report["rows"].items():
        print(f"{name:<55}{value['median']:>10.4g}   ({value['low']:.4g} to {value['high']:.4g}, n = {value['n']})")
    print(f"{report['device']}; {report['processor']}; load {report['load']:.1f}; {sandbox}")
    print(earned)
    if options.json:
        with open(f"{options.json}.part", "w") as file:
            json.dump(report, file, indent=1)
        os.replace(f"{options.json}.part", options.json)


def ready(server: fleet.ForkServer, limits: engine.Limits) -> float:
    """Seconds from asking for a worker until it can be asked."""
    started = time.perf_counter()
    worker = server.worker(limits)
    worker.wait_ready()
    taken = time.perf_counter() - started
    worker.kill()
    return taken


def seconds(entry: Entry, argument: torch.Tensor) -> float:
    """Seconds of one guarded call, packing and unpacking included."""
    started = time.perf_counter()
    entry.guarded((argument,))
    return time.perf_counter() - started


def summary(values: list[float]) -> dict[str, float]:
    """Median, extremes and count."""
    return {"median": statistics.median(values), "low": min(values), "high": max(values), "n": len(values)}


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
