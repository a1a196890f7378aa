"""Compile a kernel for a card nobody has here, and read what the compiler made of it.

    report = compile.kernel(softmax_kernel, x, out, 1024, 1, 1000, BLOCK=1024, target="t4", grid=(4096,))
    report                             # registers, spills, shared memory, occupancy, widths, tensor cores
    compile.changes(before, report)    # what changed between two attempts
    report.listing("sass")             # the source, line by line, with the machine code made of it

Triton does the work, with its own specialisation of the arguments, and needs neither GPU nor driver for it.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from learning.lens import assembler, cards, cubin, facts, ptx
from learning.lens.cards import Card
from learning.lens.errors import explain
from learning.lens.occupancy import Occupancy, occupancy


class CompileFailed(RuntimeError):
    """The compiler or the assembler refuses the kernel for this card; the message is one sentence, the cause the error."""


@dataclass(repr=False)
class Report:
    """What the compiler made of one kernel for one card.

    ``registers`` a thread; ``spill_stores``, ``spill_loads`` bytes a thread spilled; ``stack`` bytes a thread;
    ``shared`` bytes a block; ``warps`` a block; ``stages`` as launched; ``loads``, ``stores`` bytes moved by one thread
    in one instruction → number of instructions; ``unit`` what multiplies ("mma.sync", "wgmma", "FMA" or "");
    ``programs`` in the grid where one was given; ``ptx`` the text.
    """

    kernel: str
    card: Card
    registers: int
    spill_stores: int
    spill_loads: int
    stack: int
    shared: int
    warps: int
    stages: int
    loads: dict[int, int]
    stores: dict[int, int]
    unit: str
    units: dict[str, int]
    lines: dict[int, list[str]]
    ptx: str = field(repr=False)
    programs: int = 0
    compiled: Any = field(default=None, repr=False)

    @property
    def launches(self) -> bool:
        """Whether a block fits the card."""
        return self.shared <= self.card.shared_block and self.occupancy.blocks > 0

    @property
    def occupancy(self) -> Occupancy:
        return occupancy(self.card, warps=self.warps, registers=self.registers, shared=self.shared)

    @property
    def waves(self) -> float:
        """Rounds the grid takes on the whole card; 0.0 where no grid was given."""
        return self.occupancy.waves(self.programs, self.card) if self.programs else 0.0

    @property
    def sass(self) -> str:
        """The machine code, disassembled with the tools in Triton's wheel."""
        return self.compiled.asm["sass"]

    def as_dict(self) -> dict[str, Any]:
        """Every figure as plain JSON; ``loads`` and ``stores`` by bytes in words, ``unit_count`` how many multiply."""
        held = self.occupancy
        return {
            "kernel": self.kernel,
            "target": f"sm_{self.card.arch}",
            "card": self.card.name,
            "registers": self.registers,
            "spilled": self.spill_stores,
            "spill_loads": self.spill_loads,
            "stack": self.stack,
            "shared": self.shared,
            "shared_limit": self.card.shared_block,
            "warps": self.warps,
            "stages": self.stages,
            "occupancy": held.fraction,
            "blocks": held.blocks,
            "limiter": held.limiter,
            "loads": {str(size): count for size, count in self.loads.items()},
            "stores": {str(size): count for size, count in self.stores.items()},
            "unit": self.unit,
            "unit_count": self.units[self.unit.lower()] if self.unit else 0,
            "programs": self.programs,
            "waves": self.waves if self.launches else None,
            "launches": self.launches,
        }

    def facts(self) -> dict[str, str]:
        """Every figure in words, in reading order."""
        return facts.words(self.as_dict())

    def listing(self, kind: str = "ptx") -> Any:
        """The source, line by line, with the PTX or, for ``kind`` "sass", the machine code made of each."""
        from learning.lens import listing

        return listing.of(self.compiled, kind)

    def __str__(self) -> str:
        return str(facts.table(self.as_dict()))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return facts.table(self.as_dict())._repr_html_()

    def _repr_markdown_(self) -> str:
        return facts.table(self.as_dict())._repr_markdown_()


def kernel(function: Any, *args: Any, target: str = "t4", grid: tuple[int, ...] = (), **kwargs: Any) -> Report:
    """Compile a jitted ``function`` for ``target`` ("t4", "sm_75", "sm_80", "sm_90") as a launch with these arguments would.

    Raises ``CompileFailed`` where compiler or assembler refuse it, ``ValueError`` for an autotuned kernel (compile its
    ``.fn`` with one configuration), ``RuntimeError`` in a process that only interprets.
    """
    card = cards.card(target)
    if not hasattr(function, "device_caches"):
        if hasattr(function, "configs") or hasattr(function, "values"):
            raise ValueError("an autotuned kernel is many: compile kernel.fn with the arguments of one configuration")
        raise RuntimeError(
            "this process interprets kernels and cannot compile them: open the device with target 't4' instead"
        )
    with _driver(card):
        try:
            made = function.warmup(*args, grid=grid or (1,), **kwargs)
        except Exception as error:
            raise CompileFailed(explain(error) or f"{type(error).__name__}: {error}") from error
    programs = 1
    for size in grid:
        programs *= int(size)
    return report(made, card, programs if grid else 0)


def report(made: Any, card: Card, programs: int = 0) -> Report:
    """Read a ``CompiledKernel`` that was compiled for ``card``."""
    usage = cubin.usage(made.asm["cubin"], made.metadata.name)
    listing = ptx.read(made.asm["ptx"])
    stores, loads = spills(made.asm["ptx"], listing.target) if usage.stack else (0, 0)
    lines: dict[int, list[str]] = {}
    for step in listing.instructions:
        lines.setdefault(step.line, []).append(f"{step.what} of {step.bytes} bytes" if step.bytes else step.what)
    return Report(
        kernel=made.metadata.name,
        card=card,
        registers=usage.registers,
        spill_stores=stores,
        spill_loads=loads,
        stack=usage.stack,
        shared=made.metadata.shared,
        warps=made.metadata.num_warps,
        stages=made.metadata.num_stages,
        loads=listing.widths("load"),
        stores=listing.widths("store"),
        unit=listing.multiplies_with,
        units={name.lower(): count for name, count in listing.units.items()},
        lines=lines,
        ptx=made.asm["ptx"],
        programs=programs,
        compiled=made,
    )


def spills(text: str, target: str) -> tuple[int, int]:
    """(bytes a thread stores to, loads from spill slots), as ``ptxas -v`` says for this PTX."""
    try:
        said = assembler.assemble(text, target)[1]
    except assembler.AssemblerFailed as reason:
        raise CompileFailed(f"the assembler refuses the kernel: {reason}") from None
    found = re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", said)
    if not found:
        raise CompileFailed(f"ptxas did not say what was spilled: {said.strip()[:200]}")
    return int(found.group(1)), int(found.group(2))


def changes(before: Report, after: Report) -> facts.Changes:
    """What differs between two reports, one line each, "name: before → after"; empty where nothing does."""
    return facts.Changes(before.as_dict(), after.as_dict())


@contextlib.contextmanager
def _driver(card: Card) -> Iterator[None]:
    """Put the virtual card in force, and whatever was active back in the end."""
    from triton.runtime import driver

    from learning.lens import virtual

    before = driver._active
    virtual.install(card.arch)
    try:
        yield
    finally:
        driver._active = before
