"""``lesson.md`` as blocks: Jupytext says what is a cell, this module says which lines each cell stands on.

The lines matter because ``--pull`` puts one edited block back and must leave every other character of the author's
text as it was; Jupytext's own writer would reformat the whole page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

FORMAT = {"extension": ".md", "format_name": "markdown", "split_at_heading": True}
HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*\s*$")
_FENCE = re.compile(r"^(`{3,}|~{3,})")
_REGION = "<!-- #region"
_ENDREGION = "<!-- #endregion -->"


class TextError(ValueError):
    """``lesson.md`` cannot be read as cells; the message names the line and the remedy."""


@dataclass
class Block:
    """One cell's worth of ``lesson.md``: lines ``first`` to ``last`` (0-based, ``last`` exclusive, fences included)."""

    kind: str
    source: str
    attributes: dict[str, str] = field(default_factory=dict)
    first: int = 0
    last: int = 0

    @property
    def heading(self) -> str:
        """The text of the heading the block opens with, or ''."""
        match = HEADING.match(self.source.split("\n", 1)[0])
        return match[1] if match and self.kind == "markdown" else ""


def read(text: str) -> list[Block]:
    """Split ``lesson.md`` into blocks in order: a fence, a region, or Markdown up to a heading or two blank lines.

    Raises ``TextError`` where Jupytext's cells cannot be found in the text line for line.
    """
    import jupytext

    text = text.replace("\r\n", "\n")
    lines = text.split("\n")
    at, blocks = 0, []
    try:
        cells = jupytext.reads(text, fmt=FORMAT).cells
    except Exception as error:  # a header is YAML, whose readers have errors of their own
        first = str(error).split("\n")[0]
        raise TextError(
            f"lesson.md line 1: no cells can be read ({first}); a page begins with no header and no ---"
        ) from None
    for cell in cells:
        if cell.cell_type == "raw":
            raise TextError(
                f"lesson.md line {at + 1}: a raw cell or a header; delete it, the card holds what a header would"
            )
        while at < len(lines) and not lines[at].strip():
            at += 1
        attributes = {key: str(value) for key, value in cell.metadata.items() if key != "lines_to_next_cell"}
        if cell.cell_type == "markdown":
            cell.source = cell.source.strip("\n")  # Jupytext may keep one of the blank lines before a fence
        block = Block(cell.cell_type, cell.source, attributes, at, _end(lines, at, cell))
        blocks.append(block)
        at = block.last
    return blocks


def _end(lines: list[str], at: int, cell) -> int:
    """The line after the block that starts at line ``at``; raises ``TextError`` where text and cell disagree."""
    source = cell.source.split("\n") if cell.source else []
    opening = lines[at] if at < len(lines) else ""
    if cell.cell_type == "code":
        fence = _FENCE.match(opening)
        if not fence:
            raise TextError(f"lesson.md line {at + 1}: expected the fence of a code cell, found {opening!r}")
        language = opening[len(fence[1]) :].split()[0:1]
        if language != ["python"]:
            raise TextError(
                f"lesson.md line {at + 1}: a {' '.join(language) or 'bare'} fence would become a cell; write ```text "
                "for what is only shown, ```python role=… for a cell"
            )
        end = at + 1 + len(source)
        while end < len(lines) and not lines[end].startswith(fence[1]):
            end += 1
        if end >= len(lines) or lines[end].rstrip() != fence[1]:
            raise TextError(f"lesson.md line {at + 1}: this fence is not closed before line {end + 1}")
        return end + 1
    if opening.startswith(_REGION):
        end = at + 1
        while end < len(lines) and lines[end].strip() != _ENDREGION:
            end += 1
        if end == len(lines):
            raise TextError(f"lesson.md line {at + 1}: this region has no {_ENDREGION}")
        return end + 1
    if lines[at : at + len(source)] != source:
        raise TextError(f"lesson.md line {at + 1}: this text is read as {cell.source[:60]!r}; simplify its markup")
    return at + len(source)


def write(block: Block) -> str:
    """``block`` as text for ``lesson.md``, without a trailing line break: the inverse of ``read`` for one block."""
    attributes = "".join(f' {key}="{value}"' for key, value in block.attributes.items())
    if block.kind == "code":
        fence = "```"
        while re.search(rf"^{fence}", block.source, re.MULTILINE):
            fence += "`"
        return "\n".join(filter(None, [f"{fence}python{attributes}", block.source, fence]))
    if attributes or _needs_region(block.source):
        return f"{_REGION}{attributes} -->\n{block.source}\n{_ENDREGION}"
    return block.source


def _needs_region(source: str) -> bool:
    """Whether Markdown would be read back as something else than this one cell without a region around it."""
    try:
        blocks = read(f"{source}\n\n\nwhat follows")
    except TextError:
        return True
    return [(b.kind, b.source) for b in blocks] != [("markdown", source), ("markdown", "what follows")]
