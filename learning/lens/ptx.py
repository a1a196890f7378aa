"""Reading PTX: which global loads and stores a kernel issues, how wide, from which source line, and what multiplies.

Standard library only.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

_LOC = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)(?:.*inlined_at\s+(\d+)\s+(\d+))?")
_INSTRUCTION = re.compile(r"^\s*(?:@!?%p\d+\s+)?[a-z][\w.:]*(?:\s|;)")
_GLOBAL = re.compile(
    r"\b(?P<what>ld|st)\.(?:volatile\.|relaxed\.|acquire\.|release\.|gpu\.|cta\.|sys\.)*global"
    r"(?:\.[\w:]+)*?(?:\.v(?P<vector>\d))?\.[a-z](?P<bits>\d+)\b"
)
_ASYNC = re.compile(r"\bcp\.async\.(?:ca|cg)\.shared\.global\b[^;]*,\s*(?P<bytes>0x[0-9a-f]+|\d+)\s*[,;]")
_ATOMIC = re.compile(r"\b(?:atom|red)\.(?:\w+\.)*?global\b|\b(?:atom|red)\.global\b")
_UNITS = {
    "mma.sync": re.compile(r"\bmma\.sync\b"),
    "wgmma": re.compile(r"\bwgmma\.mma_async\b"),
    "fma": re.compile(r"\bfma\.rn(?:\.ftz)?\.f(?:16x2|16|32|64)\b|\bfma\.rn\.bf16x?2?\b"),
}


@dataclass(frozen=True)
class Instruction:
    """``what`` is "load", "store", "async copy" or "atomic"; ``bytes`` moved by one thread; ``line`` of the source."""

    what: str
    bytes: int
    line: int


@dataclass
class Listing:
    """``instructions`` on global memory in order; ``units`` counts of mma.sync, wgmma and fma; ``target`` ".target"."""

    target: str = ""
    instructions: list[Instruction] = field(default_factory=list)
    units: Counter = field(default_factory=Counter)

    def widths(self, what: str) -> dict[int, int]:
        """Bytes a thread → number of instructions, widest first, for "load" (async copies included) or "store"."""
        kinds = ("load", "async copy") if what == "load" else (what,)
        counted = Counter(i.bytes for i in self.instructions if i.what in kinds)
        return dict(sorted(counted.items(), reverse=True))

    @property
    def multiplies_with(self) -> str:
        """ "wgmma" or "mma.sync" where tensor cores are used, else "FMA" where there is any, else ""."""
        for unit in ("wgmma", "mma.sync"):
            if self.units[unit]:
                return unit
        return "FMA" if self.units["fma"] else ""


def read(text: str) -> Listing:
    """Read a PTX module that holds one kernel."""
    listing = Listing()
    found = re.search(r"^\.target\s+(\w+)", text, re.MULTILINE)
    listing.target = found.group(1) if found else ""
    for line, code in _located(text):
        _count(listing, code, line)
    return listing


def by_line(text: str) -> dict[int, list[str]]:
    """Source line → its PTX instructions, in the order of the text; 0 holds what belongs to no line."""
    found: dict[int, list[str]] = {}
    for line, code in _located(text):
        if _INSTRUCTION.match(code):
            found.setdefault(line, []).append(re.sub(r"\s+", " ", code).strip())
    return found


def rows(text: str) -> Iterator[tuple[str, bool]]:
    """(row, whether it stands in inline assembly) of a module; the mark that begins it does, the one that ends it does not."""
    inline = False
    for row in text.splitlines():
        if "// begin inline asm" in row:
            inline = True
        elif "// end inline asm" in row:
            inline = False
        yield row, inline


def _located(text: str) -> Iterator[tuple[int, str]]:
    """(line of the kernel's own file, code without its comment) of every row that is no ``.loc``.

    What was inlined from another file, such as ``tl.sum``, belongs to the line that called it; where the row does not say
    which, to the line before.
    """
    home, line = "", 0
    for row, inline in rows(text):
        at = _LOC.match(row)
        if at is None:
            yield line, row.split("//")[0]
            continue
        file, number, outer, called = at.groups()
        home = home or (outer or file)
        # Inside inline assembly the assembler counts its own lines; the statement's line stands before it.
        if not inline and file == home and int(number):
            line = int(number)
        elif not inline and outer == home and int(called):
            line = int(called)


def _count(listing: Listing, code: str, line: int) -> None:
    for access in _GLOBAL.finditer(code):
        size = int(access["bits"]) // 8 * int(access["vector"] or 1)
        listing.instructions.append(Instruction("load" if access["what"] == "ld" else "store", size, line))
    for copy in _ASYNC.finditer(code):
        listing.instructions.append(Instruction("async copy", int(copy["bytes"], 0), line))
    for _ in _ATOMIC.finditer(code):
        listing.instructions.append(Instruction("atomic", 0, line))
    for unit, pattern in _UNITS.items():
        listing.units[unit] += len(pattern.findall(code))
