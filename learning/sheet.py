"""A page of Markdown as a notebook cell shows it: text in a terminal, Markdown on a page, HTML in a notebook.

Only what the course's own pages use is read: headings, paragraphs, nested lists, tables, fences, **bold**, *italic*, `code` and
links. Everything else is shown as it stands, escaped. Standard library only.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

from learning import tables
from learning.unseen import spelt_out

_BAR = re.compile(r"(?<!\\)\|")
_SAFE = re.compile(r"^(?:https?://|[\w./#-]+$)")


class Sheet:
    """Markdown that knows its two other forms; ``markdown`` is what it was made of."""

    def __init__(self, *parts: str):
        self.markdown = spelt_out("\n\n".join(part.strip("\n") for part in parts if part.strip()))

    def __repr__(self) -> str:
        return text(self.markdown)

    def _repr_markdown_(self) -> str:
        return self.markdown

    def _repr_html_(self) -> str:
        return page(self.markdown)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; cells are inline Markdown, made safe by ``cell`` where they hold anybody's words."""
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def cell(words: object) -> str:
    """Anybody's words as inline Markdown that shows them as they are: on one line, nothing in them read as markup."""
    line = " ".join(str(words).split())
    return re.sub(r"([\\`*_\[\]|<>])", r"\\\1", line)


def page(markdown: str) -> str:
    """Markdown as HTML, escaped."""
    return "".join(_blocks(markdown))


def text(markdown: str) -> str:
    """Markdown as plain text, tables aligned."""
    out: list[str] = []
    for kind, lines in _split(markdown):
        if kind == "table":
            out += _aligned(lines)
        elif kind == "fence":
            out += [f"    {line}" for line in lines[1:-1]]
        else:
            out += [_plain(line.lstrip("#").lstrip() if line.startswith("#") else line) for line in lines]
        out.append("")
    return "\n".join(out).rstrip("\n")


def _split(markdown: str) -> Iterable[tuple[str, list[str]]]:
    """Blocks as (kind, lines): table, list, heading, fence, text."""
    held: list[str] = []
    lines = iter(markdown.split("\n"))
    for line in lines:
        if line.startswith("```") and not held:
            fence = [line]
            for inner in lines:
                fence.append(inner)
                if inner.startswith("```"):
                    break
            yield "fence", fence
        elif line.startswith("#") and re.match(r"#{1,6} ", line):
            if held:
                yield _kind(held), held
            held = []
            yield "heading", [line]
        elif line.strip():
            held.append(line)
        elif held:
            yield _kind(held), held
            held = []
    if held:
        yield _kind(held), held


def _kind(lines: list[str]) -> str:
    if lines[0].startswith("|"):
        return "table"
    if lines[0].startswith(">"):
        return "quote"
    return "list" if lines[0].lstrip().startswith("- ") else "text"


def _blocks(markdown: str) -> Iterable[str]:
    for kind, lines in _split(markdown):
        if kind == "table":
            yield _table(lines)
        elif kind == "list":
            yield _list(lines)
        elif kind == "fence":
            yield f"<pre>{html.escape(chr(10).join(lines[1:-1]))}</pre>"
        elif kind == "quote":
            words = "<br>".join(_inline(line.removeprefix(">").strip()) for line in lines)
            yield f"<blockquote>{words}</blockquote>"
        elif kind == "heading":
            level = len(lines[0]) - len(lines[0].lstrip("#"))
            yield f"<h{level}>{_inline(lines[0].lstrip('#').strip())}</h{level}>"
        else:
            yield f"<p>{_inline(' '.join(lines))}</p>"


def _cells(line: str) -> list[str]:
    return [part.strip() for part in _BAR.split(line.strip().strip("|") if not line.rstrip().endswith("\\|") else line)]


def _table(lines: list[str]) -> str:
    heads, rows = _cells(lines[0]), [_cells(line) for line in lines[2:]]
    return tables.html(rows, heads, shown=_inline)


def _aligned(lines: list[str]) -> list[str]:
    rows = [[_plain(value) for value in _cells(line)] for number, line in enumerate(lines) if number != 1]
    return tables.text(rows if any(rows[0]) else rows[1:])


def _list(lines: list[str]) -> str:
    items: list[str] = []  # a line that begins no item goes on with the one before it
    for line in lines:
        if line.lstrip().startswith("- "):
            items.append(line)
        else:
            items[-1] += f" {line.strip()}"
    out, depth = [], 0
    for line in items:
        body = line.lstrip()
        level = (len(line) - len(body)) // 2 + 1
        out.append("<ul>" * max(level - depth, 0) + "</ul>" * max(depth - level, 0))
        out.append(f"<li>{_inline(body[2:])}</li>")
        depth = level
    return "".join(out) + "</ul>" * depth


def _pieces(line: str) -> Iterable[tuple[str, str, str]]:
    """Inline pieces (kind, words, target): "plain", "code", "bold", "italic", "link"."""
    pattern = re.compile(
        r"\\(?P<escaped>[\\`*_\[\]|<>~])|`(?P<code>[^`]+)`|\*\*(?P<bold>[^*]+)\*\*|\*(?P<italic>[^*]+)\*"
        r"|\[(?P<link>(?:\\.|[^\]])+)\]\((?P<target>[^)\s]+)\)"
    )
    at = 0
    for found in pattern.finditer(line):
        if found.start() > at:
            yield "plain", line[at : found.start()], ""
        kind = found.lastgroup if found.lastgroup != "target" else "link"
        yield ("plain" if kind == "escaped" else str(kind)), found[str(kind)], found["target"] or ""
        at = found.end()
    if at < len(line):
        yield "plain", line[at:], ""


def _inline(line: str) -> str:
    out = []
    for kind, words, target in _pieces(line):
        if kind == "link":
            shown = _inline(words)
            out.append(f'<a href="{html.escape(target)}">{shown}</a>' if _SAFE.match(target) else shown)
        elif kind in ("bold", "italic"):
            tag = "b" if kind == "bold" else "i"
            out.append(f"<{tag}>{_inline(words)}</{tag}>")
        else:
            out.append(f"<code>{html.escape(words)}</code>" if kind == "code" else html.escape(words))
    return "".join(out)


def _plain(line: str) -> str:
    return "".join(_plain(words) if kind in ("link", "bold", "italic") else words for kind, words, _ in _pieces(line))
