"""A matrix cut into the tiles of its programs, and a row's shares with what its padded lanes take of them.

Standard library only; drawn as ``pictures`` draws: the page's own colours, one accent, and a text that says the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from learning.widgets.pictures import ACCENT, WIDTH, Picture, _box, _label

MOST_DOWN, MOST_ACROSS, MOST_LANES = 6, 8, 16
_HATCH = (
    '<defs><pattern id="unowned" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<line x1="0" y1="0" x2="0" y2="7" stroke="currentColor" stroke-width="1.5"/></pattern></defs>'
)


def matrix_tiles(shape: tuple[int, int], tile: tuple[int, int]) -> Picture:
    """A matrix of ``shape`` = (rows, columns) cut into tiles of ``tile`` = (rows, columns), one a program, numbered row by row.

    Lanes past an edge are hatched; owned parts are to scale within a tile. More than 6 tiles down or 8 across are drawn as
    the first ones and the last. Raises ``ValueError`` for a negative size or a tile extent below 1.
    """
    (rows, columns), (tall, wide) = shape, tile
    if rows < 0 or columns < 0 or tall < 1 or wide < 1:
        raise ValueError(f"sizes must be 0 or more and tile extents 1 or more, not {shape} and {tile}")
    down, across = -(-rows // tall), -(-columns // wide)
    lanes = down * across * tall * wide
    head = (
        f"{rows} × {columns} elements, tiles of {tall} × {wide}: {down} × {across} = {down * across} programs, "
        f"{lanes - rows * columns} of {lanes} lanes own nothing."
    )
    if not lanes:
        return Picture(_label(WIDTH / 2, 30, "no elements: no program is started"), 50, head)
    shown_down, shown_across = _shown(down, MOST_DOWN), _shown(across, MOST_ACROSS)
    width, height = (WIDTH - 110) / len(shown_across), 44.0 if len(shown_down) > 1 or across == 1 else 70.0
    parts, lines = [_HATCH], [head]
    for place, c in enumerate(shown_across):
        parts.append(_label(100 + place * width, 16, f"column {c * wide}" if place == 0 else str(c * wide), "start"))
    for line, r in enumerate(shown_down):
        top, owned_rows = 24 + line * (height + 4), min(tall, rows - r * tall)
        parts.append(_label(92, top + 14, f"row {r * tall}", "end"))
        for place, c in enumerate(shown_across):
            left, owned_columns = 100 + place * width, min(wide, columns - c * wide)
            parts.append(_box(left, top, width - 4, height, "url(#unowned)"))
            w, h = (width - 4) * owned_columns / wide, height * owned_rows / tall
            parts += [_cover(left, top, w, h), _box(left, top, w, h, ACCENT)]
            parts.append(_label(left + min(w, width - 4) / 2, top + h / 2 + 5, str(r * across + c)))
            lines.append(
                f"program {r * across + c}: {_span('row', r * tall, owned_rows, tall)}, "
                f"{_span('column', c * wide, owned_columns, wide)}"
            )
    bottom = 24 + len(shown_down) * (height + 4) + 18
    parts.append(_label(WIDTH / 2, bottom, head))
    return Picture("".join(parts), bottom + 12, "\n".join(lines))


def _span(word: str, first: int, owned: int, extent: int) -> str:
    """``row 3`` where tiles are one row tall, else ``rows 0 … 63``."""
    return f"{word} {first}" if extent == 1 else f"{word}s {first} … {first + owned - 1}"


def _shown(count: int, most: int) -> list[int]:
    return list(range(count)) if count <= most else [*range(most - 1), count - 1]


def _cover(x: float, y: float, width: float, height: float) -> str:
    """Hide the hatching under the part that is owned, on a light page and on a dark one."""
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{height:.1f}" '
        'fill="var(--jp-layout-color0, var(--vscode-editor-background, Canvas))"/>'
    )


def padded_shares(values: Sequence[float], lanes: int, padding: float) -> Picture:
    """Each lane's share of a softmax over ``lanes`` lanes: ``values`` first, then lanes that hold ``padding`` (hatched).

    ``values`` are 1 to 16 finite floats, ``lanes`` at least as many and at most 16, ``padding`` a finite float or minus
    infinity, else ``ValueError``. Bars are to scale; the shares that belong to nobody are summed below.
    """
    if not 1 <= len(values) <= lanes <= MOST_LANES:
        raise ValueError(
            f"the picture has room for 1 to {MOST_LANES} lanes and no fewer lanes than values, "
            f"not {lanes} lanes for {len(values)} values"
        )
    if not all(math.isfinite(v) for v in values) or math.isnan(padding) or padding == math.inf:
        raise ValueError("values are finite, and padding is finite or minus infinity")
    held = [*values, *[padding] * (lanes - len(values))]
    top = max(held)
    terms = [math.exp(v - top) for v in held]
    shares = [term / sum(terms) for term in terms]
    lost = sum(shares[len(values) :])
    head = f"padding {padding:g}: maximum {top:g}, the row's own shares add up to {1 - lost:.4f}"
    text = head + "\n" + "\n".join(
        f"lane {i} {'holds' if i < len(values) else 'is padded with'} {v:g}: share {s:.4f}"
        for i, (v, s) in enumerate(zip(held, shares, strict=True))
    )  # fmt: skip
    step, floor, tall = (WIDTH - 40) / lanes, 150.0, 100.0
    parts = [_HATCH, _label(WIDTH / 2, 18, head)]
    for i, (value, share) in enumerate(zip(held, shares, strict=True)):
        fill, left = ACCENT if i < len(values) else "url(#unowned)", 20 + i * step
        parts.append(_box(left + 4, floor - tall * share, step - 8, tall * share, fill))
        parts.append(_label(left + step / 2, floor - tall * share - 6, f"{share:.4f}"))
        parts.append(_label(left + step / 2, floor + 18, "−∞" if value == -math.inf else f"{value:g}"))
    parts.append(_label(WIDTH / 2, floor + 42, f"hatched: lanes that own no column; together they take {lost:.4f}"))
    return Picture("".join(parts), floor + 54, text)
