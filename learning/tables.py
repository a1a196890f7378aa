"""Tables of anybody's words, for a terminal and for a notebook's page. Standard library only.

On the page every heading says whether it is a column's or a row's, which a screen reader reads out with each cell.
"""

from __future__ import annotations

import html as markup
from collections.abc import Callable, Sequence

_STYLE = "text-align:{};vertical-align:top;padding:.1em .8em .1em 0"


def text(rows: Sequence[Sequence[object]], *, left: int | None = None) -> list[str]:
    """A line a row, columns two spaces apart: in the first ``left`` columns (in all, where it is left out) words begin below one
    another, in the others they end so. A row may be shorter than others."""
    shown = [[str(cell) for cell in row] for row in rows]
    count = max(map(len, shown), default=0)
    widths = [max(len(row[k]) for row in shown if k < len(row)) for k in range(count)]
    left = count if left is None else left

    def padded(k: int, cell: str) -> str:
        return cell.ljust(widths[k]) if k < left else cell.rjust(widths[k])

    return ["  ".join(padded(k, cell) for k, cell in enumerate(row)).rstrip(" ") for row in shown]


def html(
    rows: Sequence[Sequence[object]],
    heads: Sequence[str] = (),
    *,
    left: int | None = None,
    named: bool = False,
    caption: str = "",
    shown: Callable[[str], str] = markup.escape,
) -> str:
    """The same as HTML: ``heads`` over the columns unless all are empty, ``named`` where a row's first cell is its heading.
    ``shown`` makes HTML of a cell's words; as they are, by default."""

    def line(row: Sequence[object], kind: str, first: str) -> str:
        cells = []
        for k, cell in enumerate(row):
            tag = first if k == 0 else kind
            style = _STYLE.format("left" if left is None or k < left else "right")
            cells.append(f'<{tag} style="{style}">{shown(str(cell))}</{tag.split()[0]}>')
        return f"<tr>{''.join(cells)}</tr>"

    column, row_head = 'th scope="col"', 'th scope="row"'
    top = f"<thead>{line(heads, column, column)}</thead>" if any(heads) else ""
    body = "".join(line(row, "td", row_head if named else "td") for row in rows)
    said = (
        f'<caption style="text-align:left;font-weight:bold;padding:.3em 0">{markup.escape(caption)}</caption>'
        if caption
        else ""
    )
    return f'<table style="border-collapse:collapse">{said}{top}<tbody>{body}</tbody></table>'


class Rows:
    """What shows its ``rows()``, pairs of what and value, as a table of two columns."""

    def rows(self) -> list[tuple[str, str]]:
        raise NotImplementedError

    def __repr__(self) -> str:
        return "\n".join(text(self.rows()))

    def _repr_html_(self) -> str:
        return html(self.rows(), named=True)
