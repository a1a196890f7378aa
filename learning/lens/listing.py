"""A kernel's source, line by line, with what the compiler made of each: PTX or machine code.

print(compile.kernel(softmax_kernel, x, out, 1024, 1, 1000, BLOCK=1024).listing("sass"))
"""

from __future__ import annotations

import html
import linecache
from dataclasses import dataclass, field
from typing import Any

from learning.lens import assembler, cubin, ptx, sass

KINDS = ("ptx", "sass")


@dataclass(frozen=True)
class Line:
    """One source line: ``number`` from the kernel's ``def`` or decorator as 1, 0 for what belongs to no line; ``text``;
    ``code`` the instructions made of it, in their order."""

    number: int
    text: str
    code: tuple[str, ...]


@dataclass(frozen=True)
class Listing:
    """``lines`` of ``kernel`` in the order of the source; ``kind`` "ptx" or "sass"; ``target`` the architecture;
    ``numbered`` False where the source was laid out anew, so that its numbers are not those of the author's text."""

    kernel: str
    kind: str
    target: str
    lines: list[Line] = field(default_factory=list)
    numbered: bool = True

    @classmethod
    def from_dict(cls, data: dict) -> Listing:
        """Inverse of ``dataclasses.asdict``, also after JSON."""
        lines = [Line(line["number"], line["text"], tuple(line["code"])) for line in data["lines"]]
        return cls(**{**data, "lines": lines})

    def place(self, line: Line) -> str:
        """A line as it is shown: its number, where it has one, and its text."""
        if not line.number:
            return "(no line of the source)"
        return f"{line.number:>3}  {line.text}" if self.numbered else line.text

    def __str__(self) -> str:
        rows = [f"{self.kernel}, {self.kind.upper()} for {self.target}"]
        for line in self.lines:
            rows += ["", self.place(line), *(f"       {code}" for code in line.code)]
        return "\n".join(rows)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        parts = [f"<p><strong>{html.escape(f'{self.kernel}, {self.kind.upper()} for {self.target}')}</strong></p>"]
        for line in self.lines:
            count = f"{len(line.code)} instruction{'s' * (len(line.code) != 1)}"
            parts.append(
                f'<details open><summary><code style="white-space:pre">{html.escape(self.place(line))}</code> '
                f"<small>{count}</small></summary>"
                f'<pre style="margin:.2em 0 .6em 2.2em">{html.escape(chr(10).join(line.code))}</pre></details>'
            )
        return "".join(parts)


def of(made: Any, kind: str = "ptx") -> Listing:
    """The listing of a ``CompiledKernel``; ``ValueError`` for a ``kind`` that is neither "ptx" nor "sass",
    ``sass.NoDisassembler`` where machine code cannot be read here."""
    if kind not in KINDS:
        raise ValueError(f"kind is {kind!r}; it is 'ptx' or 'sass'")
    function = getattr(getattr(made.src, "fn", None), "fn", None)
    code = getattr(function, "__code__", None)
    file, first = (code.co_filename, code.co_firstlineno) if code is not None else ("", 1)
    found = ptx.by_line(made.asm["ptx"]) if kind == "ptx" else sass.by_line(sass.disassemble(_binary(made)), file)
    lines = [
        Line(
            max(number - first + 1, 0) if number else 0,
            linecache.getline(file, number).rstrip() if number else "",
            tuple(found[number]),
        )
        for number in sorted(found)
    ]
    return Listing(made.metadata.name, kind, f"sm_{made.metadata.target.arch}", lines)


def _binary(made: Any) -> bytes:
    """The kernel's binary with its lines put right, where that leaves every instruction as it was; else as it is."""
    original, name = made.asm["cubin"], made.metadata.name
    fused = bool(getattr(made.metadata, "enable_fp_fusion", True))
    try:
        mended = assembler.with_lines(made.asm["ptx"], ptx.read(made.asm["ptx"]).target, fused=fused)
        return mended if cubin.code(mended, name) == cubin.code(original, name) else original
    except (assembler.AssemblerFailed, cubin.NotCubin):
        return original
