"""A matrix whose rows are shared out among programs that walk along them in steps, with the vector they all read.

Standard library only; see ``learning.widgets.pictures`` for the form.
"""

from __future__ import annotations

from learning.widgets.pictures import ACCENT, WIDTH, Picture, _box, _label

MOST_BANDS, MOST_STEPS = 5, 6
_HATCH = (
    '<defs><pattern id="idle" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<line x1="0" y1="0" x2="0" y2="7" stroke="currentColor" stroke-width="1.5"/></pattern></defs>'
)


def row_walk(shape: tuple[int, int], tile: tuple[int, int], *, matrix: str, vector: str, out: str) -> Picture:
    """A ``matrix`` of ``shape`` = (rows, columns): each program owns ``tile[0]`` rows and takes ``tile[1]`` columns a
    step.

    Above it the ``vector`` that every program reads, at the right the elements of ``out`` that each program stores. Lanes past
    an edge are hatched; owned parts are to scale within a tile. More than 5 programs or 6 steps are drawn as the first ones and
    the last. Raises ``ValueError`` for a negative size or a tile extent below 1.
    """
    (rows, columns), (tall, wide) = shape, tile
    if rows < 0 or columns < 0 or tall < 1 or wide < 1:
        raise ValueError(f"sizes must be 0 or more and tile extents 1 or more, not {shape} and {tile}")
    programs, steps = -(-rows // tall), -(-columns // wide)
    text = (
        f"{matrix} of {rows} × {columns}, tiles of {tall} × {wide}: {programs} programs, {steps} steps each.\n"
        f"Each reads {tall} rows of {matrix} once and all {columns} elements of {vector}: {programs * columns} elements of "
        f"{vector} are requested in all. In the last program {programs * tall - rows} rows do not exist, in the last step "
        f"{steps * wide - columns} columns do not."
    )
    if not programs or not steps:
        nothing = "no rows: no program is started" if not programs else f"no columns: nothing is read, {out} is zeros"
        return Picture(_label(WIDTH / 2, 30, nothing), 50, text)
    down, across = _shown(programs, MOST_BANDS), _shown(steps, MOST_STEPS)
    left, right = 118.0, 110.0
    width = (WIDTH - left - right) / len(across)
    parts = [_HATCH, _label(left - 10, 38, vector, "end")]
    for place, step in enumerate(across):
        x, owned = left + place * width, min(wide, columns - step * wide)
        parts += [_box(x, 24, (width - 4) * owned / wide, 20, ACCENT), _label(x, 16, f"step {step}", "start")]
    top = 58.0
    for program in down:
        own = min(tall, rows - program * tall)
        high = 36.0 * own / tall
        parts.append(_label(left - 10, top + 22, f"program {program}", "end"))
        for place, step in enumerate(across):
            x, w = left + place * width, width - 4
            seen = w * min(wide, columns - step * wide) / wide
            parts.append(_box(x, top, seen, high, ACCENT))
            if seen < w:
                parts.append(_box(x + seen, top, w - seen, 36, "url(#idle)"))
            if high < 36:
                parts.append(_box(x, top + high, seen, 36 - high, "url(#idle)"))
        parts.append(_box(WIDTH - right + 6, top, 22, high, ACCENT))
        first = program * tall
        parts.append(
            _label(WIDTH - right + 34, top + 22, f"{first} … {first + own - 1}" if own > 1 else f"{first}", "start")
        )
        top += 44
    parts.append(_label(WIDTH - right + 6, 38, out, "start"))
    parts.append(
        _label(
            left,
            top + 10,
            f"{matrix}: {rows} × {columns}; every tile is read once, hatched lanes read nothing",
            "start",
        )
    )
    parts.append(_label(left, top + 30, f"each of the {programs} programs reads the whole {vector}", "start"))
    return Picture("".join(parts), top + 42, text)


def _shown(count: int, most: int) -> list[int]:
    return list(range(count)) if count <= most else [*range(most - 1), count - 1]
