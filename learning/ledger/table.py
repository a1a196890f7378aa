"""The recorded version table: what each case of each exhibit showed under each pair of Triton and numpy.

``tools/ledger_table.py`` writes ``table.json`` from runs; a test runs the exhibits again and fails where a row differs.
Standard library only.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from learning.ledger.exhibit import BITES, COMPILED, MODES, NEEDS_GPU
from learning.ledger.exhibits import Exhibit, exhibit

FILE = Path(__file__).with_name("table.json")
EMPTY: dict = {"columns": {}, "rows": {}}
GPU = Path(__file__).resolve().parents[2] / "benchmarks" / "results" / "ledger-gpu.json"


@dataclass(frozen=True)
class Line:
    """One case in one mode: its ``claim``, and by column (an environment's name) the state and the words of its run."""

    number: int
    case: str
    mode: str
    claim: str
    seen: dict[str, dict]

    def states(self) -> dict[str, str]:
        """Column → state; columns that were never run are left out."""
        return {column: row["state"] for column, row in self.seen.items()}


def key(number: int, case: str, mode: str) -> str:
    """The name of a row, such as ``3/a_row_around_zero@compiled``."""
    return f"{number}/{case}@{mode}"


def column(versions: dict[str, str]) -> str:
    """The column a run belongs to, such as ``Triton 3.6, numpy < 2.4``: what a change of behaviour was ever seen to hang on."""
    triton = ".".join(versions["triton"].split(".")[:2])
    number = tuple(int(part) for part in versions["numpy"].split(".")[:2])
    return f"Triton {triton}, numpy {'≥' if number >= (2, 4) else '<'} 2.4"


def read(file: Path = FILE) -> dict:
    """The table as it is kept: {"columns": {name: versions}, "rows": {key: {column: {"state", "wrong", "right"}}}}."""
    if not file.is_file():
        return EMPTY
    return json.loads(file.read_text(encoding="utf-8"))


def read_gpu(file: Path = GPU) -> dict:
    """The record of the exhibits on a GPU, {"started", "environment", "rows": {key: row}}; {} where there is none."""
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}


def merged(kept: dict, run: dict) -> dict:
    """``kept`` with one run's column replaced; rows of cases that no longer exist go."""
    name = column(run["environment"])
    columns = dict(sorted({**kept["columns"], name: run["environment"]}.items(), key=lambda item: _order(item[1])))
    known = {key(e, c, m) for e, c, m in _cases()}
    rows = {row: dict(seen) for row, seen in kept["rows"].items() if row in known}
    for row, shown in run["rows"].items():
        rows.setdefault(row, {})[name] = shown
    order = {row: place for place, row in enumerate(key(e, c, m) for e, c, m in _cases())}
    return {
        "columns": columns,
        "rows": {
            row: {c: seen[c] for c in columns if c in seen}
            for row, seen in sorted(rows.items(), key=lambda r: order[r[0]])
        },
    }


def _order(versions: dict[str, str]) -> tuple:
    return tuple(tuple(int(part) for part in versions[name].split(".")[:2]) for name in ("triton", "numpy"))


def _cases() -> list[tuple[int, str, str]]:
    from learning.ledger.exhibits import exhibits

    return [(e.number, case.name, mode) for e in exhibits() for case in e.cases for mode in MODES if mode in case.modes]


def written(kept: dict) -> str:
    """The table as the text of its file."""
    return json.dumps(kept, indent=1, ensure_ascii=False) + "\n"


def lines(number: int, kept: dict | None = None) -> list[Line]:
    """The rows of one trap, in the order of its file."""
    kept = read() if kept is None else kept
    found: Exhibit = exhibit(number)
    return [
        Line(number, case.name, mode, case.claim, kept["rows"].get(key(number, case.name, mode), {}))
        for case in found.cases
        for mode in MODES
        if mode in case.modes
    ]


def differences(kept: dict, run: dict) -> list[str]:
    """A sentence for every row of ``run`` that is not what the table holds for its column; one for a column it lacks."""
    name = column(run["environment"])
    if name not in kept["columns"]:
        return [f"the table has no column {name!r}: run tools/ledger_table.py and look at what it says"]
    told = []
    for row, shown in run["rows"].items():
        held = kept["rows"].get(row, {}).get(name)
        if held is None:
            told.append(f"{row}: not in the table for {name}; run tools/ledger_table.py")
        elif held != shown:
            told.append(f"{row} under {name}: recorded {_words(held)}; this run {_words(shown)}")
    return told


def _words(row: dict) -> str:
    return ", ".join(filter(None, [row["state"], row["wrong"], row["right"]]))


def verdict(number: int, kept: dict | None = None) -> str:
    """Where a trap's first claim holds by the runs: "in every version tried", "Triton 3.6, numpy ≥ 2.4", "in no version tried"."""
    kept = read() if kept is None else kept
    columns, first = list(kept["columns"]), exhibit(number).cases[0].name
    if not columns:
        return "not run yet"
    seen = [line.states() for line in lines(number, kept) if line.case == first]
    biting = [name for name in columns if any(states.get(name) == BITES for states in seen)]
    if biting:
        return "in every version tried" if biting == columns else "; ".join(biting)
    if any(state != NEEDS_GPU for states in seen for state in states.values()):
        return "in no version tried"
    gpu = read_gpu()
    shown = gpu["rows"].get(key(number, first, COMPILED)) if gpu else None
    if shown is None:
        return "needs a GPU to be shown"
    where = f"{gpu['environment']['card']}, Triton {gpu['environment']['triton']}"
    return f"on {where}" if shown["state"] == BITES else f"not on {where}"
