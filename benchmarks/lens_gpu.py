"""What the lens says without a GPU, held against a GPU: run once on one, keep the record.

    python benchmarks/lens_gpu.py [--seconds 150] [--output PATH]

1. launches   the stories of the launch hooks with the real launcher, and a hook's time beside do_bench's and the floor
2. registers  of every lesson's kernels, compiled ahead of time for this card, beside what the driver says of them
3. traffic    of five kernels: bytes that the trace counts beside the profiler's DRAM and L1 counters, caches cold
4. ceilings   what roofline.measure() finds here, beside what is quoted for the card

Each part runs in processes of its own and has a time limit; one that fails leaves the others alone, and the record is
written after each. Writes benchmarks/results/lens-gpu.json and prints a table. Exit status: 0 where every part ended and
agreed, 1 where one did not, 3 where there is no CUDA GPU.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "benchmarks" / "results" / "lens-gpu.json"
PARTS = ROOT / "benchmarks" / "lens_gpu_parts.py"
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / "benchmarks"))

import ncu  # noqa: E402
from lens_gpu_parts import MARK  # noqa: E402

from learning.files import replace  # noqa: E402
from learning.lens import nvml  # noqa: E402


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=150.0, help="the time all parts together may take")
    parser.add_argument("--output", type=Path, default=RECORD)
    options = parser.parse_args(argv)
    if nvml.first_gpu() is None or _cuda() is None:
        print("no CUDA GPU on this machine; nothing was run")
        return 3
    return measure(time.monotonic() + options.seconds, options.output)


def _cuda() -> str | None:
    import torch

    return torch.version.cuda


def measure(deadline: float, output: Path) -> int:
    """Run every part before ``deadline`` (of the monotonic clock), write and print as they end."""
    gpu = nvml.first_gpu()
    target = f"sm_{gpu.capability[0] * 10}" if gpu.capability >= (8, 0) else "sm_75"
    record: dict[str, Any] = {"when": datetime.now(UTC).strftime("%Y-%m-%d"), "parts": {}}
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as caches:
        # what needs no GPU starts at once, beside what needs one
        offline = Child("registers-offline", deadline, caches, hidden=True, LENS_TARGET=target)
        traced = Child("traced", deadline, caches, hidden=True)
        for name, part in (
            ("machine", lambda: Child("machine", deadline, caches).result()),
            ("launches", lambda: launches(deadline, caches)),
            ("ceilings", lambda: Child("ceilings", deadline, caches).result()),
            ("registers", lambda: registers(offline, Child("registers-driver", deadline, caches), target)),
            ("traffic", lambda: traffic(traced, deadline, caches)),
        ):
            begun = time.monotonic()
            found = attempt(part)
            found["seconds"] = round(time.monotonic() - begun, 1)
            record["parts"][name] = found
            record["seconds"] = round(time.monotonic() - started, 1)
            write(output, record)
            show(name, found)
        for child in (offline, traced):
            child.end()
    print(f"{record['seconds']} s in all; {output}")
    return (
        0 if all(found["state"] in ("agrees", "measured", "not to be had") for found in record["parts"].values()) else 1
    )


def attempt(part: Callable[[], dict]) -> dict:
    """A part's findings; where it raised, the reason in their place."""
    try:
        return {"state": "measured"} | part()
    except ncu.NotToBeHad as reason:
        return {"state": "not to be had", "reason": str(reason)}
    except Exception as reason:  # one part must not cost the others
        return {"state": "failed", "reason": f"{type(reason).__name__}: {reason}"[:600]}


class Child:
    """One part in a process of its own, started at once; ``result()`` waits for the JSON it prints."""

    def __init__(self, part: str, deadline: float, caches: str, *, hidden: bool = False, **environment: str):
        self.part, self.deadline = part, deadline
        # files, not pipes: two children may talk while nobody listens
        self.out, self.err = (open(Path(caches, f"{part}.{end}"), "w+") for end in ("out", "err"))  # noqa: SIM115
        self.process = subprocess.Popen(
            [sys.executable, str(PARTS), part], cwd=ROOT, stdout=self.out, stderr=self.err,
            env=surroundings(caches, part, hidden) | environment,
        )  # fmt: skip

    def result(self) -> dict:
        try:
            self.process.wait(max(1.0, self.deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise RuntimeError(f"{self.part} did not end in time") from None
        finally:
            self.end()
        said, wrong = (Path(file.name).read_text(errors="replace") for file in (self.out, self.err))
        line = next((line for line in reversed(said.splitlines()) if line.startswith(MARK)), "")
        if not line:
            raise RuntimeError(f"{self.part} ended with status {self.process.returncode}: {wrong.strip()[-500:]}")
        return json.loads(line.removeprefix(MARK))

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for file in (self.out, self.err):
            file.close()


def surroundings(caches: str, part: str, hidden: bool = False) -> dict[str, str]:
    """The environment of a part: a Triton cache of its own, so that nothing compiled elsewhere answers for it; ``hidden``
    takes the GPU out of sight."""
    kept = {name: text for name, text in os.environ.items() if name != "TRITON_INTERPRET"}
    kept |= {"TRITON_CACHE_DIR": str(Path(caches, "triton-" + part)), "PYTHONPATH": str(ROOT)}
    return kept | ({"CUDA_VISIBLE_DEVICES": ""} if hidden else {})


# -- the parts, as the parent sees them


def launches(deadline: float, caches: str) -> dict:
    """The hooks' stories, then their times beside do_bench's."""
    command = [sys.executable, str(ROOT / "tests/lens/stories/run.py"), "cuda", "launching."]
    left = max(1.0, min(60.0, deadline - time.monotonic()))
    timing = Child("timed", deadline, caches)
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=left, cwd=ROOT, env=surroundings(caches, "hooks")
    )
    if done.returncode:
        raise RuntimeError(f"the stories did not run: {done.stderr.strip()[-500:]}")
    stories = {name.removeprefix("launching."): text for name, text in json.loads(done.stdout.splitlines()[-1]).items()}
    failed = {name: text[-400:] for name, text in stories.items() if text}
    return {
        "state": "differs" if failed else "agrees",
        "stories": len(stories),
        "failed": failed,
        "times": timing.result(),
    }


def registers(offline: Child, driver: Child, target: str) -> dict:
    """Every kernel's registers and stack, ahead of time and from the driver."""
    here, there = offline.result(), driver.result()
    rows, missing = [], dict(here["failed"]) | {f"{name} (driver)": why for name, why in there["failed"].items()}
    for name, ahead in here["kernels"].items():
        loaded = there["kernels"].get(name)
        if loaded is None:
            missing.setdefault(name, "the driver's side has no such kernel")
            continue
        same = all(ahead[fact] == loaded[fact] for fact in ("registers", "stack", "shared"))
        rows.append({"kernel": name, "same": same, "same_code": ahead["code"] == loaded["code"],
                     "offline": ahead, "driver": loaded})  # fmt: skip
    agrees = bool(rows) and not missing and all(row["same"] for row in rows)
    return {"state": "agrees" if agrees else "differs", "target": target, "kernels": rows, "missing": missing}


def traffic(traced: Child, deadline: float, caches: str) -> dict:
    """Bytes by the trace beside the profiler's counters, kernel by kernel."""
    tool = ncu.find()
    program = [sys.executable, str(PARTS), "profiled"]
    left, env = max(5.0, min(90.0, deadline - time.monotonic())), surroundings(caches, "profiled")
    try:
        counted = ncu.profile(program, (*ncu.DRAM, *ncu.SECTORS, *ncu.TIME), left, env)
    except ncu.NotToBeHad as reason:
        if "metric" not in str(reason).lower():
            raise
        counted = ncu.profile(program, ncu.DRAM, max(5.0, deadline - time.monotonic()), env)
    rows = []
    for name, row in traced.result().items():
        measured = counted.get(name, {})
        read, written = (measured.get(metric) for metric in ncu.DRAM)
        rows.append(row | {
            "kernel": name, "counters": measured,
            "dram_over_distinct_read": _ratio(read, row["distinct_read"]),
            "dram_over_requested_read": _ratio(read, row["requested_read"]),
            "dram_over_distinct_written": _ratio(written, row["distinct_written"]),
            "sectors_over_traced_read": _ratio(measured.get(ncu.SECTORS[0]), row["sectors_read"]),
            "sectors_over_traced_written": _ratio(measured.get(ncu.SECTORS[1]), row["sectors_written"]),
        })  # fmt: skip
    # DRAM moves at least what the trace calls distinct and at most what it calls requested, sectors counted whole; a write
    # may still lie in the L2 when the kernel ends, and 2 % are left for what the counters add of their own.
    sound = all(
        row["counters"]
        and 0.98 * row["distinct_read"] <= row["counters"][ncu.DRAM[0]] <= 1.02 * 32 * row["sectors_read"]
        for row in rows
    )
    return {"state": "agrees" if sound else "differs", "tool": ncu.version(tool), "kernels": rows}


def _ratio(measured: float | None, counted: float) -> float | None:
    return None if measured is None or not counted else round(measured / counted, 4)


def show(name: str, found: dict) -> None:
    """A part's outcome, and its rows in a few words."""
    print(f"{name:10} {found['state']:14} {found['seconds']:6.1f} s  {found.get('reason', '')}", flush=True)
    for row in found.get("kernels", ()):
        if "offline" in row:
            ahead, loaded = row["offline"], row["driver"]
            print(f"  {row['kernel']:52} {ahead['registers']:4} {loaded['registers']:4} registers, stack {ahead['stack']} {loaded['stack']}"
                  f"{'' if row['same'] else '  DIFFERS'}")  # fmt: skip
        else:
            print(f"  {row['kernel']:34} read {row['requested_read'] / 1e6:8.1f} MB requested, {row['distinct_read'] / 1e6:8.1f} distinct, DRAM "
                  f"{row['counters'].get(ncu.DRAM[0], 0) / 1e6:8.1f}; sectors {row['sectors_over_traced_read']} of the traced")  # fmt: skip
    for story, text in found.get("failed", {}).items():
        print(f"  {story}: {text}")
    for kernel, text in found.get("missing", {}).items():
        print(f"  {kernel}: {text}")
    for kernel, row in found.get("times", {}).items():
        print(
            f"  {kernel:34} hook {row['hook_us']:8.1f} µs, do_bench {row['bench_us']:8.1f} µs, floor {row['floor_us']:8.1f} µs"
        )
    for word in ("measured_here", "quoted"):
        if word in found:
            print(f"  {word}: {found[word]}")


def write(output: Path, record: dict) -> None:
    replace(output, json.dumps(record, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    sys.exit(main())
