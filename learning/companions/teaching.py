"""The instructor's page: what each lesson holds, read from its folder and its source notebook. Standard library only."""

from __future__ import annotations

from learning import attempts, course
from learning import lesson as cards
from learning.sheet import Sheet, cell, table


def lessons() -> Sheet:
    """Every lesson's level, version, points by kind of cell, and how many wrong and unusual right answers its checks are tried on."""
    rows = []
    for card in cards.discover():
        book = _source(card.slug)
        public, hidden = (course.grade_cells(book, role) if book else [] for role in ("check", "hidden"))
        points = f"{_sum(public):g} public, {_sum(hidden):g} hidden, {_sum(course.grade_cells(book, 'explain')) if book else 0:g} by hand"
        tried = f"{len(attempts.mutants(card))} wrong, {len(attempts.variants(card)) + 1} right"
        name = f"[{card.id} {cell(card.title)}](../source/{card.slug}/{card.slug}.ipynb)"
        rows.append([name, card.level, str(card.version), points, f"{len(public)} + {len(hidden)}", tried])
    return Sheet(table(("lesson", "level", "version", "points", "checks, public + hidden", "tried on"), rows))


def _source(slug: str) -> dict | None:
    try:
        return course.load(course.source(slug))
    except (OSError, course.NotebookError):
        return None


def _sum(cells: list[tuple[str, float]]) -> float:
    return sum(points for _, points in cells)
