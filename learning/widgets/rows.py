"""Pictures of kernels that give a row to a program: who owns what, what padded lanes hold, what they would add to a sum.

Standard library only; see ``learning.widgets.pictures`` for the form.
"""

from __future__ import annotations

from collections.abc import Sequence

from learning.widgets.pictures import ACCENT, WIDTH, Picture, _box, _label

HATCH = (
    '<defs><pattern id="padded" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<line x1="0" y1="0" x2="0" y2="7" stroke="currentColor" stroke-width="1.5"/></pattern></defs>'
)
MOST_ROWS = 5
MOST_LANES = 16


def row_programs(
    rows: int, columns: int, block: int, *, reads: Sequence[str], writes: Sequence[str], shared: Sequence[str] = ()
) -> Picture:
    """One program a row: its lanes that own a column, the hatched ones that own none, and what it reads and writes.

    ``reads`` and ``writes`` name matrices [rows, columns], of which a program touches its own row; ``shared`` names vectors
    [columns] that every program reads whole. More than five rows are drawn as the first four and the last. Raises
    ``ValueError`` where ``columns`` is not 1 to ``block`` or ``rows`` is negative.
    """
    if rows < 0 or not 1 <= columns <= block:
        raise ValueError(f"rows must be 0 or more and columns 1 to block, not {rows}, {columns} and {block}")
    shown = list(range(rows)) if rows <= MOST_ROWS else [*range(MOST_ROWS - 1), rows - 1]
    idle = block - columns
    own, all_read = " and ".join(reads), " and ".join(shared)
    text = f"{rows} rows of {columns}, {rows} programs of {block} lanes: {idle} lanes of each own nothing.\n"
    text += f"Each reads its row of {own}" + (f", all {columns} elements of {all_read}" if shared else "")
    text += f", and writes its row of {' and '.join(writes)}."
    left_out = f"; rows {MOST_ROWS - 1} … {rows - 2} are not drawn" if rows > MOST_ROWS else ""
    parts, left, wide, top = [HATCH], 190.0, WIDTH - 210.0, 14.0
    for row in shown:
        owned = wide * columns / block
        parts += [_label(20, top + 20, f"program {row} owns row {row}", "start"), _box(left, top, owned, 30, ACCENT)]
        parts.append(_label(left + owned / 2, top + 20, f"columns 0 … {columns - 1}" if columns > 1 else "column 0"))
        if idle:
            parts.append(_box(left + owned, top, wide - owned, 30, "url(#padded)"))
        top += 38
    if not rows:
        parts.append(_label(WIDTH / 2, top + 20, "no rows: no program is started"))
        top += 38
    owners = f"{idle} of {block} lanes (hatched) own nothing" if idle else f"all {block} lanes own a column"
    parts.append(_label(left, top + 14, owners + left_out, "start"))
    parts.append(
        _label(
            20, top + 40, f"each program reads its row of {own} and writes its row of {' and '.join(writes)}", "start"
        )
    )
    if shared:
        parts.append(_label(20, top + 60, f"and reads all {columns} elements of {all_read}", "start"))
    return Picture("".join(parts), top + 74, text)


def padded_row(values: Sequence[float], block: int, **paddings: float) -> Picture:
    """A row in a program of ``block`` lanes, drawn once for each of ``paddings`` (name → what the lanes past the end hold).

    The name is that of a reduction, "min" or "max" (a ``_`` and more may follow it), and the line says what it gives.
    Raises ``ValueError`` for more than 16 lanes, for more values than lanes, for none, and for an unknown reduction.
    """
    if not 1 <= len(values) <= block <= MOST_LANES:
        raise ValueError(f"1 to block values and a block of at most {MOST_LANES}, not {len(values)} and {block}")
    unknown = [name for name in paddings if name.partition("_")[0] not in ("min", "max")]
    if unknown or not paddings:
        raise ValueError(f"name a padding min=… or max=…, not {', '.join(unknown) or 'nothing'}")
    width, parts, lines, top = min(60.0, (WIDTH - 220.0) / block), [HATCH], [], 10.0
    for name, padding in paddings.items():
        reduce = min if name.startswith("min") else max
        lanes = [*values, *[padding] * (block - len(values))]
        found, true = reduce(lanes), reduce(values)
        verdict = f"{reduce.__name__} = {_number(found)}" + ("" if found == true else f", should be {_number(true)}")
        lines.append(f"padded with {_number(padding)}: {' '.join(_number(v) for v in lanes)}; {verdict}")
        for lane, value in enumerate(lanes):
            left = 20 + lane * width
            parts.append(_box(left, top, width, 34, ACCENT if lane < len(values) else "url(#padded)"))
            parts.append(_label(left + width / 2, top + 22, _number(value)))
        parts.append(_label(30 + block * width, top + 22, verdict, "start"))
        top += 46
    return Picture("".join(parts), top + 4, "\n".join(lines))


def deviations(values: Sequence[float], block: int) -> Picture:
    """The squared distances from the mean that each lane of ``block`` adds where padded lanes hold 0: bars, the padded hatched.

    Raises ``ValueError`` for more than 16 lanes, more values than lanes, or none.
    """
    if not 1 <= len(values) <= block <= MOST_LANES:
        raise ValueError(f"1 to block values and a block of at most {MOST_LANES}, not {len(values)} and {block}")
    n, mean = len(values), sum(values) / len(values)
    squares = [(v - mean) ** 2 for v in (*values, *[0.0] * (block - n))]
    true, wrong = sum(squares[:n]) / n, sum(squares) / n
    text = f"mean {_number(mean)}; squared deviations {', '.join(_number(q) for q in squares[:n])}: variance {_number(true)}\n"
    text += (
        f"{block - n} padded lanes of 0 would add {_number(mean**2)} each: {_number(wrong)} instead of {_number(true)}"
    )
    width, floor, tall, top = (WIDTH - 40.0) / block, 150.0, 100.0, max(squares) or 1.0
    parts = [HATCH]
    for lane, square in enumerate(squares):
        left, high = 20 + lane * width, tall * square / top
        parts.append(_box(left + 4, floor - high, width - 8, high, ACCENT if lane < n else "url(#padded)"))
        parts.append(_label(left + width / 2, floor - high - 5, _number(square)))
        parts.append(_label(left + width / 2, floor + 16, _number(values[lane]) if lane < n else "pad"))
    parts.append(_label(WIDTH / 2, 20, f"mean {_number(mean)}: what each lane adds to the sum of squared deviations"))
    parts.append(_label(WIDTH / 2, floor + 40, f"variance {_number(true)}; with the padded lanes {_number(wrong)}"))
    return Picture("".join(parts), 200, text)


def _number(value: float) -> str:
    """``−inf`` for infinities as text, else four significant digits."""
    return {float("inf"): "inf", float("-inf"): "-inf"}.get(value, f"{value:.4g}")
