"""Every lesson's answer and variants against every check on this machine's GPU, and every mutant against the check that
must refuse it; the record is kept.

    python benchmarks/gpu_checks.py [LESSON…]     run, print a table, write benchmarks/results/gpu-checks.json; capstones too
    python benchmarks/gpu_checks.py --answers     run only the taught answers; kept apart, under "answers"
    python benchmarks/gpu_checks.py --stale       list the lessons whose record no longer belongs to their sources

A record is keyed by a hash of the code of the lesson's folder and of all that judges it (learning/imported.py). A lesson's
attempts are kept one by one, in gpu-checks-begun.json, until its record is whole: a run that was stopped goes on where it stood,
on the same sources.
"""

from __future__ import annotations

import argparse
import ast
import atexit
import json
import multiprocessing
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "benchmarks" / "results" / "gpu-checks.json"
BEGUN = RECORD.with_name("gpu-checks-begun.json")
_servers = None
sys.path.insert(0, str(ROOT))

from learning import imported  # noqa: E402
from learning import lesson as lessons  # noqa: E402
from learning.attempts import Attempt, attempts  # noqa: E402
from learning.files import replace  # noqa: E402
from learning.judge.engine import Plan, instructor_notebook  # noqa: E402
from tools import hardware  # noqa: E402


def source_hash(lesson: lessons.Lesson) -> str:
    """SHA-256 over the lesson's code and over all of this package that judges it, without comments and docstrings."""
    return imported.code_sha256(imported.judging(lesson.slug))


def main(argv: list[str] | None = None) -> int:
    """Exit status 0: every attempt fared as it says; 1: some did not, or a record is stale; 3: no GPU."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lessons", nargs="*")
    parser.add_argument("--stale", action="store_true")
    parser.add_argument("--answers", action="store_true", help="no variants and no mutants")
    parser.add_argument(
        "--slots",
        type=int,
        default=4,
        help="processes that judge; each check opens a CUDA context, and those wait for one another",
    )
    options = parser.parse_args(argv)
    kept = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    chosen = [lessons.find(name) for name in options.lessons] or lessons.discover() + lessons.discover("capstone")
    if options.stale:
        return report_stale(chosen, kept)
    if not hardware.has_cuda():
        return 3
    right = True
    if options.answers:
        return 0 if answers(chosen, kept) else 1
    for lesson in chosen:
        right &= record(lesson, options.slots, kept)["as_expected"]
    return 0 if right else 1


def record(lesson: lessons.Lesson, slots: int, kept: dict) -> dict:
    """Run ``lesson`` and keep its record among ``kept``; only then is what had been kept one by one let go."""
    kept[lesson.slug] = run(lesson, slots)
    write(kept)
    begin(lesson.slug, "", 0.0, [])
    return kept[lesson.slug]


def answers(chosen: list[lessons.Lesson], kept: dict) -> bool:
    """Grade the taught answers one after another, alone on the GPU; whether all of them pass."""
    found = kept.setdefault("answers", {})
    for lesson in chosen:
        row = grade_one(lesson.slug, 0)
        show(lesson, row)
        found[lesson.slug] = row | {"source_hash": source_hash(lesson), "machine": hardware.cuda()}
        found[lesson.slug]["date"] = datetime.now(UTC).date().isoformat()
        write(kept)
    return all(found[lesson.slug]["as_expected"] for lesson in chosen)


def report_stale(chosen: list[lessons.Lesson], kept: dict) -> int:
    stale = [lesson.slug for lesson in chosen if kept.get(lesson.slug, {}).get("source_hash") != source_hash(lesson)]
    for slug in stale:
        print(f"{slug}: {'the record is of other sources' if slug in kept else 'never run on a GPU'}")
    return 1 if stale else 0


def run(lesson: lessons.Lesson, slots: int) -> dict:
    """Grade every attempt of ``lesson``; print a line each and return the record.

    The answer runs alone first, so that its timing check meets an idle GPU; the others follow in ``slots`` processes. What an
    interrupted run of the same sources has graded is not graded again, unless it fared otherwise than it says.
    """
    started, source = time.perf_counter(), source_hash(lesson)
    order = [(one.kind, one.name) for one in attempts(lesson)]
    before = begun(lesson.slug, source)
    spent, found = before["seconds"], {key: row for key, row in before["rows"].items() if key in order}
    left = [number for number, key in enumerate(order) if key not in found]

    def keep(row: dict) -> None:
        found[row["kind"], row["name"]] = row
        begin(lesson.slug, source, spent + time.perf_counter() - started, list(found.values()))
        show(lesson, row)

    if left[:1] == [0]:
        keep(grade_one(lesson.slug, left.pop(0)))
    with ProcessPoolExecutor(slots, mp_context=multiprocessing.get_context("spawn")) as pool:
        for row in pool.map(grade_one, [lesson.slug] * len(left), left):
            keep(row)
    rows = [found[key] for key in order]
    return {
        "source_hash": source,
        "as_expected": all(row["as_expected"] for row in rows),
        "device": rows[0]["device"],
        "sandbox": rows[0]["sandbox"],
        "date": datetime.now(UTC).date().isoformat(),
        "machine": hardware.cuda() if rows[0]["device"] == "cuda" else hardware.machine(),
        "slots": slots,
        "seconds": round(spent + time.perf_counter() - started, 1),
        "attempts": [{key: value for key, value in row.items() if key != "sandbox"} for row in rows],
    }


def under_way() -> dict:
    """Runs that have not ended, by lesson."""
    return json.loads(BEGUN.read_text(encoding="utf-8")) if BEGUN.exists() else {}


def begun(slug: str, source: str) -> dict:
    """What is kept of an interrupted run of these sources: ``seconds`` spent, and ``rows`` that fared as they say by kind and name."""
    kept = under_way().get(slug, {})
    mine = kept if kept.get("source_hash") == source else {"seconds": 0.0, "rows": []}
    return mine | {"rows": {(row["kind"], row["name"]): row for row in mine["rows"] if row["as_expected"]}}


def begin(slug: str, source: str, seconds: float, rows: list[dict]) -> None:
    """Keep ``rows`` of a run that is under way; without any there is none."""
    kept = under_way()
    kept.pop(slug, None)
    if rows:
        kept[slug] = {"source_hash": source, "seconds": round(seconds, 1), "rows": rows}
    if kept:
        replace(BEGUN, json.dumps(kept, ensure_ascii=False) + "\n")
    else:
        BEGUN.unlink(missing_ok=True)


def show(lesson: lessons.Lesson, row: dict) -> None:
    outcome = "as expected" if row["as_expected"] else row["verdict"]
    print(f"{lesson.slug:18} {row['kind']:8} {row['name']:44} {row['seconds']:6.2f} s  {outcome}", flush=True)


def grade_one(slug: str, index: int) -> dict:
    """Grade one attempt in this process, with a server that later calls in the same process reuse."""
    global _servers
    from learning.judge.cells import LearnerCells
    from learning.judge.engine import grade
    from learning.judge.fleet import Servers

    lesson = lessons.load(slug)
    attempt = attempts(lesson)[index]
    device = "cpu" if lesson.kind == "cpu" else "cuda"
    if _servers is None:
        _servers = Servers()
        atexit.register(_servers.close)
    cells = LearnerCells.from_python(attempt.source)
    for only in asked(lesson, attempt):
        graded = grade(lesson, cells, device=device, servers=_servers, only=only)
        verdict = judge(attempt, graded, device)
        if not verdict:
            break
    return {
        "kind": attempt.kind,
        "name": attempt.name,
        "device": graded.device,
        "sandbox": graded.sandbox,
        "as_expected": not verdict,
        "verdict": verdict,
        "failed": [r.check for r in graded.results if r.state == "failed"],
        "waiting": [r.check for r in graded.results if r.state == "waiting"],
        "notes": [n for r in graded.results for n in r.notes],
        "findings": {r.check: r.finding.sentence() for r in graded.results if r.finding},
        "check_seconds": {r.check: round(r.seconds, 3) for r in graded.results},
        "seconds": round(graded.seconds, 3),
        "overhead_seconds": round(graded.overhead_seconds, 3),
    }


def asked(lesson: lessons.Lesson, attempt: Attempt) -> list[set[str] | None]:
    """The checks an attempt meets: all for the answer; for a variant, which may be slow, all but the timing; for a mutant
    the one that must refuse it, and where that lets it through, all: house rules read what torch did in the others.
    """
    checks = Plan.of(instructor_notebook(lesson), lesson).checks
    timing = {cell.check for cell in checks if "needs_gpu=True" in ast.unparse(cell.tree)}
    untimed = {cell.check for cell in checks} - timing
    if attempt.kind == "mutant":
        return [{attempt.caught_by}, untimed | {attempt.caught_by}]
    return [None] if attempt.kind == "answer" else [untimed]


def judge(attempt: Attempt, graded, device: str) -> str:
    """What differs from the attempt's own promise on this device; "" if nothing."""
    failed = {r.check: r for r in graded.results if r.state == "failed"}
    broken = [r.check for r in graded.results if r.state == "broken"]
    if broken:
        return f"failed to grade: {', '.join(broken)}: {next(r.finding for r in graded.results if r.check in broken)}"
    if attempt.kind == "mutant":
        if device not in attempt.dies_on:
            return ""
        return (
            ""
            if attempt.caught_by in failed
            else f"survived {attempt.caught_by} (failed: {', '.join(failed) or 'nothing'})"
        )
    return "; ".join(f"{name}: {r.finding.sentence() if r.finding else ''}" for name, r in failed.items())


def write(kept: dict) -> None:
    replace(RECORD, json.dumps(kept, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    sys.exit(main())
