"""Which keys of a cache each new token sees, and which of them a program walks over: a band along the diagonal, cut in
steps.

Standard library only; see ``learning.widgets.pictures`` for the form.
"""

from __future__ import annotations

from learning.widgets.pictures import ACCENT, WIDTH, Picture, _box, _label

MOST_QUERIES, MOST_KEYS = 20, 80
_HATCH = (
    '<defs><pattern id="unseen" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<line x1="0" y1="0" x2="0" y2="7" stroke="currentColor" stroke-width="1.5"/></pattern></defs>'
)


def seen(length: int, steps: int, window: int, query: int) -> range:
    """The keys that query number ``query`` of ``steps`` new tokens sees: max(0, p − window + 1) … p at p = length −
    steps + query."""
    place = length - steps + query
    return range(max(0, place - window + 1), place + 1)


def seen_keys(capacity: int, length: int, steps: int, window: int, tile: tuple[int, int]) -> Picture:
    """A cache of ``capacity`` keys, ``length`` of them valid, ``steps`` of these new; a line a query, filled where it
    sees a key.

    ``tile`` = (queries, keys): dashed frames are the steps that the first program walks, from the first key its first query
    sees; hatched are keys that it loads for a query that does not see them. Places behind ``length`` are left empty.
    Raises ``ValueError`` unless 1 ≤ steps ≤ length ≤ capacity, window ≥ 1 and both extents are 1 or more, and for more than 20
    queries or 80 keys, which would not be legible.
    """
    queries, keys = tile
    if not 1 <= steps <= length <= capacity or window < 1 or queries < 1 or keys < 1:
        raise ValueError(
            f"1 ≤ steps ≤ length ≤ capacity and window, queries, keys from 1 up, not {steps}, {length}, {capacity}, {window} and {tile}"
        )
    if steps > MOST_QUERIES or capacity > MOST_KEYS:
        raise ValueError(
            f"the picture has room for {MOST_QUERIES} queries and {MOST_KEYS} keys, not {steps} and {capacity}"
        )
    mine = min(queries, steps)
    low, high = seen(length, steps, window, 0).start, seen(length, steps, window, mine - 1).stop
    walked = [(start, min(start + keys, high)) for start in range(low, high, keys)]
    loaded = high - low
    pairs = sum(len(seen(length, steps, window, q)) for q in range(mine))
    text = (
        f"{capacity} places, {length} valid keys, {steps} new tokens, a window of {window}; tiles of {queries} queries and {keys} keys.\n"
        f"Program 0 owns {mine} queries and walks keys {low} … {high - 1} in {len(walked)} steps: {loaded} keys, {mine * loaded} "
        f"pairs, of which {pairs} are seen.\n"
    )
    lines = [_line(q, seen(length, steps, window, q)) for q in range(steps)]
    left, high_line = 100.0, 16.0
    cell = (WIDTH - left - 20) / capacity
    parts = [_HATCH, _label(left - 8, 16, "key", "end"), _label(left, 16, "0", "start")]
    parts.append(_label(left + length * cell, 16, f"{length} valid", "end"))
    parts.append(_label(left + capacity * cell, 16, str(capacity), "end") if capacity - length > 8 else "")
    top = 24.0
    for q in range(steps):
        sees, y = seen(length, steps, window, q), top + q * high_line
        parts.append(_label(left - 8, y + 12, f"query {q}, p = {sees.stop - 1}", "end"))
        if q < mine:
            parts.append(_box(left + low * cell, y, (sees.start - low) * cell, high_line - 2, "url(#unseen)"))
            parts.append(_box(left + sees.stop * cell, y, (high - sees.stop) * cell, high_line - 2, "url(#unseen)"))
        parts.append(_box(left + sees.start * cell, y, len(sees) * cell, high_line - 2, ACCENT))
    bottom = top + steps * high_line
    for number, (start, end) in enumerate(walked):
        parts.append(
            f'<rect x="{left + start * cell:.1f}" y="{top - 3:.1f}" width="{(end - start) * cell:.1f}" '
            f'height="{mine * high_line + 4:.1f}" fill="none" stroke="currentColor" stroke-dasharray="5 4" stroke-width="1.5"/>'
        )
        parts.append(_label(left + (start + end) / 2 * cell, bottom + 16, f"step {number}"))
    parts.append(
        f'<rect x="{left:.1f}" y="{top - 3:.1f}" width="{capacity * cell:.1f}" height="{bottom - top + 4:.1f}" fill="none" '
        'stroke="currentColor"/>'
    )
    parts.append(
        _label(left, bottom + 38, "filled: seen; hatched: loaded with the step, and not seen by this query", "start")
    )
    return Picture("".join(parts), bottom + 50, text + "\n".join(lines))


def _line(query: int, keys: range) -> str:
    return f"query {query} stands at {keys.stop - 1} and sees keys {keys.start} … {keys.stop - 1}"
