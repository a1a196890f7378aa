"""Pictures of a lesson's mental model, drawn from its real numbers as SVG, with a text form for every other place.

Standard library only. Colours are the page's own (``currentColor``) with one accent, so light and dark themes work.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

WIDTH = 720
ACCENT = "#0072B2"
"""Okabe–Ito blue: legible on white and on dark grey."""


class Picture:
    """An SVG drawing and the sentence or table that says the same in text.

    Shown as HTML in a notebook, as ``text`` in a terminal, on GitHub and to a screen reader.
    """

    def __init__(self, body: str, height: float, text: str):
        self.text = text
        self.svg = (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {WIDTH} {height:g}" width="100%" '
            f'style="max-width:{WIDTH}px" font-family="sans-serif" font-size="13" fill="currentColor">'
            f"<title>{html.escape(text)}</title>{body}</svg>"
        )

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.svg


def _label(x: float, y: float, text: str, anchor: str = "middle") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html.escape(text)}</text>'


def _box(x: float, y: float, width: float, height: float, fill: str) -> str:
    return (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 0):.1f}" height="{height:.1f}" fill="{fill}" '
        'fill-opacity="0.35" stroke="currentColor"/>'
    )


def tiles(length: int, block: int) -> Picture:
    """``length`` elements cut into tiles of ``block``, one a program; lanes past the end are hatched.

    Both are whole numbers, ``length`` at least 0 and ``block`` at least 1, else ``ValueError``. More than eight
    programs are drawn as the first six and the last.
    """
    if length < 0 or block < 1:
        raise ValueError(f"length must be 0 or more and block 1 or more, not {length} and {block}")
    programs = -(-length // block)
    shown = list(range(programs)) if programs <= 8 else [*range(6), programs - 1]
    idle = programs * block - length
    rows = [f"program {p}: elements {p * block} … {min((p + 1) * block, length) - 1}" for p in shown]
    text = f"{length} elements, tiles of {block}: {programs} programs, {idle} lanes of the last own nothing.\n"
    text += "\n".join(rows)
    hatch = (
        '<defs><pattern id="idle" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        '<line x1="0" y1="0" x2="0" y2="7" stroke="currentColor" stroke-width="1.5"/></pattern></defs>'
    )
    width = (WIDTH - 40) / max(len(shown), 1)
    parts = [hatch]
    for place, program in enumerate(shown):
        left, owned = 20 + place * width, min(block, length - program * block)
        parts += [_label(left + width / 2, 18, f"program {program}"), _box(left, 28, width * owned / block, 44, ACCENT)]
        if owned < block:
            edge = left + width * owned / block
            parts.append(_box(edge, 28, left + width - edge, 44, "url(#idle)"))
        parts.append(_label(left, 90, str(program * block), "start" if place == 0 else "middle"))
    if programs:
        parts.append(_label(20 + len(shown) * width, 90, str(programs * block), "end"))
        end = f"{length} elements exist; {idle} lanes (hatched) own nothing" if idle else f"all {length} lanes own one"
        parts.append(_label(WIDTH / 2, 112, end))
    else:
        parts.append(_label(WIDTH / 2, 60, "no elements: no program is started"))
    return Picture("".join(parts), 120, text)


def rescaling(values: Sequence[float], newcomer: float) -> Picture:
    """The terms exp(x − maximum) of ``values``, before and after ``newcomer`` arrives, as two groups of bars.

    ``values`` holds one to twelve finite floats (``ValueError`` otherwise). If the newcomer is larger, every old bar
    shrinks by the one factor that the picture states.
    """
    if not 1 <= len(values) <= 12:
        raise ValueError(f"the picture has room for 1 to 12 values, not {len(values)}")
    old, new = max(values), max(*values, newcomer)
    before, after = [math.exp(x - old) for x in values], [math.exp(x - new) for x in (*values, newcomer)]
    factor = math.exp(old - new)
    text = f"maximum {old:g}: terms {', '.join(f'{t:.3f}' for t in before)}, sum {sum(before):.3f}\n"
    text += f"then {newcomer:g} arrives; every old term times exp({old:g} − {new:g}) = {factor:.3f}\n"
    text += f"maximum {new:g}: terms {', '.join(f'{t:.3f}' for t in after)}, sum {sum(after):.3f}"
    step, floor, tall = (WIDTH / 2 - 40) / (len(values) + 1), 150.0, 100.0
    parts = []
    for left, terms, names, total in (
        (20, before, values, f"maximum {old:g}, sum {sum(before):.3f}"),
        (WIDTH / 2 + 20, after, (*values, newcomer), f"maximum {new:g}, sum {sum(after):.3f}"),
    ):
        for i, (term, x) in enumerate(zip(terms, names, strict=True)):
            fill = ACCENT if i < len(values) else "currentColor"
            parts.append(_box(left + i * step + 4, floor - tall * term, step - 8, tall * term, fill))
            parts.append(_label(left + (i + 0.5) * step, floor + 16, f"{x:g}"))
            parts.append(_label(left + (i + 0.5) * step, floor - tall * term - 5, f"{term:.3f}"))
        parts.append(_label(left + step * (len(values) + 1) / 2, floor + 40, total))
    parts.append(_label(WIDTH / 2, 20, f"{newcomer:g} arrives: each old bar times {factor:.3f}"))
    return Picture("".join(parts), 200, text)
