"""In which order the tiles of a product are computed, and what programs that run together need of its two factors.

Standard library only; see ``learning.widgets.pictures`` for the form.
"""

from __future__ import annotations

from learning.widgets.pictures import ACCENT, WIDTH, Picture, _box, _label

OTHER = "#D55E00"
"""Okabe–Ito vermillion: what is needed of the right-hand factor, as in ``products``."""
MOST = 12


def place(number: int, down: int, across: int, group: int) -> tuple[int, int]:
    """Tile row and tile column of program ``number`` of ``down`` × ``across``, in bands of ``group`` tile rows, downwards first
    inside a band; the last band may be lower."""
    first, within = number // (group * across) * group, number % (group * across)
    height = min(group, down - first)
    return first + within % height, within // height


def needed(down: int, across: int, together: int, group: int) -> tuple[int, int]:
    """How many different tile rows of the left factor and tile columns of the right one the first ``together`` programs need."""
    tiles = [place(number, down, across, group) for number in range(min(together, down * across))]
    return len({row for row, _ in tiles}), len({column for _, column in tiles})


def tile_orders(
    down: int, across: int, together: int, groups: tuple[int, ...] = (1, 4, 8), *, left: str = "a", right: str = "b"
) -> Picture:
    """A result of ``down`` × ``across`` tiles once for each of up to three ``groups``: numbers are programs, filled tiles those of the
    first ``together`` of them; bars at the side and above are the tile rows of ``left`` and tile columns of ``right`` they need.

    Raises ``ValueError`` for a size below 1 or above 12 tiles, for fewer than 1 program and for no or more than three groups.
    """
    if not (1 <= down <= MOST and 1 <= across <= MOST):
        raise ValueError(f"the picture has room for 1 to {MOST} tiles along an axis, not {down} × {across}")
    if not together >= 1 or not 1 <= len(groups) <= 3 or min(groups) < 1:
        raise ValueError(f"at least one program and one to three groups of 1 or more, not {together} and {groups}")
    together = min(together, down * across)
    lines = [f"{down} × {across} tiles; programs 0 … {together - 1} run together"]
    parts, cell = [], min(20.0, (WIDTH - 130) / (3 * across))
    for panel, group in enumerate(groups):
        rows, columns = needed(down, across, together, group)
        lines.append(
            f"bands of {group}: {rows} tile row{'s' * (rows > 1)} of {left} + {columns} tile column{'s' * (columns > 1)} of {right} "
            f"= {rows + columns} for {together} tiles"
        )
        x, y = 44 + panel * (WIDTH - 20) / 3, 58.0
        tiles = [place(number, down, across, group) for number in range(down * across)]
        parts.append(_label(x, 18, f"bands of {group}: {rows} + {columns} = {rows + columns}", "start"))
        parts += [_box(x + c * cell, y - 16, cell, 12, OTHER) for c in sorted({c for _, c in tiles[:together]})]
        parts += [_box(x - 16, y + r * cell, 12, cell, ACCENT) for r in sorted({r for r, _ in tiles[:together]})]
        parts += [_label(x - 22, y + 12, left, "end"), _label(x - 8, y - 6, right, "end")]
        for number, (r, c) in enumerate(tiles):
            parts.append(_box(x + c * cell, y + r * cell, cell, cell, "#009E73" if number < together else "none"))
            parts.append(
                f'<text x="{x + (c + 0.5) * cell:.1f}" y="{y + (r + 0.5) * cell + 4:.1f}" text-anchor="middle" '
                f'font-size="10">{number}</text>'
            )
    bottom = 58 + down * cell + 24
    parts.append(
        _label(20, bottom, f"filled: programs 0 … {together - 1}; bars: what they need of {left} and {right}", "start")
    )
    return Picture("".join(parts), bottom + 12, "\n".join(lines))
