"""A row cut into chunks: the state of each, and how the states become one.

Standard library only; drawn as ``pictures`` draws: the page's own colours, one accent, and a text that says the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from learning.widgets.pictures import ACCENT, WIDTH, Picture, _box, _label
from learning.widgets.rows import HATCH

MOST_LANES, MOST_CHUNKS = 16, 4


def split_row(values: Sequence[float], chunk: int, chunks: int | None = None) -> Picture:
    """``values`` in chunks of ``chunk`` lanes; under each its maximum and its sum of exp(x − maximum), the factor by which that
    sum shrinks when the chunks are merged, and below all of it the state of the whole row.

    Lanes past the end are hatched. ``chunks`` may ask for more chunks than there are values for: those are all padding, and
    their state is (−∞, 0). Raises ``ValueError`` for no values, more than 16 lanes or 4 chunks, or too few chunks.
    """
    needed = -(-len(values) // chunk) if chunk > 0 else 0
    chunks = needed if chunks is None else chunks
    if not values or chunk < 1 or not needed <= chunks <= MOST_CHUNKS or chunks * chunk > MOST_LANES:
        raise ValueError(
            f"1 or more values in at most {MOST_CHUNKS} chunks and {MOST_LANES} lanes, not {len(values)} in {chunks} of {chunk}"
        )
    states = []
    for first in range(0, chunks * chunk, chunk):
        own = values[first : first + chunk]
        top = max(own, default=-math.inf)
        states.append((top, sum(math.exp(x - top) for x in own)))
    maximum = max(top for top, _ in states)
    factors = [math.exp(top - maximum) for top, _ in states]
    total = sum(s * f for (_, s), f in zip(states, factors, strict=True))
    parts, lines, wide, gap = [HATCH], [], (WIDTH - 40.0 - 12 * (chunks - 1)) / (chunks * chunk), 12.0
    for number, ((top, own), factor) in enumerate(zip(states, factors, strict=True)):
        left = 20 + number * (chunk * wide + gap)
        middle = left + chunk * wide / 2
        for lane in range(chunk):
            at = number * chunk + lane
            exists = at < len(values)
            parts.append(_box(left + lane * wide, 26, wide, 32, ACCENT if exists else "url(#padded)"))
            parts.append(_label(left + (lane + 0.5) * wide, 47, f"{values[at]:g}" if exists else "−∞"))
        parts.append(_label(middle, 18, f"chunk {number}"))
        parts.append(_label(middle, 82, f"maximum {words(top)}, sum {own:.4g}"))
        parts.append(_label(middle, 102, f"times {factor:.4g}"))
        held = ", ".join(f"{x:g}" for x in values[number * chunk : (number + 1) * chunk]) or "padding alone"
        lines.append(f"chunk {number}: {held}; maximum {words(top)}, sum {own:.4g}, times {factor:.4g}")
    merged = f"the row: maximum {words(maximum)}, sum {total:.4g}"
    parts.append(_label(WIDTH / 2, 136, merged))
    return Picture("".join(parts), 150, "\n".join([*lines, merged]))


def words(value: float) -> str:
    """``−∞`` for what has no maximum, else the number."""
    return "−∞" if value == -math.inf else f"{value:g}"
