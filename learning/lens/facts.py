"""A compiled kernel's figures in words: one report, and what changed between two. Standard library only.

The figures are plain JSON, as ``compile.Report.as_dict`` gives them and a ``compile`` record keeps them, so that an attempt
of last week can be set beside today's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from learning import tables
from learning.lens.cards import TARGETS, card


class Table:
    """Rows of words under a caption: text in a terminal, Markdown on a page, a table in a notebook."""

    def __init__(self, caption: str, heads: tuple[str, ...], rows: list[tuple[str, ...]]):
        self.caption, self.heads, self.rows = caption, heads, rows

    def __str__(self) -> str:
        shown = self.rows if not any(self.heads) else [self.heads, *self.rows]
        return "\n".join([self.caption, *("  " + line for line in tables.text(shown))])

    __repr__ = __str__

    def _repr_markdown_(self) -> str:
        safe = [[cell.replace("|", "\\|") for cell in row] for row in (self.heads, *self.rows)]
        return "\n".join([
            f"**{self.caption}**", "", f"| {' | '.join(safe[0])} |", "|---" * len(self.heads) + "|",
            *(f"| {' | '.join(row)} |" for row in safe[1:]),
        ])  # fmt: skip

    def _repr_html_(self) -> str:
        return tables.html(self.rows, self.heads, named=True, caption=self.caption)


def words(made: Mapping[str, Any]) -> dict[str, str]:
    """Every figure of ``made`` in words, in reading order; what an older record lacks is left out."""
    rows: dict[str, str] = {"card": f"{made.get('card', '?')} ({made.get('target', '?')})"}
    rows["registers"] = f"{made.get('registers', '?')} a thread, {made.get('warps', '?')} warps a block"
    if "spilled" in made:
        rows["spilled"] = (
            f"{made['spilled']} bytes stored, {made.get('spill_loads', '?')} loaded" if made["spilled"] else "nothing"
        )
    limit = made.get("shared_limit") or _limit(made)
    rows["shared memory"] = f"{made.get('shared', '?')} of {limit or '?'} bytes a block"
    if "occupancy" in made:
        blocks = f"{made['blocks']} blocks a multiprocessor, " if "blocks" in made else ""
        rows["occupancy"] = f"{made['occupancy']:.0%} ({blocks}limited by {made.get('limiter', '?')})"
    for what in ("loads", "stores"):
        if isinstance(made.get(what), Mapping):
            rows[f"global {what}"] = widths(made[what])
    if "unit" in made:
        count = f" ({made['unit_count']} instructions)" if made.get("unit_count") else ""
        rows["multiplies with"] = f"{made['unit']}{count}" if made["unit"] else "nothing"
    if made.get("programs") and made.get("waves") is not None:
        rows["waves"] = f"{made['waves']:.2f} for {made['programs']} programs"
    if not made.get("launches", True):
        rows["launch"] = f"impossible on this card: a block asks for more {made.get('limiter', '?')} than it has"
    return rows


def widths(counts: Mapping[Any, int]) -> str:
    """Bytes a thread moves in one instruction → how many there are, in words, widest first: "2 of 16 bytes"."""
    ordered = sorted(((int(size), count) for size, count in counts.items()), reverse=True)
    return ", ".join(f"{count} of {size} bytes" for size, count in ordered) or "none"


def table(made: Mapping[str, Any]) -> Table:
    """One kernel's figures."""
    return Table(str(made.get("kernel", "kernel")), ("", ""), list(words(made).items()))


class Changes(list):
    """What differs between two reports, one line each, "name: before → after"; empty where nothing does."""

    def __init__(self, before: Mapping[str, Any], after: Mapping[str, Any]):
        old, new = words(before), words(after)
        self.rows = [
            (name, old.get(name, "none"), new.get(name, "none"))
            for name in dict.fromkeys([*old, *new])
            if old.get(name) != new.get(name)
        ]
        self.kernel = str(after.get("kernel", "kernel"))
        super().__init__(f"{name}: {a} → {b}" for name, a, b in self.rows)

    def table(self) -> Table:
        """The same as a table; one line says so where nothing changed."""
        if not self.rows:
            return Table(f"{self.kernel}: the compiler made the same figures of both", ("", ""), [])
        return Table(f"{self.kernel}: what changed", ("", "before", "now"), self.rows)

    def __repr__(self) -> str:
        return str(self.table())

    def _repr_html_(self) -> str:
        return self.table()._repr_html_()

    def _repr_markdown_(self) -> str:
        return self.table()._repr_markdown_()


def _limit(made: Mapping[str, Any]) -> int:
    target = str(made.get("target", ""))
    return card(target).shared_block if target in TARGETS else 0
