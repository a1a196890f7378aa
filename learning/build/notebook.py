"""A lesson's folder as its instructor notebook, the same bytes every time."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path

from learning.build import course as courses
from learning.build import saved
from learning.build import text as pages
from learning.build.cells import Cell, CellError, identifier, make
from learning.build.course import Course
from learning.build.definitions import PullError
from learning.build.finding import BuildError, Complaint
from learning.build.folder import Folder
from learning.build.opening import bootstrap, title
from learning.files import Changed, replace
from learning.lesson import Lesson

GRADE_KEYS = ("grade", "grade_id", "locked", "points", "solution", "task")


@dataclass
class Assembly:
    """The cells made from a folder, and a complaint for each block that could not become one."""

    folder: Folder
    cells: list[Cell] = field(default_factory=list)
    complaints: list[Complaint] = field(default_factory=list)


def assemble(lesson: Lesson, course: Course | None = None, folder: Folder | None = None) -> Assembly:
    """Every cell of the lesson in order. Never raises for what an author wrote: see ``complaints``.

    ``folder`` stands in for the files on disk (``--pull`` tries its changes out before it writes them).
    """
    course = courses.read() if course is None else course
    made = Assembly(folder or Folder(lesson), [title(lesson, course), bootstrap(lesson, course)])
    where = f"{lesson.slug}/lesson.md"
    try:
        blocks = pages.read(made.folder.text("lesson.md"))
    except (pages.TextError, PullError) as error:
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


def digest(source: str, grade: dict | None) -> str:
    """What a cell's metadata remembers of the text and the grading it was built with.

    Blank ends and keys that nbgrader adds by itself do not count.
    """
    told = {key: (grade or {}).get(key) for key in GRADE_KEYS if (grade or {}).get(key) not in (None, False)}
    text = json.dumps([source.replace("\r\n", "\n").rstrip(), told], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


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
    role = "" if cell.role == "text" else cell.role
    origin = {"built": digest(cell.source, cell.grade), "file": cell.file, "role": role, "symbols": list(cell.symbols)}
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


def write(
    lesson: Lesson,
    root: Path = courses.ROOT,
    *,
    force: bool = False,
    made: Assembly | None = None,
    held: bytes | None = None,
) -> bool:
    """Build ``source/<slug>/<slug>.ipynb`` under ``root``; returns whether its bytes changed.

    ``made`` spares reading the folder again. Raises ``BuildError`` where the folder is faulty, or where the notebook
    holds edits the folder lacks (``force`` throws those away), is reached by a link, or was saved again meanwhile. ``held`` is what
    it was read as: raises ``Changed`` where it holds anything else now.
    """
    assembled = assemble(lesson, courses.read(root)) if made is None else made
    if assembled.complaints:
        raise BuildError(assembled.complaints)
    text = serialise(as_json(lesson, assembled.cells))
    target = path(lesson, root)
    if strays := saved.astray(target, root / "source", str(target.relative_to(root))):
        raise BuildError(strays)
    if target.is_file() and not force:
        from learning.build.changes import unsaved

        held = target.read_bytes()
        if edits := unsaved(assembled, held, target, root):
            raise BuildError(edits)
        try:
            return replace(target, text, held=held)
        except Changed:
            message = "was saved or moved while it was built"
            raise BuildError(
                [Complaint("raced", str(target.relative_to(root)), "notebook", message, "build again")]
            ) from None
    return replace(target, text, held=held)
