"""docs/red-team.md: every attacker and every honest control with what became of it, from the records of real runs.

    python tools/redteam_table.py            write the page from the records in benchmarks/results/
    python tools/redteam_table.py --run      first run, without a GPU, what is new or has changed; --all runs everything
    python tools/redteam_table.py --check    exit status 1 where the page or a record is out of date

The GPU's record comes from ``make redteam-gpu``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "redteam"), str(ROOT / "tests" / "judge")]

import field  # noqa: E402
import tiny  # noqa: E402

from learning import lesson as lessons  # noqa: E402
from learning.files import replace  # noqa: E402
from learning.judge import engine, fleet  # noqa: E402

PAGE = ROOT / "docs" / "red-team.md"
CPU, GPU = (ROOT / "benchmarks" / "results" / f"redteam-{device}.json" for device in ("cpu", "gpu"))
CHECKS = {
    field.FIRST,
    field.RULES,
    "asks_memory_for_each_number_once",
    "keeps_the_dtype_and_rounds_once",
    "adds_every_length_around_a_tile",
}
QUICK = engine.Limits(call_seconds=1.5, after_timeout_seconds=0.4)
PATIENT = engine.Limits(call_seconds=10.0, after_timeout_seconds=5.0, total_seconds=90.0)


def controls() -> dict[str, Path]:
    """Honest answers by the name they have on the page."""
    folder = lessons.load("vector_add").folder
    found = {"submissions/honest_control": field.HERE / "submissions" / "honest_control.py"}
    found |= {f"honest/{path.stem}": path for path in sorted((field.HERE / "honest").glob("*.py"))}
    found |= {"vector_add/answer": folder / "answer.py"}
    return found | {f"vector_add/{path.stem}": path for path in sorted((folder / "variants").glob("*.py"))}


def attackers() -> dict[str, field.Attack]:
    """Attackers that need no GPU, by name."""
    found = [*field.attacks("submissions"), *field.attacks("evasions")]
    return {f"{attack.path.parent.name}/{attack.name}": attack for attack in found}


def hash_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


def run(kept: dict, everything: bool) -> dict:
    """The CPU record, with rows of new and changed files run anew; each is written as soon as it is there."""
    rows = {} if everything else dict(kept.get("rows", {}))
    wanted = {**{name: attack.path for name, attack in attackers().items()}, **controls()}
    rows = {name: row for name, row in rows.items() if name in wanted and row["hash"] == hash_of(wanted[name])}
    with fleet.Servers() as servers:
        for name, path in wanted.items():
            if name not in rows:
                rows[name] = {"hash": hash_of(path), **one(servers, name, path)}
                print(f"{name:55} {rows[name]['outcome'][:90]}", flush=True)
                server = servers.get("interpreter")
                record = {"sandbox": server.held.sentence(), "rows": dict(sorted(rows.items()))}
                servers.release(server)
                replace(CPU, json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    return json.loads(CPU.read_text(encoding="utf-8"))


def one(servers: fleet.Servers, name: str, path: Path) -> dict:
    """One file judged: ``ok`` where an attacker earned nothing, or a control everything; the outcome in words."""
    text, attack = path.read_text(encoding="utf-8"), attackers().get(name)
    if name.startswith("submissions/"):
        options = {"notebook": tiny.adding_notebook(), "servers": servers, "device": "interpreter", "limits": QUICK}
        results = {r.check: r for r in engine.grade(tiny.ADDING, tiny.submission(text), **options).results}
    else:
        checks = CHECKS if attack is None else {field.FIRST, field.RULES}
        results = field.graded(text, checks, "interpreter", servers, PATIENT)
    if attack is None:
        lost = [r for r in results.values() if r.state != "passed"]
        points = sum(r.points for r in results.values())
        told = f"all {points:g} points" if not lost else f"lost {', '.join(r.check for r in lost)}"
        return {"ok": not lost, "outcome": told}
    failed = [r for r in results.values() if r.state == "failed" and r.earned == 0.0]
    if name.startswith("submissions/"):
        return {"ok": len(failed) == len(results), "outcome": told_of(failed)}
    return {"ok": bool(failed), "outcome": told_of([r for r in failed if r.check == field.RULES] or failed)}


def told_of(failed: list) -> str:
    """Why the first failed check failed, on one line."""
    if not failed:
        return "SCORED"
    finding = failed[0].finding
    words = finding.fault.sentence() if finding.fault else f"{finding.rule}: {finding.got}"
    line = " ".join(words.split())
    return line if len(line) <= 110 else line[:109] + "…"


def page(cpu: dict, gpu: dict) -> str:
    """The page as Markdown."""
    rows, seen = cpu.get("rows", {}), {row["name"]: row for row in gpu.get("rows", []) if row["kind"] == "attacker"}
    every, honest = field.attacks(), controls()
    ran = [row for attack in every if (row := row_of(attack, rows, seen))]
    lines = [
        "# The red team",
        "",
        "Made by `python tools/redteam_table.py` from the records in `benchmarks/results/`; [threat-model.md](threat-model.md) says",
        "what is promised. An attacker must earn nothing at the checks that are there to refuse it, a control must lose nothing.",
        "",
        f"{len(every)} attackers in {len(field.CLASSES)} classes, {len(ran)} of them run: {sum(not ok for ok, _ in ran)} scored. "
        f"{len(honest)} honest controls: {sum(not rows[name]['ok'] for name in honest if name in rows)} lost a point.",
        "",
        f"Without a GPU: {cpu.get('sandbox', 'not yet run')}",
        f"On a GPU: {gpu_line(gpu)}",
        "",
    ]
    for number, title in field.CLASSES.items():
        lines += [f"## {number}. {title[0].upper()}{title[1:]}", "", "| attacker | where | outcome |", "|---|---|---|"]
        for attack in [a for a in every if a.number == number]:
            where = f"GPU, {attack.check}" if attack.where == "cuda" else "CPU"
            row = row_of(attack, rows, seen)
            lines.append(f"| {cell(attack.name)} | {where} | {cell(row[1]) if row else 'not yet run'} |")
        lines.append("")
    lines += ["## Honest controls", "", "| control | outcome | on a GPU |", "|---|---|---|"]
    there: dict[str, list] = {}
    for row in gpu.get("rows", []):
        if row["kind"] == "control":
            there.setdefault(row["name"], []).append("kept all" if not row["lost"] else "; ".join(row["lost"].values()))
    for name in honest:
        told = rows.get(name, {}).get("outcome", "not yet run")
        lines.append(
            f"| {cell(name)} | {cell(told)} | {cell('; '.join(there.get(name.rpartition('/')[2], ['not yet run'])))} |"
        )
    return "\n".join(lines) + "\n"


def row_of(attack: field.Attack, rows: dict, seen: dict) -> tuple[bool, str] | None:
    if attack.where == "cuda":
        row = seen.get(attack.name)
        return (row["as_expected"], " ".join(row["finding"].split())[:110] or row["state"]) if row else None
    row = rows.get(f"{attack.path.parent.name}/{attack.name}")
    return (row["ok"], row["outcome"]) if row else None


def gpu_line(gpu: dict) -> str:
    if not gpu:
        return "not yet run."
    machine = gpu["machine"]
    return f"{machine['gpu']}, torch {machine['torch']}, Triton {machine['triton']}, {gpu['date']}. {gpu['sandbox']}"


def cell(text: str) -> str:
    """Text as one cell of a table, without markup of its own."""
    shown = "".join(c if c.isprintable() else " " for c in text)
    return (
        shown.replace("\\", "\\\\")
        .replace("|", "\\|")
        .replace("<", "&lt;")
        .replace("`", "'")
        .replace("*", "\\*")
        .replace("_", "\\_")
    )


def stale(cpu: dict) -> list[str]:
    """Names whose CPU row is missing or belongs to another text."""
    wanted = {**{name: attack.path for name, attack in attackers().items()}, **controls()}
    return [name for name, path in wanted.items() if cpu.get("rows", {}).get(name, {}).get("hash") != hash_of(path)]


def read(path: Path) -> dict:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def main(argv: list[str] | None = None) -> int:
    """See the module's docstring."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for option in ("--run", "--all", "--check"):
        parser.add_argument(option, action="store_true")
    options = parser.parse_args(argv)
    if options.run or options.all:
        run(read(CPU), options.all)
    cpu = read(CPU)
    if options.check:
        wrong = stale(cpu)
        for name in wrong:
            print(f"{name}: not run since it was written; run: python tools/redteam_table.py --run")
        if PAGE.read_text(encoding="utf-8") != page(cpu, read(GPU)):
            print(f"{PAGE.relative_to(ROOT)} is not what the records say; run: python tools/redteam_table.py")
            return 1
        return 1 if wrong else 0
    replace(PAGE, page(cpu, read(GPU)))
    return 0 if all(row["ok"] for row in cpu.get("rows", {}).values()) else 1


if __name__ == "__main__":
    sys.exit(main())
