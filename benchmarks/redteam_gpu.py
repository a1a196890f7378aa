"""The red team on this machine's GPU: each attacker against the check that must refuse it, and honest controls that must not lose.

    python benchmarks/redteam_gpu.py [NAME…]     run, print a line each, write benchmarks/results/redteam-gpu.json; of the
                                                 record that is there, only what is named is replaced

Timing comes first, alone on the GPU; then parity, several at a time; then those that hang, crash or fill memory, and one honest
answer after them. Exit status 0: no attacker scored and no control lost a point; 1: otherwise; 3: no CUDA.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "benchmarks" / "results" / "redteam-gpu.json"
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "redteam")]

import field  # noqa: E402

from learning import imported  # noqa: E402
from learning import lesson as lessons  # noqa: E402
from learning.files import replace  # noqa: E402
from learning.judge import engine, fleet  # noqa: E402
from tools import hardware  # noqa: E402

TIMED_CONTROLS = ("answer", "autotune_one_config", "shape_keyed_cache", "streams", "cuda_graph_guarded")
"""Controls that are timed too; the last one copies its inputs, so its time is told and not held against it."""
SLOW = ("cuda_graph_guarded",)
LIMITS = engine.Limits(call_seconds=6.0, after_timeout_seconds=2.0, total_seconds=40.0)


def main(argv: list[str] | None = None) -> int:
    """Run the red team; the exit status is in the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="only these attackers and controls")
    parser.add_argument("--slots", type=int, default=4, help="parity checks at a time")
    options = parser.parse_args(argv)
    if not hardware.has_cuda():
        return 3
    started = time.perf_counter()
    with fleet.Servers() as servers:
        rows = run(servers, set(options.names), options.slots)
        server = servers.get("cuda")
        sandbox = server.held.sentence()
        servers.release(server)
    right = all(row["as_expected"] for row in rows)
    attackers = [row for row in rows if row["kind"] == "attacker"]
    controls = [row for row in rows if row["kind"] == "control"]
    scored = [row["name"] for row in attackers if not row["as_expected"]]
    lost = [row["name"] for row in controls if not row["as_expected"]]
    print(f"{len(attackers)} attackers, {len(scored)} scored {scored}; {len(controls)} controls, {len(lost)} lost {lost}; "
          f"{time.perf_counter() - started:.0f} s")  # fmt: skip
    write(record(merged(rows, replaced=bool(options.names)), sandbox, time.perf_counter() - started))
    return 0 if right else 1


def merged(rows: list[dict], *, replaced: bool) -> list[dict]:
    """``rows``, each with a hash of what it was judged with; where they are ``replaced`` in the record, with its others."""
    source = source_hash()
    rows = [row | {"source_hash": source} for row in rows]
    kept = json.loads(RECORD.read_text(encoding="utf-8"))["rows"] if replaced and RECORD.exists() else []
    new = {_key(row): row for row in rows}
    return [new.pop(_key(row), row) for row in kept] + list(new.values())


def _key(row: dict) -> tuple:
    return row["kind"], row["name"], row.get("check"), tuple(row.get("checks", ()))


def source_hash() -> str:
    """A hash of the judge's code and of the red team's files, but for the tests that run it without a GPU."""
    digest = hashlib.sha256(imported.code_sha256(imported.judging("vector_add")).encode())
    for path in sorted(path for path in field.HERE.rglob("*.py") if not path.name.startswith("test_")):
        digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def run(servers: fleet.Servers, only: set[str], slots: int) -> list[dict]:
    """All rows, in the order in which they were judged."""
    wanted = [attack for attack in field.attacks("gpu") if not only or attack.name in only]
    honest = {name: text for name, text in controls().items() if not only or name in only}
    rows = []
    for name, text in honest.items():
        if name in TIMED_CONTROLS:
            rows.append(show(control(servers, name, text, {field.TIMED})))
    for attack in [a for a in wanted if a.check == "timed"]:
        rows.append(show(attacker(servers, attack)))
    beside = [a for a in wanted if a.check == "parity" and a.number != field.ALONE]
    with ThreadPoolExecutor(slots) as pool:
        jobs = [pool.submit(attacker, servers, attack) for attack in beside]
        jobs += [pool.submit(control, servers, name, text, {field.FIRST, field.RULES}) for name, text in honest.items()]
        rows += [show(job.result()) for job in jobs]
    for attack in [a for a in wanted if a.check == "parity" and a.number == field.ALONE]:
        rows.append(show(attacker(servers, attack)))
    if not only:
        after = control(servers, "answer", honest["answer"], {field.FIRST, field.LENGTHS})
        rows.append(show({**after, "name": "answer, after all attackers"}))
    return rows


def controls() -> dict[str, str]:
    """Honest answers by name: the lesson's own, its variants, and the red team's."""
    folder = lessons.load("vector_add").folder
    paths = [
        folder / "answer.py",
        *sorted((folder / "variants").glob("*.py")),
        *sorted((field.HERE / "honest").glob("*.py")),
    ]
    return {path.stem: path.read_text(encoding="utf-8") for path in paths}


def attacker(servers: fleet.Servers, attack: field.Attack) -> dict:
    """One attacker against its check; as expected where the check failed and earned nothing."""
    check = field.TIMED if attack.check == "timed" else field.FIRST
    found, seconds = graded(servers, attack.source, {check})
    result = found[check]
    return {
        "kind": "attacker", "name": attack.name, "class": attack.number, "check": check, "state": result.state,
        "earned": result.earned, "seconds": seconds, "as_expected": result.state == "failed" and result.earned == 0.0,
        "finding": result.finding.sentence() if result.finding else "", "notes": result.notes,
    }  # fmt: skip


def control(servers: fleet.Servers, name: str, text: str, checks: set[str]) -> dict:
    """One honest answer; as expected where it keeps every point."""
    found, seconds = graded(servers, text, checks)
    lost = {check: r for check, r in found.items() if r.state != "passed" or r.earned != r.points}
    told = {check: f"{r.state}, {r.earned:g} of {r.points:g}" for check, r in lost.items()}
    slow = name in SLOW and set(lost) <= {field.TIMED} and all(r.state != "broken" for r in lost.values())
    return {
        "kind": "control", "name": name, "checks": sorted(checks), "lost": told, "seconds": seconds,
        "as_expected": not lost or slow, "notes": [note for r in found.values() for note in r.notes],
        "finding": "; ".join(r.finding.sentence() for r in lost.values() if r.finding),
    }  # fmt: skip


def graded(servers: fleet.Servers, text: str, checks: set[str]) -> tuple[dict, float]:
    started = time.perf_counter()
    found = field.graded(text, checks, "cuda", servers, LIMITS)
    return found, round(time.perf_counter() - started, 2)


def show(row: dict) -> dict:
    outcome = "as expected" if row["as_expected"] else f"NOT as expected: {row.get('state') or row.get('lost')}"
    print(f"{row['kind']:8} {row['name']:38} {row['seconds']:6.2f} s  {outcome}  {row['finding'][:110]}", flush=True)
    return row


def record(rows: list[dict], sandbox: str, seconds: float) -> dict:
    """What is kept of a run: rows, and the machine."""
    return {
        "as_expected": all(row["as_expected"] for row in rows),
        "date": datetime.now(UTC).date().isoformat(),
        "seconds": round(seconds, 1),
        "sandbox": sandbox,
        "machine": hardware.cuda(),
        "rows": rows,
    }


def write(found: dict) -> None:
    replace(RECORD, json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    sys.exit(main())
