"""A matrix product cut into the tiles of its programs: which bands of both factors one program walks along, and in which steps.

Standard library only; see ``learning.widgets.pictures`` for the form.
"""

from __future__ import annotations

from learning.widgets.pictures import ACCENT, Picture, _box, _label

OTHER = "#D55E00"
"""Okabe–Ito vermillion: the band of the right-hand factor, beside the accent for the left-hand one."""
MOST = 10
LEFT, TOP, WIDE, HIGH, DEEP_ACROSS, DEEP_DOWN = 270.0, 150.0, 330.0, 140.0, 210.0, 100.0


def product(
    rows: int,
    inner: int,
    columns: int,
    tile: tuple[int, int, int],
    program: int = 0,
    *,
    left: str = "a",
    right: str = "b",
    out: str = "out",
) -> Picture:
    """``left`` [rows, inner] times ``right`` [inner, columns], in tiles of ``tile`` = (rows, columns, inner), seen by ``program``.

    The result stands at the lower right, cut into tiles numbered row by row; the program's own tile and the two bands it reads
    are filled, the bands cut into its steps. Axes are each to scale for themselves. More than ten tiles or steps along an axis
    are not drawn as lines. Raises ``ValueError`` where there is no such program, a size is negative or an extent below 1.
    """
    tall, broad, step = tile
    if min(rows, inner, columns) < 0 or min(tile) < 1:
        raise ValueError(f"sizes must be 0 or more and tile extents 1 or more, not {(rows, inner, columns)} and {tile}")
    down, across, steps = -(-rows // tall), -(-columns // broad), -(-inner // step)
    if not 0 <= program < down * across:
        raise ValueError(f"there are {down * across} programs, numbered from 0, and {program} is none of them")
    tile_row, tile_column = divmod(program, across)
    mine = _range(tile_row, tall, rows), _range(tile_column, broad, columns)
    owned = (mine[0][1] - mine[0][0]) * (mine[1][1] - mine[1][0])
    lanes, text = tall * broad, []
    text.append(
        f"{left} [{rows}, {inner}] times {right} [{inner}, {columns}], tiles of {tall} × {broad}: "
        f"{down} × {across} = {down * across} programs of {_count(steps, 'step')}"
    )
    text.append(
        f"program {program} owns {out}[{_span(mine[0])}, {_span(mine[1])}]; {lanes - owned} of {lanes} lanes own nothing"
    )
    text.append(
        f"it reads rows {_span(mine[0])} of {left} and columns {_span(mine[1])} of {right}, {min(step, inner)} of {inner} at a time"
    )
    text.append(
        f"all programs together request {left} {_count(across, 'time')} and {right} {_count(down, 'time')}, and store {out} once"
    )
    parts = _matrix(20, TOP, DEEP_ACROSS, HIGH, f"{left}: {rows} × {inner}")
    parts += _matrix(LEFT, 26, WIDE, DEEP_DOWN, f"{right}: {inner} × {columns}")
    parts += _matrix(LEFT, TOP, WIDE, HIGH, "")
    top, bottom = (TOP + HIGH * edge / rows for edge in mine[0])
    start, end = (LEFT + WIDE * edge / columns for edge in mine[1])
    parts.append(_box(20, top, DEEP_ACROSS, bottom - top, ACCENT))
    parts.append(_box(start, 26, end - start, DEEP_DOWN, OTHER))
    parts.append(_box(start, top, end - start, bottom - top, "#009E73"))
    if steps <= MOST:
        for cut in range(1, steps):
            at = cut * step / inner
            parts.append(_line(20 + DEEP_ACROSS * at, top, 20 + DEEP_ACROSS * at, bottom))
            parts.append(_line(start, 26 + DEEP_DOWN * at, end, 26 + DEEP_DOWN * at))
    if max(down, across) <= MOST:
        parts += [
            _line(LEFT, TOP + HIGH * r * tall / rows, LEFT + WIDE, TOP + HIGH * r * tall / rows) for r in range(1, down)
        ]
        parts += [
            _line(LEFT + WIDE * c * broad / columns, TOP, LEFT + WIDE * c * broad / columns, TOP + HIGH)
            for c in range(1, across)
        ]
        for number in range(down * across):
            r, c = divmod(number, across)
            y = TOP + HIGH * sum(_range(r, tall, rows)) / 2 / rows
            x = LEFT + WIDE * sum(_range(c, broad, columns)) / 2 / columns
            parts.append(_label(x, y + 5, str(number)))
    below = TOP + HIGH
    parts.append(_label(LEFT + WIDE + 10, TOP + HIGH / 2, out, "start"))
    parts += [_label(20, below + 24 + 20 * line, sentence, "start") for line, sentence in enumerate(text)]
    return Picture("".join(parts), below + 24 + 20 * len(text), "\n".join(text))


def _range(number: int, extent: int, size: int) -> tuple[int, int]:
    """First and one past the last of what tile ``number`` owns along an axis."""
    return number * extent, min((number + 1) * extent, size)


def _span(edges: tuple[int, int]) -> str:
    return str(edges[0]) if edges[1] - edges[0] == 1 else f"{edges[0]} … {edges[1] - 1}"


def _count(number: int, word: str) -> str:
    """``1 step``, ``3 steps``; times in words where there is a word."""
    if word == "time":
        return {1: "once", 2: "twice"}.get(number, f"{number} times")
    return f"{number} {word}" + ("" if number == 1 else "s")


def _matrix(x: float, y: float, width: float, height: float, name: str) -> list[str]:
    return [_box(x, y, width, height, "none"), *([_label(x + width / 2, y - 8, name)] if name else [])]


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="currentColor"/>'
