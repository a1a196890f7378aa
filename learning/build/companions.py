"""The companions: ``learning/companions/<slug>.md`` as ``notebooks/<slug>.ipynb``, the same bytes every time.

The text is read as a lesson's is: a Markdown cell a heading, a code cell a fence with a name. A region that pulls takes in what
the package makes: ``pull="glossary"`` the terms below the region's own text, ``pull="ledger"`` two cells a trap. There are no
grades, no outputs and no counters; a cell's id is its name.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

from learning import companions
from learning.build import course as courses
from learning.build import saved
from learning.build import text as pages
from learning.build.cells import Cell, identifier
from learning.build.course import Course
from learning.build.finding import BuildError, Complaint
from learning.build.lint import leaks
from learning.build.notebook import assemble, serialise
from learning.build.opening import badge, finding
from learning.build.text import Block
from learning.files import replace
from learning.judge.cells import text_of
from learning.lesson import Lesson

FOLDER = "notebooks"
_ATTRIBUTES = ("name", "pull")


def slugs(folder: Path = companions.FOLDER) -> list[str]:
    """The companions there are, in the order a learner meets them.

    Raises ``BuildError`` where a text is missing or one is there that no companion is named after.
    """
    there = {path.stem for path in folder.glob("*.md")}
    complaints = [_complaint(name, "is missing", "write it") for name in companions.ORDER if name not in there]
    strangers = sorted(there - set(companions.ORDER))
    complaints += [_complaint(name, "is no companion", "name it in learning.companions.ORDER") for name in strangers]
    if complaints:
        raise BuildError(complaints)
    return list(companions.ORDER)


def cells(slug: str, course: Course, folder: Path = companions.FOLDER) -> list[Cell]:
    """The cells of a companion; raises ``BuildError`` with every complaint about its text."""
    try:
        blocks = pages.read((folder / f"{slug}.md").read_text(encoding="utf-8"))
    except pages.TextError as error:
        raise BuildError([_complaint(slug, str(error).replace("lesson.md", f"{slug}.md"), "")]) from None
    if not blocks or not blocks[0].source.startswith("# "):
        raise BuildError([_complaint(slug, "does not begin with its title", "write `# Title` and a sentence first")])
    title = "\n\n".join([blocks[0].source, *([badge(course, f"{FOLDER}/{slug}.ipynb")] if course.published else [])])
    call = f'learning.companions.begin("{slug}")'
    made = [
        Cell("title", "markdown", "text", "title", title),
        Cell(
            "bootstrap", "code", "bootstrap", "bootstrap", finding("learning.companions", call, course),
            metadata={"cellView": "form", "jupyter": {"source_hidden": True}},
        ),
    ]  # fmt: skip
    complaints: list[Complaint] = []
    for block in blocks[1:]:
        try:
            made += _cells(block, made[-1].name)
        except ValueError as error:
            complaints.append(_complaint(slug, f"line {block.first + 1}: {error}", ""))
    ids = [cell.id for cell in made]
    twins = sorted({id for id in ids if ids.count(id) > 1})
    complaints += [
        _complaint(slug, f"two cells are called {id}", 'give one a name of its own: name="…"') for id in twins
    ]
    if complaints:
        raise BuildError(complaints)
    return made


def _cells(block: Block, after: str) -> list[Cell]:
    """The cells of one block; raises ``ValueError`` saying what is wrong with it."""
    unknown = [key for key in block.attributes if key not in _ATTRIBUTES]
    if unknown:
        raise ValueError(f"unknown attribute {unknown[0]}; known are {', '.join(_ATTRIBUTES)}")
    name, pulled = block.attributes.get("name", ""), block.attributes.get("pull", "")
    if block.kind == "code":
        if not name or pulled:
            raise ValueError('a code cell has a name, name="…", and text of its own')
        return [Cell(identifier("show", name), "code", "show", name, block.source)]
    if pulled:
        if pulled not in PULLS:
            raise ValueError(f"pull={pulled!r}; there are {', '.join(PULLS)}")
        return PULLS[pulled](block)
    name = name or block.heading or f"after-{after}"
    return [Cell(identifier("text", name.lower()), "markdown", "text", name, block.source)]


def _glossary(block: Block) -> list[Cell]:
    from learning.companions import glossary

    source = "\n\n".join(filter(None, [block.source.strip("\n"), glossary.text()]))
    return [Cell("text-terms", "markdown", "text", "terms", source, "glossary.json")]


def _ledger(block: Block) -> list[Cell]:
    from learning.ledger import TRAPS, page, table

    kept, made = table.read(), []
    for trap in TRAPS:
        source = f"## {page.heading(trap)}\n\n{page.entry(trap, kept)}"
        made.append(Cell(f"text-trap-{trap.number}", "markdown", "text", f"trap {trap.number}", source, "table.json"))
        call = f"trap({trap.number})  # trap({trap.number}, run=True) runs it here"
        made.append(Cell(f"show-trap-{trap.number}", "code", "show", f"trap_{trap.number}", call))
    return made


PULLS = {"glossary": _glossary, "ledger": _ledger}


def notebook(slug: str, course: Course, folder: Path = companions.FOLDER) -> dict:
    """A companion as nbformat 4.5 JSON."""
    made = cells(slug, course, folder)
    metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
        "learning": {"built": _digest(cell.source for cell in made), "companion": slug},
    }
    return {"cells": [_json(cell) for cell in made], "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def _digest(sources: Iterable[str]) -> str:
    """What a companion remembers of the texts it was built with, so that an edit in it shows; runs and outputs do not count."""
    return hashlib.sha256(json.dumps([source.rstrip() for source in sources]).encode()).hexdigest()[:16]


def _json(cell: Cell) -> dict:
    made = {"cell_type": cell.kind, "id": cell.id, "metadata": cell.metadata, "source": cell.source}
    return made | {"execution_count": None, "outputs": []} if cell.kind == "code" else made


def path(slug: str, root: Path = courses.ROOT) -> Path:
    """Where a companion's notebook stands."""
    return root / FOLDER / f"{slug}.ipynb"


def write(names: list[str], root: Path = courses.ROOT, *, force: bool = False) -> list[Complaint]:
    """Build the named companions under ``root``, saying which changed; returns the complaints. One whose cells were edited is
    left as it is, unless ``force`` throws that away."""
    course, complaints = courses.read(root), []
    for slug in names:
        file = path(slug, root)
        try:
            made = serialise(notebook(slug, course))
            if found := saved.astray(file, root, str(file.relative_to(root))) + (
                [] if force else _edited(file, root, slug)
            ):
                raise BuildError(found)
            changed = replace(file, made)
        except BuildError as error:
            complaints += error.complaints
            continue
        print(f"{file.relative_to(root)}: {'written' if changed else 'up to date'}", flush=True)
    return complaints


def _edited(file: Path, root: Path, slug: str) -> list[Complaint]:
    """A complaint where building over the notebook at ``file`` would lose what was written in it; raises what ``saved.read``
    raises."""
    if not file.is_file():
        return []
    name = str(file.relative_to(root))
    book = saved.read(file.read_bytes(), name)
    told = book["metadata"].get("learning")
    built = told.get("built") if isinstance(told, dict) else None
    if built in (None, _digest(text_of(cell).replace("\r\n", "\n") for cell in book["cells"])):
        return []
    remedy = f"make them in learning/companions/{slug}.md, or build with --force and lose them"
    return [Complaint("unpulled", name, "notebook", "holds edits, which are not pulled back from a companion", remedy)]


def unpullable(names: Iterable[str], root: Path = courses.ROOT) -> list[Complaint]:
    """A complaint for each companion whose notebook was named to be pulled."""
    return [
        Complaint("unpulled", str(path(slug, root).relative_to(root)), "notebook", "edits are not pulled back from a companion",
                  f"make them in learning/companions/{slug}.md")
        for slug in names
    ]  # fmt: skip


def check(root: Path = courses.ROOT, lessons: Iterable[Lesson] = ()) -> list[Complaint]:
    """Complaints about companions that are not what their texts make or that show a line of an answer or of a hidden check of
    ``lessons``, and about files in ``notebooks/`` that are none."""
    course, complaints = courses.read(root), []
    try:
        names = slugs()
    except BuildError as error:
        return error.complaints
    for slug in names:
        try:
            complaints += _drift(path(slug, root), root, serialise(notebook(slug, course)), slug)
        except BuildError as error:
            complaints += error.complaints
    secrets = [(one.slug, secret) for one in lessons for secret in leaks.secrets(assemble(one, course).cells)]
    for slug in names if secrets else []:
        complaints += leaked(slug, cells(slug, course), secrets)
    for stray in sorted((root / FOLDER).iterdir()) if (root / FOLDER).is_dir() else []:
        if stray.stem not in names and not stray.name.startswith("."):
            complaints.append(Complaint("stray", f"{FOLDER}/{stray.name}", "file", "is no companion", "delete it"))
    return complaints


def leaked(slug: str, made: list[Cell], secrets: list[tuple[str, leaks.Secret]]) -> list[Complaint]:
    """Complaints about cells of a companion that show hidden lines; ``secrets`` are lessons' slugs with their hidden regions."""
    return [
        _complaint(slug, f"cell {cell.id} shows a line of {secret.cell} of {lesson}: {lines[0]!r}", "take it out")
        for cell in made
        for lesson, secret in secrets
        if (lines := leaks.shown(secret, cell.source))
    ]


def _drift(file: Path, root: Path, wanted: str, slug: str) -> list[Complaint]:
    name, remedy = str(file.relative_to(root)), f"run python -m learning.build {slug}"
    if not file.is_file():
        return [Complaint("companion", name, "notebook", "is missing", remedy)]
    held = file.read_bytes().decode("utf-8", errors="replace")
    if held == wanted:
        return []
    lines = list(
        difflib.unified_diff(held.splitlines(), wanted.splitlines(), "as it is", "as built", n=0, lineterm="")
    )[:8]
    shown = "\n    ".join(line[:160] for line in lines)
    message = f"has been run, edited or left behind:\n    {shown}\n  "
    return [
        Complaint(
            "companion", name, "notebook", message, f"{remedy}; texts are edited in learning/companions/{slug}.md"
        )
    ]


def _complaint(slug: str, message: str, remedy: str) -> Complaint:
    return Complaint("companion", f"learning/companions/{slug}.md", "text", message, remedy)
