"""How much of the GPU's memory each lesson needs at its fullest, under a cap of 12 GB; the record is kept.

    python benchmarks/peak_memory.py [LESSON…]     run, print a line each, write benchmarks/results/peak-memory.json

Each lesson has a process of its own, which may not allocate more than 12 GB. There the notebook's cells run from top to bottom
with the answer typed in, its benchmark cell included; then the benchmark's shapes are timed as the command times them, with
every peer that is installed. Kept are torch's peaks (allocated: in tensors; reserved: held from the card) and the most that the
driver saw taken on the whole card beyond what was taken before the process began: its context, libraries and tensors together.
Exit status 0: every lesson ran within 12 GB; 1: one did not, or failed; 3: no GPU.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import runpy
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "benchmarks" / "results" / "peak-memory.json"
sys.path.insert(0, str(ROOT))

from learning import course  # noqa: E402
from learning import lesson as lessons  # noqa: E402
from learning.bench import plan  # noqa: E402
from tools import hardware  # noqa: E402

CAP = 12e9
"""Bytes that a lesson may take of a 16 GB T4, of which drivers and hosts keep a part for themselves."""
SECONDS = 400
LOOK_EVERY = 0.01
RESULT = "peak memory: "


def main(argv: list[str] | None = None) -> int:
    """Run what the module's docstring says; the exit status is told there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lessons", nargs="*")
    parser.add_argument("--measure", metavar="LESSON", help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.measure:
        print(RESULT + json.dumps(measure(lessons.load(options.measure))), flush=True)
        return 0
    if not hardware.has_cuda():
        return 3
    import torch

    from learning.files import replace
    from learning.gates import records

    chosen = [lessons.find(name) for name in options.lessons] or lessons.discover()
    kept = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.is_file() else {"format": 1, "lessons": {}}
    right = True
    for lesson in (one for one in chosen if plan.has_plan(one)):
        found = apart(lesson)
        right &= found.get("fits", False)
        print(f"{lesson.slug:20} {sentence(found)}", flush=True)
        kept["lessons"][lesson.slug] = found
        kept |= {
            "card": torch.cuda.get_device_name(),
            "cap": CAP,
            "environment": records.environment(),
            "date": datetime.now(UTC).date().isoformat(),
        }
        replace(RECORD, json.dumps(kept, indent=1) + "\n")
    return 0 if right else 1


def sentence(found: dict) -> str:
    """One lesson's record in words."""
    if "failed" in found:
        return f"FAILED: {found['failed']}"
    parts = [f"{name} {part['allocated'] / 1e9:.2f} GB in tensors" for name, part in found["parts"].items()]
    return (
        f"{'fits' if found['fits'] else 'DOES NOT FIT'}: {found['taken'] / 1e9:.2f} GB of the card; {', '.join(parts)}"
    )


def apart(lesson: lessons.Lesson) -> dict:
    """The lesson measured in a fresh process: its record, or ``{"failed": why}``."""
    from learning.bench import record

    started = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="peak-memory-") as folder:
        command = [sys.executable, str(Path(__file__).resolve()), "--measure", lesson.slug]
        environment = os.environ | {"PYTHONPATH": str(ROOT), "MPLBACKEND": "agg"}
        try:
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return {"failed": f"it was not done after {SECONDS} s"}
    told = [line for line in done.stdout.splitlines() if line.startswith(RESULT)]
    if done.returncode or not told:
        last = (done.stderr.strip() or done.stdout.strip() or "nothing was said").splitlines()[-1]
        return {"failed": f"exit status {done.returncode}: {last[:300]}"}
    found = json.loads(told[-1].removeprefix(RESULT))
    return {
        "fits": found["taken"] <= CAP,
        **found,
        "plan_source": record.plan_hash(lesson),
        "seconds": round(time.perf_counter() - started, 1),
    }


def script(lesson: lessons.Lesson) -> str:
    """The release as a script, our answer typed in: the notebook's code cells in order, without the hidden tests."""
    from learning.judge import cells, engine

    parts = []
    for cell in engine.instructor_notebook(lesson)["cells"]:
        if cell["cell_type"] == "code":
            source = course.text(cell)
            if cells.role_of(cell) == "hidden":
                source = source.split("### BEGIN HIDDEN TESTS")[0]
            parts.append(f"# %% {cell['id']}\n{source}\n")
    return "\n".join(parts)


def measure(lesson: lessons.Lesson) -> dict:
    """In this process, which has the GPU to itself: bytes by part, and the most that was taken of the card beyond what was
    taken before this process touched it."""
    import torch

    from learning.lens import nvml

    with nvml.Watch() as driver:
        before = driver.taken()
        if before is None:
            raise RuntimeError("the driver's library (NVML) does not tell how much of the card is taken")
        total = torch.cuda.mem_get_info()[1]
        torch.cuda.set_per_process_memory_fraction(min(1.0, CAP / total))
        with watch(driver) as seen:
            parts = {
                "notebook": part(torch, lambda: run_cells(lesson)),
                "shapes": part(torch, lambda: time_shapes(lesson)),
            }
    return {"parts": parts, "taken": max(seen) - before, "card_bytes": total}


def part(torch, work) -> dict:
    """The peaks of torch's allocator while ``work()`` runs."""
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    work()
    torch.cuda.synchronize()
    return {"allocated": torch.cuda.max_memory_allocated(), "reserved": torch.cuda.max_memory_reserved()}


def run_cells(lesson: lessons.Lesson) -> None:
    """The notebook's cells as a script in the working folder. What a cell displays is not drawn, and needs no GPU memory."""
    path = Path(f"{lesson.slug}.py")
    path.write_text(script(lesson), encoding="utf-8")
    with contextlib.redirect_stdout(sys.stderr):
        runpy.run_path(str(path), run_name="__main__")


def time_shapes(lesson: lessons.Lesson) -> None:
    """The plan's shapes as ``python -m learning.workshops.benchmark --solution`` holds them, in few rounds."""
    from learning.attempts import answer
    from learning.bench import runner
    from learning.judge import cells, engine
    from learning.lens import device

    setups = engine.Plan.of(engine.instructor_notebook(lesson), lesson).setups
    loads = [[f"setup-{name}", source, cells.SETUP] for name, source in setups]
    loads.append(["answer.py", answer(lesson).source, cells.ANSWER])
    labels = {name: name for name in (lesson.entry, *plan.load(lesson).tuned)}
    job = runner.job(lesson.slug, loads, labels, rounds=4, few=2, compiled=False)
    functions = runner.load(job["loads"], job["answers"])
    runner.measured(job, functions, device.current(), lambda text: None)


@contextlib.contextmanager
def watch(driver) -> Iterator[list[int]]:
    """Bytes taken of the card, asked of the driver every 10 ms until the block ends; the list grows meanwhile."""
    seen, done = [driver.taken() or 0], threading.Event()

    def look() -> None:
        while not done.wait(LOOK_EVERY):
            seen.append(driver.taken() or 0)

    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield seen
    finally:
        done.set()
        watcher.join()


if __name__ == "__main__":
    sys.exit(main())
