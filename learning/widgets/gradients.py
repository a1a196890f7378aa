"""The Jacobian of a small softmax as a table of numbers, with the gradient that comes in and the one that goes out.

Standard library only; drawn as ``pictures`` draws: the page's own colours, one accent, and a text that says the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from learning.widgets.pictures import ACCENT, WIDTH, Picture, _box, _label

MOST = 6


def softmax_jacobian(y: Sequence[float], g: Sequence[float]) -> Picture:
    """``y[i] · ([i = j] − y[j])``, the derivative of output i by input j, in row i and column j; ``g`` stands at the left of the
    rows, and under each column the sum of g[i] times it.

    ``y`` and ``g`` hold one to six finite floats each, else ``ValueError``; ``y`` need not be a softmax. Cells off the diagonal
    are plain, those on it in the accent.
    """
    if not 1 <= len(y) == len(g) <= MOST:
        raise ValueError(
            f"the picture has room for 1 to {MOST} values of y and as many of g, not {len(y)} and {len(g)}"
        )
    n = range(len(y))
    jacobian = [[y[i] * ((i == j) - y[j]) for j in n] for i in n]
    handed_back = [sum(g[i] * jacobian[i][j] for i in n) for j in n]
    d = sum(a * b for a, b in zip(y, g, strict=True))
    lines = [f"d = Σ y·g = {number(d)}"]
    lines += [f"output {i}: g {number(g[i])}; derivatives {', '.join(map(number, jacobian[i]))}" for i in n]
    lines.append(f"dx: {', '.join(map(number, handed_back))}; together {number(sum(handed_back))}")
    width, tall, left, top = min(90.0, (WIDTH - 260) / len(y)), 30.0, 200.0, 52.0
    parts = [_label(left + width * len(y) / 2, 18, "derivative of output i (row) by input j (column)")]
    parts += [_label(left + (j + 0.5) * width, 42, f"x[{j}]") for j in n]
    for i in n:
        at = top + i * tall
        parts.append(_label(left - 12, at + 20, f"g[{i}] = {number(g[i])}    y[{i}] = {number(y[i])}", "end"))
        for j in n:
            parts.append(_box(left + j * width, at, width, tall, ACCENT if i == j else "none"))
            parts.append(_label(left + (j + 0.5) * width, at + 20, number(jacobian[i][j])))
    bottom = top + len(y) * tall + 26
    parts.append(_label(left - 12, bottom, "g times each column: dx =", "end"))
    parts += [_label(left + (j + 0.5) * width, bottom, number(handed_back[j])) for j in n]
    parts.append(_label(left - 12, bottom + 26, f"d = Σ y·g = {number(d)}", "end"))
    parts.append(_label(left, bottom + 26, "and dx[j] = y[j] · (g[j] − d)", "start"))
    return Picture("".join(parts), bottom + 40, "\n".join(lines))


def number(value: float) -> str:
    """Four significant digits; what is below a billionth of one is the 0 it stands for."""
    return "0" if abs(value) < 1e-9 else f"{value:.4g}"
