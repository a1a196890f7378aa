"""Run exhibits: ``python -m learning.ledger.run [N…] [--mode compiled|interpreter] [--json]``.

A process runs kernels in one mode, so each mode has a process of its own, which also keeps a kernel that kills its process
from killing anybody's notebook. Exit status 0; 1 where a case itself failed; 3 where Triton or torch is missing; 64 for a
usage error. Standard library only at module level.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import traceback
import warnings
from collections.abc import Iterable
from pathlib import Path

from learning.ledger import exhibit, table
from learning.ledger.exhibits import exhibit as exhibit_of
from learning.ledger.exhibits import exhibits
from learning.ledger.traps import UnknownTrap, find

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 540  # seconds one mode's process may take
_MARK = "ledger-rows "


class RunFailed(RuntimeError):
    """The process that runs the exhibits ended without an answer; the message holds its last words."""


def run(numbers: Iterable[int] = (), modes: Iterable[str] = exhibit.MODES, python: str = sys.executable) -> dict:
    """Run the exhibits of ``numbers`` (all where none is named) with the interpreter ``python``, each mode in a process of its
    own: {"environment": versions, "rows": {"3/a_row_around_zero@compiled": {"state", "wrong", "right"}}}.

    Raises ``RunFailed``, and ``UnknownTrap`` for a number that is none.
    """
    wanted = [str(find(number).number) for number in numbers]
    rows: dict[str, dict] = {}
    environment: dict[str, str] = {}
    for mode in modes:
        command = [python, "-m", "learning.ledger.run", *wanted, "--mode", mode, "--child"]
        kept = {name: value for name, value in os.environ.items() if name != "TRITON_INTERPRET"}
        kept |= {
            "OMP_NUM_THREADS": "1",
            "PYTHONPATH": os.pathsep.join(filter(None, [str(ROOT), kept.get("PYTHONPATH", "")])),
        }
        try:
            done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, env=kept, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            raise RunFailed(f"the exhibits ({mode}) did not end within {LIMIT} s") from None
        told = [line for line in done.stdout.splitlines() if line.startswith(_MARK)]
        if not told:
            words = (done.stderr or done.stdout).strip().splitlines()[-1:] or [f"exit status {done.returncode}"]
            raise RunFailed(f"the exhibits ({mode}) could not be run: {words[0]}")
        found = json.loads(told[-1].removeprefix(_MARK))
        environment, rows = found["environment"], rows | found["rows"]
    return {"environment": environment, "rows": rows}


def here(numbers: Iterable[int], mode: str) -> dict:
    """The same in this process, which then runs kernels in ``mode`` for good."""
    warnings.simplefilter("ignore")
    if mode == exhibit.INTERPRETER:
        os.environ["TRITON_INTERPRET"] = "1"
        device = "cpu"
    else:
        from learning.lens import device as door

        device = door.open().torch_device
    rows = {}
    chosen = [exhibit_of(number) for number in numbers] or exhibits()
    for found in chosen:
        cases = [case for case in found.cases if mode in case.modes]
        module = importlib.import_module(found.module) if cases else None
        for case in cases:
            try:
                shown = getattr(module, case.name)(device)
            except Exception:
                shown = exhibit.Shown(exhibit.FAILED, traceback.format_exc(limit=-3))
            rows[table.key(found.number, case.name, mode)] = {
                "state": shown.state, "wrong": shown.wrong, "right": shown.right,
            }  # fmt: skip
    return {"environment": versions(device), "rows": rows}


def versions(device: str = "cpu") -> dict[str, str]:
    """What a run was made with: versions, and the card where kernels ran on a GPU."""
    import platform

    import numpy
    import torch
    import triton

    card = torch.cuda.get_device_name() if device == "cuda" else ""
    return {
        "triton": triton.__version__, "numpy": numpy.__version__, "torch": torch.__version__.split("+")[0],
        "python": platform.python_version(), "card": card,
    }  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Print what the exhibits show here, a line a case."""
    parser = argparse.ArgumentParser(prog="python -m learning.ledger.run", description=__doc__.split("\n")[0])
    parser.add_argument("numbers", nargs="*", type=int, metavar="N", help="traps to run; all where none is named")
    parser.add_argument("--mode", choices=exhibit.MODES, action="append", help="only these modes")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    try:
        chosen = parser.parse_args(arguments)
    except SystemExit as stop:
        return 0 if stop.code in (0, None) else 64
    try:
        for number in chosen.numbers:
            find(number)
        if chosen.child:
            print(_MARK + json.dumps(here(chosen.numbers, chosen.mode[0])))
            return 0
        found = run(chosen.numbers, chosen.mode or exhibit.MODES)
    except (UnknownTrap, RunFailed) as error:
        print(error, file=sys.stderr)
        return 3
    if chosen.json:
        print(json.dumps(found, indent=1, ensure_ascii=False))
    else:
        for name, row in found["rows"].items():
            print(f"{name}\n    {exhibit.Shown(**row).sentence()}")
    return int(any(row["state"] == exhibit.FAILED for row in found["rows"].values()))


if __name__ == "__main__":
    sys.exit(main())
