"""Every lesson's answer, its tuned versions too, under NVIDIA's compute-sanitizer on this GPU; the record is kept.

    python benchmarks/sanitizer.py [LESSON…]     run, print a line each, write benchmarks/results/sanitizer.json; capstones too

memcheck (out-of-bounds and misaligned accesses), initcheck (reads of memory that nothing wrote) and racecheck (races on
shared memory) each see the answer called on the small inputs of the lesson's benchmark plan, ragged where the plan is; what has no
plan runs the small case of its trace_case.py instead.
torch's caching allocator is off, so that every tensor is an allocation of its own. Exit status 0: all clean; 1: something was
reported; 3: no GPU or no compute-sanitizer.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "benchmarks" / "results" / "sanitizer.json"
sys.path.insert(0, str(ROOT))

from learning import lesson as lessons  # noqa: E402
from learning.bench import plan  # noqa: E402

TOOLS = ("memcheck", "initcheck", "racecheck")
REPORTED = 9
SECONDS = 150


def main(argv: list[str] | None = None) -> int:
    """Run what the module's docstring says; the exit status is told there."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lessons", nargs="*")
    parser.add_argument("--slots", type=int, default=6, help="runs at a time")
    parser.add_argument("--call", metavar="LESSON", help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.call:
        from learning.lens import device

        return call(lessons.load(options.call), device.open("cuda"))
    import torch

    program = shutil.which("compute-sanitizer")
    if not torch.cuda.is_available() or program is None:
        print("this needs a CUDA GPU and compute-sanitizer (CUDA toolkit); nothing was run")
        return 3
    chosen = [lessons.find(name) for name in options.lessons] or lessons.discover() + lessons.discover("capstone")
    jobs = [(lesson.slug, tool) for lesson in chosen if lesson.kind == "gpu" for tool in TOOLS]
    with ThreadPoolExecutor(options.slots) as pool:
        rows = list(pool.map(lambda job: watched(program, *job), jobs))
    kept = json.loads(RECORD.read_text()) if RECORD.exists() else {"runs": {}}
    for row in rows:
        print(f"{row['lesson']:18} {row['tool']:9} {row['seconds']:6.1f} s  {row['told']}", flush=True)
        kept["runs"].setdefault(row.pop("lesson"), {})[row.pop("tool")] = row
    kept |= {
        "machine": torch.cuda.get_device_name(),
        "torch": torch.__version__,
        "date": datetime.now(UTC).date().isoformat(),
    }
    kept["tool"] = (
        subprocess.run([program, "--version"], capture_output=True, text=True).stdout.strip().splitlines()[-1]
    )
    from learning.files import replace

    replace(RECORD, json.dumps(kept, indent=1, sort_keys=True) + "\n")
    return 0 if all(row["clean"] for row in rows) else 1


def watched(program: str, slug: str, tool: str) -> dict:
    """One lesson under one tool."""
    from learning import attempts, sources

    command = [program, "--tool", tool, "--error-exitcode", str(REPORTED), "--print-limit", "20"]
    environment = os.environ | {
        "PYTORCH_NO_CUDA_MEMORY_CACHING": "1",
        "TRITON_CACHE_DIR": tempfile.mkdtemp(prefix="sanitizer-"),
    }
    started = time.perf_counter()
    try:
        done = subprocess.run(
            [*command, sys.executable, __file__, "--call", slug],
            env=environment,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        text, status = done.stdout + done.stderr, done.returncode
    except subprocess.TimeoutExpired:
        text, status = "", 124
    summary = re.findall(r"(?:ERROR|RACECHECK) SUMMARY: .*", text)
    kinds = re.findall(
        r"(?:Invalid|Uninitialized|Error:|Race)[^\n]*\n=+ +at ([^\n]*)", text
    )  # which kernel, and where in it
    first = "; ".join([*dict.fromkeys(re.findall(r"(?:Invalid|Uninitialized)[^\n]*", text)), *dict.fromkeys(kinds)][:6])
    called = re.findall(r"^called: .*", text, re.M)
    return {
        "lesson": slug,
        "tool": tool,
        "clean": status == 0 and bool(called),
        "told": "; ".join(
            [
                *summary,
                *([first] if status else []),
                *(called or [f"nothing was called, status {status}: {text[-300:]}"]),
            ]
        ),
        "seconds": round(time.perf_counter() - started, 1),
        "source": sources.code_sha256(attempts.answer(lessons.load(slug)).source),
    }


def call(lesson: lessons.Lesson, opened: Any) -> int:
    """On the ``Device`` that is open, call the answer and its tuned versions on the plan's small inputs, or without a plan on the
    small case that is traced."""
    import torch

    from learning.bench import runner
    from learning.judge import engine
    from learning.lens import rehearsal
    from learning.workshops import timing

    where, notebook = opened.torch_device, engine.instructor_notebook(lesson)
    if plan.has_plan(lesson):
        found = plan.load(lesson)
        job = timing.job_of(lesson, notebook, None, timing="graph")
        entries = runner.load(job["loads"], job["answers"])
        args, kwargs = found.inputs(plan.Draw(0, where), **found.tiny)
        calls = {name: lambda entry=entry: entry(*args, **kwargs) for name, entry in entries.items()}
    else:
        entries = runner.load(timing.supplied(lesson, notebook), {name: name for name in lesson.entries})
        calls = {"the small case": lambda: rehearsal.case_of(lesson.folder)(*entries.values())}
    for name, called in calls.items():
        with torch.device(where):  # a small case makes its tensors where the process stands
            called()
        if opened.kind == "cuda":
            torch.cuda.synchronize()
        print(f"called: {name}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
