"""Where the elements of a matrix lie: a strip of memory for each layout, one cell an element.

Standard library only; a matrix is anything with ``shape`` and ``stride()``, so a tensor can be drawn wherever it lives.
"""

from __future__ import annotations

from typing import Any

from learning.widgets.pictures import WIDTH, Picture, _box, _label

ROWS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
"""Okabe–Ito blue, vermillion, green and purple for rows 0 to 3; later rows begin again, and every cell names its row."""

MOST_CELLS = 40


def memory(**matrices: Any) -> Picture:
    """One strip a matrix: cell k is the k-th element after ``x[0, 0]``, and says which ``[i, j]`` are stored there.

    ``matrices`` maps a name (``_`` is shown as a space) to a 2-D tensor of at least one element whose elements span at
    most 40 cells; hatched cells belong to none. Raises ``ValueError`` where a matrix does not fit.
    """
    if not matrices:
        raise ValueError("name at least one matrix: memory(transposed=x)")
    parts, lines, top = [_HATCH], [], 0.0
    for key, x in matrices.items():
        name, shape, strides = key.replace("_", " "), tuple(x.shape), tuple(x.stride())
        owners = _owners(name, shape, strides)
        head = f"{name}: shape {shape}, strides {strides}"
        lines.append(head + "\n  " + " ".join("--" if not own else _owner_text(own) for own in owners))
        parts.append(_label(20, top + 20, head, "start"))
        width = min(46.0, (WIDTH - 40) / len(owners))
        for cell, own in enumerate(owners):
            left = 20 + cell * width
            fill = ROWS[own[0][0] % len(ROWS)] if own and len({i for i, _ in own}) == 1 else "none"
            parts.append(_box(left, top + 30, width, 34, fill if own else "url(#nobody)"))
            if own:
                parts.append(_label(left + width / 2, top + 52, _owner_text(own)))
            if cell % 4 == 0:
                parts.append(_label(left + width / 2, top + 80, str(cell)))
        top += 92
    return Picture("".join(parts), top + 4, "\n".join(lines))


_HATCH = (
    '<defs><pattern id="nobody" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<line x1="0" y1="0" x2="0" y2="7" stroke="currentColor" stroke-opacity="0.5"/></pattern></defs>'
)


def _owners(name: str, shape: tuple[int, ...], strides: tuple[int, ...]) -> list[list[tuple[int, int]]]:
    """For each cell from the first element to the last, the indices ``(i, j)`` that are stored in it."""
    if len(shape) != 2 or 0 in shape:
        raise ValueError(f"{name} must be 2-D with at least one element, not {shape}")
    cells = 1 + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))
    if cells > MOST_CELLS:
        raise ValueError(f"{name} spans {cells} elements and the picture has room for {MOST_CELLS}")
    owners: list[list[tuple[int, int]]] = [[] for _ in range(cells)]
    for i in range(shape[0]):
        for j in range(shape[1]):
            owners[i * strides[0] + j * strides[1]].append((i, j))
    return owners


def _owner_text(own: list[tuple[int, int]]) -> str:
    """``1,2``; ``*,2`` where several rows share the cell; ``1,*`` where several columns do."""
    rows, columns = {i for i, _ in own}, {j for _, j in own}
    return f"{own[0][0] if len(rows) == 1 else '*'},{own[0][1] if len(columns) == 1 else '*'}"
