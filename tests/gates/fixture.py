"""Evidence of a GPU that no GPU gave: the tests' own, marked ``device="test"``, and the door through which a test lets it in.

The product reads the same log and refuses these records by name. ``admitted`` and ``board`` are the only readers that count
them, and they live here, beside the tests.
"""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from learning.companions.desk import Desk, desk
from learning.gates import records

CASE = {
    "answer": "add", "case": "64 Mi", "card": "T4 of a test", "bytes": 12 << 26, "flops": 1 << 26, "floor": 2517.0,
    "microseconds": {"cold": 2600.0, "warm": 2590.0, "events": 2590.0, "graph": 2585.0}, "samples": {"cold": [2.6, 2.6]},
    "peers": {},
}  # fmt: skip
"""A benchmark of vector_add; its times are made up, in µs, from the bytes over a T4's quoted bandwidth."""


def as_on_a_gpu(kept: list[dict]) -> list[tuple[str, str, dict]]:
    """What the log of a machine without a GPU lacks: (event, source, payload) each. Checks and tuning are those that ran here."""
    made = []
    for record in kept:
        payload = copy.deepcopy(record["payload"])
        if record["event"] == "parity":
            for check in payload["checks"]:
                check["device"] = "test"
        elif record["event"] == "benchmark" and payload.get("autotune"):
            for kernel in payload["autotune"]["kernels"]:
                for winner in kernel["winners"]:
                    winner["microseconds"] = {label: 3.0 + n for n, label in enumerate(kernel["configs"])}
        else:
            continue
        made.append((record["event"], record["source"], payload))
    return [*made, ("benchmark", made[-1][1], {"cases": [CASE]})]


def plant(log: Path, slug: str) -> int:
    """Append the fixture's evidence to a log of ``slug``, as a test may; returns how many records that are."""
    made = as_on_a_gpu(records.read(log).records)
    for event, source, payload in made:
        records.append(log, event, slug, device="test", source=source, payload=payload, fixture=True)
    return len(made)


def admitted(log: Path) -> list[dict]:
    """The log as a test may read it: evidence of the fixture stands for a GPU's."""
    found = copy.deepcopy(records.read(log, fixture=True).records)
    for record in found:
        if record["device"] == "test":
            record["device"] = "cuda"
            for check in record["payload"].get("checks", ()):
                check["device"] = "cuda"
    return found


class Door(Desk):
    """A lesson's desk that lets the fixture in."""

    def kept(self) -> records.Records:
        return records.Records(admitted(self.log))


def board(slug: str) -> Any:
    """The live checklist of ``slug`` as it would stand were the fixture's evidence a GPU's."""
    from learning.widgets.checklist import Checklist

    own = desk(slug)
    return Checklist(Door(own.lesson, own.log))
