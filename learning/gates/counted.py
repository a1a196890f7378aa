"""Loads counted in PTX, beside what the compiler made: what a count may say, when it is right, what to look at when it is not.

Pure functions of records and figures; standard library only. ``learning.gates.reading`` is what a notebook calls.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from learning.gates.fields import PredictionError
from learning.gates.measured import mapping


def canonical(loads: Any) -> dict[str, int]:
    """``loads`` as a record keeps it: {"16": 4}; raises ``PredictionError``. Widths of no loads at all are left out."""
    if not isinstance(loads, Mapping) or not loads:
        raise PredictionError(
            f"loads: write {{bytes a thread moves: how many loads}}, such as {{16: 4}}, not {loads!r}"
        )
    kept = {}
    for size, number in loads.items():
        for value in (size, number):
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1 << 20:
                raise PredictionError(f"loads: {value!r} is no number of bytes or loads; write {{16: 4}}")
        if size not in (1, 2, 4, 8, 16, 32, 64, 128):
            raise PredictionError(f"loads: no load moves {size} bytes for a thread; widths are 1, 2, 4, 8 or 16")
        if number:
            kept[str(size)] = number
    return kept


def right(record: Mapping[str, Any]) -> bool:
    """Whether a record holds a reading that says what the compiler made of the kernel it names."""
    payload = mapping(record.get("payload"))
    said = mapping(payload.get("reading"))
    if record.get("event") != "compile" or not said:
        return False
    kernels = payload["kernels"] if isinstance(payload.get("kernels"), list) else []
    made = next((mapping(k) for k in kernels if mapping(k).get("kernel") == said.get("kernel")), {})
    return bool(mapping(made.get("loads"))) and made["loads"] == said.get("loads")


def proof(records: Iterable[dict]) -> dict | None:
    """The first record with a right reading, None where there is none."""
    return next((record for record in records if right(record)), None)


def hint(said: Mapping[str, int], made: Mapping[str, Any]) -> str:
    """What to look at in the PTX, given a wrong count; never the count itself."""
    loads, stores = mapping(made.get("loads")), mapping(made.get("stores"))
    together = {size: loads.get(size, 0) + stores.get(size, 0) for size in {*loads, *stores}}
    threads = 32 * int(made.get("warps", 0) or 0)
    if said == together:
        return "that counts the stores as well. Loads begin with ld.global, stores with st.global."
    if said == {str(8 * int(size)): number for size, number in loads.items()}:
        return "widths are asked for in bytes, and .b32 counts bits."
    if said == {size: number * threads for size, number in loads.items()}:
        return "that is once for each thread. An instruction stands in the PTX once, and every thread runs it."
    if sum(said.values()) == sum(loads.values()):
        return "the number of instructions is right, their width is not: .v4.b32 is four values of 32 bits each."
    if set(said) == set(loads):
        return "the width is right. Count again: every row with ld.global, those under each line that loads."
    return "find the rows with ld.global, count them, then read how wide each is: .v4.b32 is four values of 32 bits."
