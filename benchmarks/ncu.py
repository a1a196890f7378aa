"""Nsight Compute's command line: found, run over a program of ours, its table read.

Only the kernels between ``torch.cuda.profiler.start()`` and ``stop()`` are profiled, each with cold caches (``--cache-control
all``) and with the clocks as they are. Standard library only.
"""

from __future__ import annotations

import csv
import glob
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

DRAM = ("dram__bytes_read.sum", "dram__bytes_write.sum")
SECTORS = (
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
)
TIME = ("gpu__time_duration.sum",)


class NotToBeHad(RuntimeError):
    """The counters cannot be read on this machine; the message says why."""


def find() -> str:
    """The path of ``ncu``; raises ``NotToBeHad``."""
    places = [
        shutil.which("ncu"),
        *sorted(glob.glob("/usr/local/cuda*/bin/ncu"), reverse=True),
        *sorted(glob.glob("/opt/nvidia/nsight-compute/*/ncu"), reverse=True),
    ]
    found = next((place for place in places if place and os.access(place, os.X_OK)), None)
    if found is None:
        raise NotToBeHad("Nsight Compute (ncu) is not installed here")
    return found


def version(path: str) -> str:
    """What the tool says it is, in a line."""
    done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30)
    return next((line for line in reversed(done.stdout.splitlines()) if "ersion" in line), "").strip()


def profile(
    program: list[str], metrics: tuple[str, ...], timeout: float, env: dict[str, str]
) -> dict[str, dict[str, float]]:
    """Kernel → metric → value, in base units, of ``program`` run under ``ncu``; raises ``NotToBeHad`` with its last words."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "ncu.csv")
        command = [
            find(), "--csv", "--print-units", "base", "--page", "raw", "--metrics", ",".join(metrics),
            "--clock-control", "none", "--cache-control", "all", "--profile-from-start", "off",
            "--target-processes", "all", "--log-file", str(log), *program,
        ]  # fmt: skip
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=env)
        except subprocess.TimeoutExpired:
            raise NotToBeHad(f"ncu took longer than {timeout:.0f} s") from None
        text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
        found = table(text)
        if not found:
            said = [line.strip() for line in (text + done.stdout + done.stderr).splitlines() if line.strip()]
            wrong = [line for line in said if "==ERROR==" in line] or said[-3:]
            raise NotToBeHad(f"ncu profiled nothing (exit status {done.returncode}): {' '.join(wrong)[:400]}")
        # page "raw" tells of the device as well; what was asked for is kept
        return {kernel: {m: row[m] for m in metrics if m in row} for kernel, row in found.items()}


def table(text: str) -> dict[str, dict[str, float]]:
    """Read ncu's CSV, one row a kernel (page "raw") or one row a metric; of two launches of a kernel the last counts.

    A metric that the card lacks is left out. {} where there is no table.
    """
    rows = list(csv.reader(line for line in text.splitlines() if line.startswith('"')))
    found: dict[str, dict[str, float]] = {}
    if not rows or "Kernel Name" not in rows[0]:
        return found
    head, body = rows[0], rows[1:]
    kernel = head.index("Kernel Name")
    if "Metric Name" in head:
        name, value = head.index("Metric Name"), head.index("Metric Value")
        for row in body:
            if len(row) == len(head) and (number := _number(row[value])) is not None:
                found.setdefault(_plain(row[kernel]), {})[row[name]] = number
        return found
    for row in body:
        if len(row) != len(head) or not row[kernel]:  # the second line holds the units
            continue
        numbers = {name: _number(cell) for name, cell in zip(head, row, strict=True) if "__" in name}
        found[_plain(row[kernel])] = {name: number for name, number in numbers.items() if number is not None}
    return found


def _plain(kernel: str) -> str:
    """A kernel's name without its parameters."""
    return kernel.split("(")[0].strip()


def _number(cell: str) -> float | None:
    try:
        return float(cell.replace(",", ""))
    except ValueError:
        return None
