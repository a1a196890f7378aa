"""A source notebook as some program saved it: read whole, or refused with a remedy that costs no edit.

JupyterLab, Colab and VS Code write the same format with habits of their own: a byte order mark, Windows line ends, cell ids
that stand in the metadata. What is not this format is refused before anything is compared with it.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from learning.build.finding import BuildError, Complaint

ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
"""What nbformat takes for a cell's id; anything else could end a fence's attribute in ``lesson.md``."""
_MARKS = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
_UNSAVABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


def read(data: bytes, file: str) -> dict:
    """The notebook in ``data``; raises ``BuildError``, which names ``file``, where it is none of format 4, or damaged.

    Every cell has a kind, an id, text, and metadata that are dictionaries; an id that Colab moved into them is put back.
    """
    try:
        encoding = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
        book = json.loads(data.decode(encoding))
    except (ValueError, RecursionError) as error:
        raise _refusal("json", file, "notebook", f"is no notebook: {error}") from None
    if not isinstance(book, dict) or not isinstance(book.get("cells"), list):
        raise _refusal("json", file, "notebook", "is no notebook of format 4: it has no list of cells")
    if book.get("nbformat") != 4:
        message = f"is a notebook of format {book.get('nbformat')!r}, and only format 4 is read"
        raise _refusal("format", file, "notebook", message)
    if not isinstance(book.get("metadata"), dict):
        raise _refusal("json", file, "metadata", "is no notebook of format 4: its metadata are no dictionary")
    for number, cell in enumerate(book["cells"], 1):
        if fault := _fault(cell):
            raise _refusal("json", file, f"cell {number}", fault)
    if book["cells"] and not any("id" in cell for cell in book["cells"]):
        message = (
            "its cells have no ids: the program that saved it knows no format 4.5, and no cell can be told from another"
        )
        raise _refusal("ids", file, "cells", message)
    for number, cell in enumerate(book["cells"], 1):
        if not (isinstance(cell.get("id"), str) and ID.fullmatch(cell["id"])):
            message = f"has the id {cell.get('id')!r}, which is none: letters, digits, - and _, at most 64"
            raise _refusal("ids", file, f"cell {number}", message)
    return book


def built(data: bytes, file: str, slug: str) -> dict:
    """The same for a notebook that ``learning.build`` made of the lesson ``slug``: it says so, and which cells it was made with."""
    book = read(data, file)
    told = book["metadata"].get("learning")
    told = told if isinstance(told, dict) else {}
    ids = told.get("cells")
    if not isinstance(ids, list) or not all(isinstance(id, str) for id in ids):
        message = "does not say how it was built: its metadata.learning.cells is gone"
        raise _refusal("record", file, "metadata", message)
    if told.get("lesson", slug) != slug:
        message = f"was built from the lesson {told['lesson']!r}, not from {slug}"
        raise _refusal("record", file, "metadata", message)
    return book


def unsavable(text: str) -> str:
    """Why ``text`` cannot stand in a file of a lesson and come back as it was, "" where it can."""
    found = _UNSAVABLE.search(text)
    if found is None:
        return ""
    line = text[: found.start()].count("\n") + 1
    return (
        f"line {line} holds the character {found[0].encode('unicode_escape').decode()}, which would not come back from a file as it "
        "is; take it out, or write it as an escape in a string"
    )


def astray(path: Path, home: Path, file: str) -> list[Complaint]:
    """A complaint where ``path``, which shall be written below ``home``, leads elsewhere by a symbolic link."""
    wanted = os.path.join(os.path.realpath(home), os.path.relpath(path, home))
    if os.path.realpath(path) == wanted:
        return []
    remedy = "nothing is written through a link: put the file itself in its place"
    return [Complaint("link", file, path.name, f"is reached by a link that leads to {os.path.realpath(path)}", remedy)]


def _fault(cell: Any) -> str:
    """What keeps ``cell`` from being a cell of format 4, its id aside, "" where nothing does."""
    if not isinstance(cell, dict):
        return "is no cell: a cell is a dictionary"
    if cell.get("cell_type") not in ("code", "markdown", "raw"):
        return f"has the type {cell.get('cell_type')!r}, and a cell is code, markdown or raw"
    source = cell.get("source")
    if not isinstance(source, str) and not (isinstance(source, list) and all(isinstance(line, str) for line in source)):
        return "has no text: its source is neither a text nor a list of lines"
    metadata = cell.setdefault("metadata", {})
    if not isinstance(metadata, dict) or not all(
        isinstance(metadata.get(name, {}), dict) for name in ("learning", "nbgrader")
    ):
        return "has metadata that are no dictionary"
    if "id" not in cell and isinstance(metadata.get("id"), str):
        cell["id"] = metadata["id"]  # Colab keeps them there
    return ""


def _refusal(rule: str, file: str, name: str, message: str) -> BuildError:
    remedy = (
        "keep a copy of it; then save it anew from where it is still open, or take back the last whole one "
        f"(git checkout -- {file}) and make the edits in that"
    )
    return BuildError([Complaint(rule, file, name, message, remedy)])
