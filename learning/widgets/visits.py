"""Which tiles of keys a tile of queries visits, from the schedule and as a tracer saw it.

Standard library only until a call is watched; see ``learning.widgets.pictures`` for the form.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from learning.widgets.pictures import ACCENT, Picture, _box, _label

MOST = 16
_HATCH = (
    '<defs><pattern id="future" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
    '<line x1="0" y1="0" x2="0" y2="7" stroke="currentColor" stroke-width="1.5"/></pattern></defs>'
)


def schedule(tokens: int, tile: tuple[int, int], *, skip: bool = False) -> Picture:
    """A causal call of ``tokens`` queries and keys in tiles of ``tile`` = (queries, keys): a line a tile of queries, a cell a tile of
    keys. Filled where pairs are seen, hatched where all lie in the future; with ``skip`` the latter are not visited and left empty.

    Raises ``ValueError`` for fewer than 1 token, an extent below 1, and for more than 16 tiles along an axis.
    """
    queries, keys = tile
    if tokens < 1 or min(tile) < 1:
        raise ValueError(f"tokens and both extents of a tile are 1 or more, not {tokens} and {tile}")
    down, across = -(-tokens // queries), -(-tokens // keys)
    visits = {
        (q, k): _some_seen(q, k, tile, tokens)
        for q in range(down)
        for k in range(across)
        if not skip or _some_seen(q, k, tile, tokens)
    }
    return _drawn(f"{tokens} tokens, causal, tiles of {queries} queries × {keys} keys", down, across, visits, tile)


def visited(call: Callable[[], Any], keys: Any, tile: tuple[int, int]) -> Picture | str:
    """The same picture of what ``call`` was seen to load of ``keys`` [N, D], a tensor it hands to its first kernel.

    A cell is a tile of ``tile[1]`` keys of which the program that owns a tile of ``tile[0]`` queries, in the grid's first axis, loaded
    some; hatched ones lie wholly in the future. Where kernels run on a GPU nobody can watch: a sentence says so.
    """
    from learning.lens import device, named, trace
    from learning.lens.interpreter import execute

    if device.current().kind != "interpreter":
        return (
            f"Kernels run on {device.current().name} here, and nobody watches. The check keeps_scores_out_of_memory counts the visits of "
            "your answer in a process where they are interpreted."
        )
    import numpy as np

    who = named.Named()
    stop = execute.watch(who)
    try:
        with trace.recording(keep=1 << 22) as tape:
            made = call()
    finally:
        stop()
    if made is None or not tape.launches:
        return "Nothing was launched: the answer is not written yet."
    tokens, width = keys.shape
    arguments = who.arguments(0, keys)
    visits: dict[tuple[int, int], bool] = {}
    for access in tape.launches[0].accesses:
        if access.argument in arguments and not access.store and access.active.any():
            rows = np.unique(np.asarray(access.offsets)[np.asarray(access.active, bool)] // width)
            for k in np.unique(rows // tile[1]):
                visits[access.program[0], int(k)] = _some_seen(access.program[0], int(k), tile, tokens)
    down, across = -(-tokens // tile[0]), -(-tokens // tile[1])
    return _drawn(
        f"{tokens} tokens, as traced, tiles of {tile[0]} queries × {tile[1]} keys", down, across, visits, tile
    )


def _some_seen(q: int, k: int, tile: tuple[int, int], tokens: int) -> bool:
    """Whether the last query of tile ``q`` sees the first key of tile ``k``."""
    return k * tile[1] <= min((q + 1) * tile[0], tokens) - 1


def _drawn(head: str, down: int, across: int, visits: dict[tuple[int, int], bool], tile: tuple[int, int]) -> Picture:
    if max(down, across) > MOST:
        raise ValueError(f"the picture has room for {MOST} tiles along an axis, not {down} × {across}")
    idle = sum(not seen for seen in visits.values())
    lines = [
        head,
        f"{len(visits)} of {down * across} tiles of keys are visited; {idle} of them lie wholly in the future",
    ]
    wide, high = min(40.0, 560.0 / across), 24.0
    parts = [_HATCH, _label(20, 18, head, "start")]
    for q in range(down):
        top = 44 + q * high
        parts.append(_label(112, top + 16, f"queries {q * tile[0]} …", "end"))
        mine = [k for k in range(across) if (q, k) in visits]
        lines.append(
            f"queries from {q * tile[0]} on: {len(mine)} visited, {sum(visits[q, k] for k in mine)} of them seen"
        )
        for k in range(across):
            fill = "none" if (q, k) not in visits else ACCENT if visits[q, k] else "url(#future)"
            parts.append(_box(120 + k * wide, top, wide - 2, high - 3, fill))
    parts.append(_label(120, 38, "keys 0 …", "start"))
    bottom = 44 + down * high + 18
    parts += [
        _label(20, bottom, lines[1], "start"),
        _label(20, bottom + 20, "filled: seen, in part at least; hatched: loaded for nobody; empty: left out", "start"),
    ]
    return Picture("".join(parts), bottom + 32, "\n".join(lines))
