"""Grades a class with ``nbgrader autograde`` and kills it at random moments; told as one JSON line a moment.

``python -m tests.grading.kills COURSE LESSON KILLS SEED`` imports nbgrader once and forks the command for every try, so that the
moments fall into the grading and not into Python's start. A try that is quicker than its killer ends a round: then every
submission changes by a line, and all is to be graded anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import signal
import sqlite3
import sys
import time
from pathlib import Path

GRACE = 20.0
"""Seconds in which judges must end after the command that started them was killed alone."""


class Range:
    """One course under fire."""

    def __init__(self, root: Path, lesson: str, seed: int):
        self.root, self.lesson, self.random = root, lesson, random.Random(seed)
        self.stamps: dict[str, tuple[int, int]] = {}
        self.digests: dict[str, str] = {}
        self.round = 0

    def submissions(self) -> list[Path]:
        return sorted((self.root / "submitted").glob(f"*/{self.lesson}/{self.lesson}.ipynb"))

    def next_round(self) -> None:
        """Another comment at the head of every answer: other bytes, the same points. Damaged ones stay as they are."""
        self.round += 1
        for path in self.submissions():
            with contextlib.suppress(ValueError):
                notebook = json.loads(path.read_text())
                for cell in notebook["cells"]:
                    if cell["metadata"].get("learning", {}).get("role") == "answer":
                        text = "".join(cell["source"]).split("\n", 1)
                        kept = text[1] if text[0].startswith("# round") else "\n".join(text)
                        cell["source"] = f"# round {self.round}\n{kept}"
                path.write_text(json.dumps(notebook))
            self.digests[hashlib.sha256(path.read_bytes()).hexdigest()] = path.parts[-3]

    def start(self) -> int:
        """The command in a process group of its own; its pid."""
        pid = os.fork()
        if pid == 0:
            code = 70
            try:
                os.setsid()
                log = os.open(self.root / "autograde.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)
                os.dup2(log, 1), os.dup2(log, 2)
                os.chdir(self.root)
                from nbgrader.apps import AutogradeApp

                AutogradeApp.launch_instance([self.lesson, "--Grading.slots=2"])
                code = 0
            except SystemExit as ended:
                code = ended.code if isinstance(ended.code, int) else 1
            finally:
                os._exit(code)
        return pid

    def shoot(self, delay: float, alone: bool) -> tuple[str, float]:
        """Start, wait, kill; ("killed" or "finished N", seconds until everything it had started was gone)."""
        pid = self.start()
        end = time.monotonic() + delay
        while time.monotonic() < end:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                return f"finished {os.waitstatus_to_exitcode(status)}", 0.0
            time.sleep(0.002)
        family = descendants(pid)
        for victim in [pid] if alone else [pid, *family]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
        os.waitpid(pid, 0)
        began = time.monotonic()
        while any(alive(*one) for one in family.items()):
            if time.monotonic() - began > GRACE:
                raise AssertionError(f"processes outlived the command: {[p for p in family if alive(p, family[p])]}")
            time.sleep(0.01)
        return "killed", time.monotonic() - began

    def inspect(self) -> dict:
        """What a moment left behind. Raises ``AssertionError`` where something was lost, done twice or is stale."""
        kept = self._store()
        lost = set(self.stamps) - set(kept)
        assert not lost, f"finished work is gone: {lost}"
        twice = [name for name, stamp in self.stamps.items() if kept[name] != stamp]
        assert not twice, f"finished work was done again: {twice}"
        self.stamps = kept
        states = self._gradebook()
        return {"stored": len(kept), "states": states, "litter": len(list((self.root / ".grading").rglob(".*")))}

    def _store(self) -> dict[str, tuple[int, int]]:
        found = {}
        for path in (self.root / ".grading" / "results").glob("*/[!.]*.json"):
            json.loads(path.read_text())  # a torn result would not parse
            state = path.stat()
            found[path.name] = (state.st_ino, state.st_mtime_ns)
        return found

    def _gradebook(self) -> dict[str, int]:
        states: dict[str, int] = {}
        with contextlib.closing(sqlite3.connect(self.root / "gradebook.db")) as db:
            assert db.execute("pragma integrity_check").fetchone() == ("ok",)
            with contextlib.suppress(sqlite3.OperationalError):  # before the first run there is no such table
                for student, state, digest, record in db.execute(
                    "select student, state, digest, record from learning_outcome where assignment = ?", (self.lesson,)
                ):
                    states[state] = states.get(state, 0) + 1
                    record = json.loads(record)
                    assert not digest or self.digests.get(digest) == student, f"{student}: a record of unknown bytes"
                    assert scores(db, self.lesson, student) == expected(record), f"{student}: scores and record differ"
        return states


def expected(record: dict) -> dict[str, float | None]:
    """Automatic scores by cell, as a record asks for them."""
    results = record["graded"]["results"] if record.get("graded") else []
    if record["state"] == "failed to grade":
        return {}
    return {r["check"]: float(r["earned"]) for r in results if r["state"] in ("passed", "failed")}


def scores(db: sqlite3.Connection, lesson: str, student: str) -> dict[str, float]:
    """Automatic scores by cell in the gradebook, those of hand-graded cells left out."""
    rows = db.execute(
        "select bc.name, g.auto_score from grade g join base_cell bc on bc.id = g.cell_id "
        "join submitted_notebook sn on sn.id = g.notebook_id join submitted_assignment sa on sa.id = sn.assignment_id "
        "join assignment a on a.id = sa.assignment_id where a.name = ? and sa.student_id = ?",
        (lesson, student),
    )
    return {name: score for name, score in rows if score is not None and not name.startswith("explain")}


def descendants(pid: int) -> dict[int, str]:
    """Every process below ``pid``, with its start time (a pid is used again)."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError, IndexError):
                fields = Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
                children.setdefault(int(fields[1]), []).append(int(entry))
    found, todo = {}, [pid]
    while todo:
        for child in children.get(todo.pop(), []):
            found[child] = born(child)
            todo.append(child)
    return found


def born(pid: int) -> str:
    try:
        fields = Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()
        return "" if fields[0] == "Z" else fields[19]
    except OSError:
        return ""


def alive(pid: int, birth: str) -> bool:
    return bool(birth) and born(pid) == birth


def main(root: str, lesson: str, kills: int, seed: int) -> int:
    import nbgrader.apps  # noqa: F401

    import learning.grading.feedback
    import learning.grading.pipeline  # noqa: F401

    field = Range(Path(root), lesson, seed)
    field.next_round()
    began = time.monotonic()
    ended, _ = field.shoot(600.0, False)
    longest = time.monotonic() - began
    print(json.dumps({"first": ended, "seconds": longest, **field.inspect()}), flush=True)
    field.next_round()
    killed = 0
    while killed < kills:
        delay, alone = field.random.uniform(0.0, longest), killed % 3 == 2
        ended, settled = field.shoot(delay, alone)
        told = {
            "ended": ended,
            "after": round(delay, 3),
            "alone": alone,
            "settled": round(settled, 2),
            **field.inspect(),
        }
        print(json.dumps(told), flush=True)
        killed += ended == "killed"
        if ended != "killed":
            field.next_round()
    field.next_round()
    for moment in (longest / 2, 600.0):  # one more killed half-way, then one to its end
        ended, _ = field.shoot(moment, False)
    print(json.dumps({"last": ended, "rounds": field.round, "killed": killed, **field.inspect()}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
