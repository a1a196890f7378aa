"""What compiling for a virtual T4 adds to judging the lessons' own answers.

    python benchmarks/judge_compiling.py [LESSON…]

Every check of a lesson runs in one process, with fresh kernels each time as in a fresh worker, in three modes: interpreted
only ("plain"), compiled as far as the judge's verdict goes ("verdict", learning/lens/verdict.py), and compiled whole as
in a notebook, with an empty cache for each check ("whole"). Processor seconds, the assembler's included, so that a busy
machine does not decide. The record is kept in benchmarks/results/lens-overhead.json under "judge" and Triton's version.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "benchmarks" / "results" / "lens-overhead.json"
sys.path.insert(0, str(ROOT))
MODES = ("plain", "verdict", "whole")
LESSONS = ("vector_add", "strided_copy", "softmax", "strided_softmax")


def seconds() -> float:
    """Processor seconds of this process and of the children it has waited for."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(part.ru_utime + part.ru_stime for part in used)


def measure(mode: str, slugs: list[str]) -> dict:
    """In the child: {lesson: {checks, kernels compiled, processor seconds}}."""
    from learning.lens import device

    device.open("interpreter" if mode == "plain" else "t4")
    import torch

    from learning import attempts, lesson
    from learning.judge import engine, setting, warmup

    torch.set_num_threads(1)
    compiled: list[str] = []
    if mode == "whole":
        from triton import knobs

        knobs.compilation.listener = lambda **_: compiled.append("")
    elif mode == "verdict":
        from learning.lens import verdict

        judge = verdict.judge
        verdict.judge = lambda *asked: compiled.append("") or judge(*asked)
        verdict.only()
    warmup.launch()
    found = {}
    for slug in slugs:
        card = lesson.load(slug)
        source = attempts.answer(card).source
        plan = engine.Plan.of(engine.instructor_notebook(card), card)
        compiled.clear()
        took = 0.0
        for number, cell in enumerate(plan.checks):
            shutil.rmtree(os.environ["TRITON_CACHE_DIR"], ignore_errors=True)
            namespace = {"__name__": "judge"}
            file = Path(os.environ["TRITON_CACHE_DIR"] + f"-{slug}-{number}.py")
            file.write_text(source)
            here = setting.Setting(lesson=slug, device="interpreter", cells=lambda: [("answer", source)])  # noqa: B023
            with setting.use(here):
                for name, text in plan.setups:
                    exec(compile(text, f"<{name}>", "exec", dont_inherit=True), namespace)
                exec(compile(source, str(file), "exec", dont_inherit=True), namespace)
                before = seconds()
                engine._define(cell, namespace)
                engine._check(cell, namespace, card, "")
                took += seconds() - before
        found[slug] = {"checks": len(plan.checks), "compiled": len(compiled), "seconds": round(took, 2)}
    return found


def main() -> int:
    slugs = sys.argv[1:] or list(LESSONS)
    if slugs[0] == "--child":
        print(json.dumps(measure(slugs[1], slugs[2:])))
        return 0
    modes = {}
    with tempfile.TemporaryDirectory() as folder:
        for mode in MODES:
            clean = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
            environment = clean | {"TRITON_CACHE_DIR": f"{folder}/{mode}", "CUDA_VISIBLE_DEVICES": ""}
            done = subprocess.run(
                [sys.executable, __file__, "--child", mode, *slugs], env=environment, capture_output=True, text=True
            )
            if done.returncode:
                raise RuntimeError(f"{mode}: {done.stderr[-1000:]}")
            modes[mode] = json.loads(done.stdout.splitlines()[-1])
    rows = {}
    for slug in slugs:
        plain, verdict, whole = (modes[mode][slug] for mode in MODES)
        rows[slug] = {
            "checks": plain["checks"],
            "plain_seconds": plain["seconds"],
            "verdicts": verdict["compiled"],
            "verdict_seconds": verdict["seconds"],
            "whole_compilations": whole["compiled"],
            "whole_seconds": whole["seconds"],
        }
        print(slug, rows[slug], flush=True)
    import triton

    from learning.files import replace
    from tools import hardware

    kept = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    kept[f"judge, triton {triton.__version__}"] = {
        "when": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": hardware.sentence(),
        "versions": hardware.versions(),
        "lessons": rows,
    }
    replace(RECORD, json.dumps(kept, indent=1, sort_keys=True) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
