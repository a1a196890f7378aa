"""How fast a class is graded: nbgrader with the course's judge against nbgrader as it comes, on the same submissions.

    python benchmarks/grading_throughput.py [LESSON] [--class N] [--output PATH.json]

Two courses are laid out in a temporary folder: one with this repository's configuration, one with nbgrader's own
classes, which execute every notebook in a Jupyter kernel. Both get the same sources and the same submissions, and
``nbgrader autograde`` is timed from the outside, start-up included, the two in turn. The class is made of right answers,
mutants, untouched, half-finished and unparsable ones; no two files are equal, so nothing comes from the store. Endless
loops, dying processes and damaged files are then added and both are timed once more on the full class, where stock
nbgrader waits 30 s for each loop and loses submissions. Scores are compared, since a fast wrong grade is worth nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
sys.path[:] = [path for path in sys.path if Path(path or ".").resolve() != ROOT / "benchmarks"]

STOCK = """c = get_config()
c.CourseDirectory.root = {root!r}
c.ClearSolutions.code_stub = {{"python": "### YOUR CODE HERE\\n..."}}
c.ClearSolutions.text_stub = "*Write here.*"
"""
TROUBLE = ("endless-loop", "os-exit", "out-of-bounds", "recursion", "damaged-file")


def main() -> int:
    """Measure and write the record; the exit status is 0 when both bars hold."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("lesson", nargs="?", default="vector_add")
    parser.add_argument("--class", type=int, default=64, dest="size", help="submissions in the timed class")
    parser.add_argument("--calm", action="store_true", help="leave out the class with loops and damage")
    parser.add_argument("--output", type=Path, default=ROOT / "benchmarks" / "results" / "grading-throughput.json")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="throughput-") as folder:
        record = measure(Path(folder), chosen.lesson, chosen.size, whole=not chosen.calm)
    from learning.files import replace

    replace(chosen.output, json.dumps(record, indent=1) + "\n")
    print(json.dumps({key: record[key] for key in ("ratio", "overhead_seconds_a_submission", "holds")}, indent=1))
    return 0 if all(record["holds"].values()) else 1


def measure(folder: Path, slug: str, size: int, *, whole: bool = True) -> dict:
    """Lay out both courses, time them, and return the record."""
    from learning import lesson as lessons
    from learning.build import notebook
    from learning.grading import classroom
    from tools import hardware

    lesson = lessons.find(slug)
    ours, stock = folder / "ours", folder / "stock"
    for course in (ours, stock):
        course.mkdir()
        shutil.copy(ROOT / "grader_config.py", course)
        notebook.write(lesson, course)
        (course / "nbgrader_config.py").write_text('load_subconfig("grader_config.py")\n')
    (stock / "nbgrader_config.py").write_text(STOCK.format(root=str(stock)))
    (stock / "grader_config.py").unlink()
    for course in (ours, stock):
        run(course, "generate_assignment", lesson.slug)
    source, release = (
        json.loads((ours / kind / lesson.slug / f"{lesson.slug}.ipynb").read_text()) for kind in ("source", "release")
    )
    everyone = list(classroom.handins(lesson, source, release))
    calm = [handin for handin in everyone if handin.who not in TROUBLE]
    crowd = [(f"{handin.who}-{number}", handin) for number in range(-(-size // len(calm))) for handin in calm][:size]
    for course in (ours, stock):
        for who, handin in crowd:
            hand_in(course, who, lesson.slug, handin.notebook)
    timed = {name: timing(course, lesson.slug) for name, course in (("ours", ours), ("stock", stock))}
    checks = [sum(r["seconds"] for r in o["graded"]["results"]) for o in records(ours, lesson.slug).values()]
    agree = compare(ours, stock, lesson.slug)
    ratio = timed["stock"]["seconds"] / timed["ours"]["seconds"]
    slots = min(hardware.cores(), len(crowd))
    overhead = (timed["ours"]["seconds"] - sum(checks) / slots) / len(crowd)
    return {
        "what": "wall seconds of `nbgrader autograde`, start-up included",
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": hardware.machine(load_before=timed["ours"]["load_before"]),
        "versions": hardware.versions("nbgrader", "nbclient", "ipykernel", *hardware.PACKAGES),
        "lesson": lesson.slug,
        "mix": mix([handin for _, handin in crowd]),
        "submissions": len(crowd),
        "slots": slots,
        "checks_seconds": {
            "sum": round(sum(checks), 3),
            "median": round(statistics.median(checks), 3),
            "largest": round(max(checks), 3),
            "under_half_a_second": sum(seconds < 0.5 for seconds in checks),
        },
        "timed": timed,
        "ratio": round(ratio, 2),
        "overhead_seconds_a_submission": round(overhead, 3),
        "scores": agree,
        "with_loops_and_damage": full_class(ours, stock, lesson.slug, everyone) if whole else None,
        "holds": {"ratio >= 8": ratio >= 8, "overhead <= 0.3 s": overhead <= 0.3},
    }


def full_class(ours: Path, stock: Path, slug: str, everyone: list) -> dict:
    """Add the loops, crashes and damaged files to both courses, grade the whole class again, and return that record."""
    trouble = [handin for handin in everyone if handin.who in TROUBLE]
    for course in (ours, stock):
        for handin in trouble:
            hand_in(course, handin.who, slug, handin.notebook)
    shutil.rmtree(ours / ".grading")
    timed = {course.name: timing(course, slug, "--force") for course in (ours, stock)}
    return {
        "added": mix(trouble),
        "timed": timed,
        "ratio": round(timed["stock"]["seconds"] / timed["ours"]["seconds"], 2),
        "scores": compare(ours, stock, slug),
    }


def hand_in(course: Path, who: str, slug: str, text: str) -> None:
    """Write a submission whose bytes are its own: a key that no grader reads holds the name."""
    target = course / "submitted" / who / slug / f"{slug}.ipynb"
    target.parent.mkdir(parents=True)
    try:
        notebook = json.loads(text)
    except ValueError:
        target.write_text(text)
        return
    notebook["metadata"]["author"] = who
    target.write_text(json.dumps(notebook))


def run(course: Path, *arguments: str) -> subprocess.CompletedProcess:
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "PYTHONWARNINGS": "ignore",
        "HOME": str(course),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    command = [str(Path(sys.executable).with_name("nbgrader")), *arguments]
    return subprocess.run(command, cwd=course, env=environment, capture_output=True, text=True)


def timing(course: Path, slug: str, *flags: str) -> dict:
    load = os.getloadavg()[0]
    used, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = run(course, "autograde", slug, *flags)
    seconds, now = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor_seconds = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    print(
        f"{course.name}: {seconds:.1f} s, {processor_seconds:.1f} s of processor, status {done.returncode}", flush=True
    )
    return {
        "seconds": round(seconds, 2),
        "processor_seconds": round(processor_seconds, 2),
        "status": done.returncode,
        "load_before": round(load, 2),
    }


def records(course: Path, slug: str) -> dict[str, dict]:
    with sqlite3.connect(course / "gradebook.db") as db:
        rows = db.execute("select student, record from learning_outcome where assignment = ?", (slug,)).fetchall()
    found = {student: json.loads(record) for student, record in rows}
    return {student: record for student, record in found.items() if record["graded"]}


def scores(course: Path, slug: str) -> dict[str, float]:
    """Sum of automatic scores by student, as the gradebook holds them."""
    with sqlite3.connect(course / "gradebook.db") as db:
        rows = db.execute(
            "select sa.student_id, sum(g.auto_score) from grade g join submitted_notebook sn on sn.id = g.notebook_id "
            "join submitted_assignment sa on sa.id = sn.assignment_id join assignment a on a.id = sa.assignment_id "
            "where a.name = ? group by sa.student_id",
            (slug,),
        )
        return dict(rows.fetchall())


def compare(ours: Path, stock: Path, slug: str) -> dict:
    mine, theirs = scores(ours, slug), scores(stock, slug)
    differ = {
        who: [mine.get(who), theirs.get(who)] for who in sorted(mine | theirs) if mine.get(who) != theirs.get(who)
    }
    return {"equal": len(mine.keys() | theirs.keys()) - len(differ), "different [ours, stock]": differ}


def mix(handins: list) -> dict[str, int]:
    counted: dict[str, int] = {}
    for handin in handins:
        kind = "answer" if handin.who == "ada" else handin.who.split("-")[0] if "-" in handin.who else handin.who
        kind = kind if kind in ("answer", "variant", "mutant") else handin.who
        counted[kind] = counted.get(kind, 0) + 1
    return counted


if __name__ == "__main__":
    sys.exit(main())
