"""A lesson's folder as its instructor notebook, the same bytes every time."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from learning.build import course as courses
from learning.build import text
from learning.build.cells import Cell, CellError, identifier, make
from learning.build.course import Course
from learning.build.definitions import PullError
from learning.build.files import replace
from learning.build.finding import BuildError, Complaint
from learning.build.folder import Folder
from learning.build.opening import bootstrap, title
from learning.lesson import Lesson


@dataclass
class Assembly:
    """The cells made from a folder, and a complaint for each block that could not become one."""

    folder: Folder
    cells: list[Cell] = field(default_factory=list)
    complaints: list[Complaint] = field(default_factory=list)


def assemble(lesson: Lesson, course: Course | None = None) -> Assembly:
    """Every cell of the lesson in order. Never raises for what an author wrote: see ``complaints``."""
    course = courses.read() if course is None else course
    made = Assembly(Folder(lesson), [title(lesson, course), bootstrap(lesson, course)])
    where = f"{lesson.slug}/lesson.md"
    try:
        blocks = text.read(made.folder.text("lesson.md"))
    except (text.TextError, PullError) as error:
        made.complaints.append(Complaint("text", where, "lesson.md", str(error), ""))
        return made
    for block in blocks:
        line = f"line {block.first + 1}"
        try:
            cell = make(block, made.folder, made.cells[-1].name)
        except (CellError, PullError) as error:
            made.complaints.append(Complaint("cell", where, line, str(error), ""))
            continue
        _settle(cell, made)
        twin = next((c for c in made.cells if c.id.lower() == cell.id.lower()), None)
        if twin is not None:
            remedy = 'give one of them a name of its own: name="…"'
            made.complaints.append(Complaint("id", where, line, f"a second cell called {cell.id}", remedy))
            continue
        made.cells.append(cell)
    return made


def _settle(cell: Cell, made: Assembly) -> None:
    """Two sections may share a heading; the later one is then told by the cell before it as well."""
    taken = {c.id for c in made.cells}
    if cell.role == "text" and cell.id in taken and "name" not in cell.block.attributes:
        cell.name = f"{cell.name} after {made.cells[-1].name}"
        cell.id = identifier("text", cell.name.lower())


def digest(source: str) -> str:
    """What a cell's metadata remembers of the text it was built with."""
    return hashlib.sha256(source.encode()).hexdigest()[:16]


def notebook(lesson: Lesson, course: Course | None = None) -> dict:
    """The instructor notebook as nbformat 4.5 JSON; raises ``BuildError`` with every complaint about the folder."""
    made = assemble(lesson, course)
    if made.complaints:
        raise BuildError(made.complaints)
    return as_json(lesson, made.cells)


def as_json(lesson: Lesson, cells: list[Cell]) -> dict:
    """``cells`` as a notebook. Each cell remembers its file, symbols and built text; the notebook, its cells' order."""
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        "learning": {"cells": [cell.id for cell in cells], "lesson": lesson.slug, "version": lesson.version},
    }
    if lesson.kind == "gpu":
        metadata |= {"accelerator": "GPU", "colab": {"gpuType": "T4", "provenance": []}}
    return {"cells": [_cell(c) for c in cells], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _cell(cell: Cell) -> dict:
    origin = {"built": digest(cell.source), "file": cell.file, "role": cell.role, "symbols": list(cell.symbols)}
    metadata = {**cell.metadata, "learning": origin}
    if cell.grade is not None:
        metadata["nbgrader"] = cell.grade
    made = {"cell_type": cell.kind, "id": cell.id, "metadata": metadata, "source": cell.source}
    return made | {"execution_count": None, "outputs": []} if cell.kind == "code" else made


def serialise(book: dict) -> str:
    """The notebook's text as nbformat writes it: sorted keys, one space of indent, a line break at the end."""
    import nbformat

    node = nbformat.from_dict(book)
    nbformat.validate(node)
    return nbformat.writes(node).rstrip("\n") + "\n"


def path(lesson: Lesson, root: Path = courses.ROOT) -> Path:
    """Where the instructor notebook stands."""
    return root / "source" / lesson.slug / f"{lesson.slug}.ipynb"


def write(lesson: Lesson, root: Path = courses.ROOT, *, force: bool = False) -> bool:
    """Build ``source/<slug>/<slug>.ipynb`` under ``root``; returns whether its bytes changed.

    Raises ``BuildError`` where the folder is faulty, or where the notebook holds edits the folder lacks (``force``
    throws those away).
    """
    made = serialise(notebook(lesson, courses.read(root)))
    target = path(lesson, root)
    if target.is_file() and not force:
        from learning.build.pull import unsaved

        if edits := unsaved(lesson, root):
            raise BuildError(edits)
    return replace(target, made)
