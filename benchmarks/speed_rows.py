"""The course's speed table on this GPU: each lesson's answer beside the peers its rows name, in one run; recorded.

    python benchmarks/speed_rows.py [LESSON…]     measure, print the table, write benchmarks/results/speed-rows.json
    python benchmarks/speed_rows.py --all-shapes  every shape of every lesson, rows or not (longer)
    python benchmarks/speed_rows.py --stale       list the lessons whose record no longer belongs to their sources

A lesson's rows are ``ROWS`` of its ``benchmark.py``. A row is met where the median ratio of paired blocks is at most the
row's bar; the interval says how sure that is. Peers whose library is missing leave their row unmeasured, and it says so.
Records of lessons that are not measured in a run stay.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "benchmarks" / "results" / "speed-rows.json"
sys.path.insert(0, str(ROOT))

from learning import lesson as lessons  # noqa: E402
from learning import sources  # noqa: E402
from learning.attempts import answer  # noqa: E402
from learning.bench import plan, record, report, results, runner  # noqa: E402
from learning.judge import engine  # noqa: E402
from learning.workshops import timing  # noqa: E402
from tools import hardware  # noqa: E402


def main(argv: list[str] | None = None) -> int:
    """Exit status 0: every measured row is met; 1: some is not, or a lesson failed; 3: no GPU."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lessons", nargs="*")
    parser.add_argument("--all-shapes", action="store_true")
    parser.add_argument("--stale", action="store_true")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--block-ms", type=float, default=10.0)
    options = parser.parse_args(argv)
    chosen = [lessons.find(name) for name in options.lessons] or lessons.discover() + lessons.discover("capstone")
    chosen = [one for one in chosen if plan.has_plan(one) and (options.all_shapes or plan.load(one).rows)]
    kept = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else record.whole([], [])
    if options.stale:
        return stale(chosen, kept)
    if not hardware.has_cuda():
        return 3
    from learning.lens import device

    opened = device.open("cuda")
    how = {"rounds": options.rounds, "few": 10, "block_seconds": options.block_ms / 1e3}
    right = True
    with runner.Runner("cuda", seconds=150) as child:
        for lesson in chosen:
            try:
                made = measure(lesson, child, opened, how, every=options.all_shapes)
            except Exception as problem:  # one lesson's failure leaves the others their turn
                print(f"{lesson.slug}: FAILED: {type(problem).__name__}: {problem}", flush=True)
                right = False
                continue
            kept["runs"] = [one for one in kept["runs"] if one["op"] != lesson.slug] + [made]
            kept["runs"].sort(key=lambda one: lessons.load(one["op"]).order)
            record.check(kept)
            record.write(RECORD, kept)
            for row in results.judged(made, plan.load(lesson)):
                print(f"  {row['verdict']:<12} {row['claim']}: {row['text']}", flush=True)
                right &= row["verdict"] != "missed"
    return 0 if right else 1


def measure(lesson: lessons.Lesson, child: runner.Runner, opened, how: dict, *, every: bool) -> dict:
    """One lesson's run: the shapes its rows name, or every shape."""
    started, found = time.perf_counter(), plan.load(lesson)
    job = timing.job_of(lesson, engine.instructor_notebook(lesson), None, timing="graph", **how)
    wanted = {row.shape for row in found.rows}
    job["shapes"] = {shape.name: shape.sizes for shape in found.shapes if every or shape.name in wanted}
    cases = child.run(job)
    spent = time.perf_counter() - started
    print(f"{lesson.slug} ({spent:.1f} s)")
    for case in cases:
        for line in report.table(case):
            print(line)
        print("  " + report.sentence(case, "our answer"), flush=True)
    return record.run(
        lesson, cases, who="solution", timing="graph", source=answer(lesson).source, device=opened, seconds=spent
    )


def stale(chosen: list[lessons.Lesson], kept: dict) -> int:
    """Name the lessons whose answer or plan changed since they were measured; 1 where there are any."""
    old = []
    for lesson in chosen:
        run = next((one for one in kept["runs"] if one["op"] == lesson.slug), None)
        now = sources.code_sha256(answer(lesson).source)
        if run is None or run["answer_source"] != now or run["plan_source"] != record.plan_hash(lesson):
            old.append(f"{lesson.slug}: {'never measured' if run is None else 'the record is of other sources'}")
    print("\n".join(old) or "every record belongs to the present sources")
    return 1 if old else 0


if __name__ == "__main__":
    sys.exit(main())
