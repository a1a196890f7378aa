"""Read a submission that may be anything: find its notebook, mend what can be mended, name what cannot.

Nothing here runs or trusts what it reads. Standard library only, so that the learner's own commands can use it.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path

from learning.judge.describe import quoted

FILE_BYTES = 64 << 20
"""A notebook larger than this is not parsed (one of 30 MB with printed output is)."""
CELL_CHARACTERS = 1 << 20
CODE_CHARACTERS = 1 << 18
"""All code cells together: the match and the judge parse them several times, a second or so each time at this size."""
CELLS = 5000
DEPTH = 3
"""Folders below the submission's own in which a notebook is looked for."""
PICTURES = 4 << 20
"""Characters of pictures pasted into one hand-graded cell that are kept."""

_COPY = re.compile(
    r"^(copy of |copie de |kopie van )?(?P<name>.+?)([ _-]*\(\d+\)|[ _-]*copy\s*\d*|[ _-]\d+)*$", re.IGNORECASE
)
_SKIPPED = {".ipynb_checkpoints", "__MACOSX", "__pycache__", ".git"}


class Damage(ValueError):
    """A submission that cannot be graded. The message is a sentence with the cause and the remedy."""


@dataclass
class Submission:
    """A notebook in nbformat 4.5 as plain JSON, without outputs.

    ``path`` is the file it came from, ``digest`` the SHA-256 of its bytes, ``notes`` say what was mended.
    """

    notebook: dict
    path: Path
    digest: str
    notes: list[str] = field(default_factory=list)


def submission(folder: Path, slug: str) -> Submission:
    """Find and read the notebook of lesson ``slug`` in ``folder``; raises ``Damage``."""
    path, notes = locate(folder, slug)
    data = read_bytes(path)
    notebook, mended = notebook_from(data)
    return Submission(notebook, path, hashlib.sha256(data).hexdigest(), notes + mended)


def locate(folder: Path, slug: str) -> tuple[Path, list[str]]:
    """Return the notebook in ``folder`` that answers lesson ``slug``, and notes on its name or place.

    The file is called ``<slug>.ipynb``; a browser's or an editor's copy of that name, another name, and up to three
    folders deeper are accepted where they leave no choice. Symbolic links are refused. Raises ``Damage``.
    """
    for place in (folder, folder.parent):
        if place.is_symlink():
            raise Damage(f"{shown(place.name)} is a symbolic link; submit the folder itself")
    exact = folder / f"{slug}.ipynb"
    if os.path.lexists(exact):
        others = [path for path in _notebooks(folder) if path != exact]
        return exact, [f"{len(others)} more notebooks beside {exact.name} were not read"] if others else []
    found = _notebooks(folder)
    if not found:
        raise Damage(f"there is no notebook in the submission; hand in {slug}.ipynb")
    named = [path for path in found if _plain_name(path) == slug.lower()]
    chosen = named or found
    if len(chosen) > 1:
        top = [path for path in chosen if path.parent == folder]
        chosen = top if len(top) == 1 else chosen
    if len(chosen) > 1:
        names = ", ".join(shown(path.relative_to(folder)) for path in chosen[:4])
        raise Damage(f"several notebooks could be the answer ({names}); hand in one, called {slug}.ipynb")
    return chosen[0], [f"the notebook was called {shown(chosen[0].relative_to(folder))}; it was read as {slug}.ipynb"]


def shown(name: object) -> str:
    """A file's name as text that can be printed and stored, whatever bytes it is made of."""
    return str(name).encode("utf-8", "backslashreplace").decode("utf-8")


def _plain_name(path: Path) -> str:
    match = _COPY.match(path.stem.strip())
    return (match["name"] if match else path.stem).strip().lower().replace(" ", "_").replace("-", "_")


def _notebooks(folder: Path) -> list[Path]:
    found, level = [], [folder]
    for _ in range(DEPTH + 1):
        below = []
        for place in level:
            try:
                entries = sorted(os.scandir(place), key=lambda entry: entry.name)
            except OSError as error:
                raise Damage(f"{shown(place.name)} cannot be read ({error.strerror}); check its permissions") from error
            for entry in entries:
                if entry.name in _SKIPPED or entry.name.startswith("._"):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    below.append(Path(entry.path))
                elif entry.name.lower().endswith(".ipynb"):
                    found.append(Path(entry.path))
        level = below[:200]
    return found


def read_bytes(path: Path, limit: int = FILE_BYTES) -> bytes:
    """Return the bytes of a regular file of at most ``limit`` bytes; links, pipes and larger files are ``Damage``."""
    name = shown(path.name)
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK):
            raise Damage(f"{name} is a symbolic link; hand in the file itself") from error
        raise Damage(f"{name} cannot be read ({error.strerror}); hand it in again") from error
    try:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            raise Damage(f"{name} is not a regular file; hand in the notebook itself")
        if state.st_size > limit:
            raise Damage(
                f"{name} holds {state.st_size >> 20} MB and at most {limit >> 20} MB are read; "
                "clear all outputs, remove pasted files, save, and hand it in again"
            )
        with os.fdopen(os.dup(handle), "rb") as file:
            return file.read(limit + 1)[:limit]
    finally:
        os.close(handle)


def notebook_from(data: bytes) -> tuple[dict, list[str]]:
    """Return the notebook that ``data`` holds, in nbformat 4.5 and without outputs, and notes on what was mended.

    Raises ``Damage`` where there is no notebook in it.
    """
    notes: list[str] = []
    text = _decoded(data, notes)
    if not text.strip():
        raise Damage("the file is empty; save the notebook and hand it in again")
    try:
        value = json.loads(text)
    except RecursionError as error:
        raise Damage("the file is nested too deeply to be a notebook; hand in the notebook itself") from error
    except ValueError as error:
        raise Damage(_why_not_json(text, error)) from error
    if isinstance(value, list) and value and all(isinstance(cell, dict) and "cell_type" in cell for cell in value):
        notes.append("the file held a bare list of cells; it was read as a notebook")
        value = {"cells": value, "nbformat": 4}
    if not isinstance(value, dict):
        kind = {list: "a list", str: "a text", int: "a number", float: "a number"}.get(type(value), "no object")
        raise Damage(f"the file holds {kind}, not a notebook; save the notebook itself and hand it in again")
    return _mended(value, notes), notes


def _decoded(data: bytes, notes: list[str]) -> str:
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            notes.append(f"the file was saved as {'UTF-8 with a mark' if 'sig' in encoding else 'UTF-16'}")
            return data.decode(encoding, "replace")
    start = data[:200]
    for encoding, zeros in (("utf-16-le", start[1::2]), ("utf-16-be", start[0::2])):
        if len(zeros) >= 2 and zeros.count(0) > 0.8 * len(zeros):
            notes.append("the file was saved as UTF-16")
            return data.decode(encoding, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data" and error.end >= len(data):
            return data[: error.start].decode("utf-8")
        notes.append("the file was not saved as UTF-8; it was read as Latin-1")
        return data.decode("cp1252", "replace")


def _why_not_json(text: str, error: ValueError) -> str:
    again = "save the notebook and hand it in again"
    if not isinstance(error, json.JSONDecodeError):
        return f"the file is no notebook: a number in it has thousands of digits; {again}"
    rest = text.rstrip("\0 \r\n\t")
    head = text.lstrip()[:1]
    if not rest:
        return f"the file holds only zeros; {again}"
    if head in "{[" and (error.pos >= len(rest) - 1 or "Unterminated string" in error.msg):
        return f"the file is cut off after {len(text)} characters; {again}"
    if head == "<":
        return f"the file is a web page, not a notebook; download the .ipynb file itself, or {again}"
    if text.startswith("PK"):
        return "the file is a zip archive; hand in the notebook that is inside it"
    conflict = "<<<<<<<" in text and ">>>>>>>" in text
    where = f"line {error.lineno}"
    if conflict:
        return f"the file holds an unresolved merge (<<<<<<< in it); resolve it, then {again}"
    return f"the file is not a notebook: {error.msg.lower().removesuffix(' at')} at {where}; {again}"


def _mended(value: dict, notes: list[str]) -> dict:
    version = value.get("nbformat")
    cells = value.get("cells")
    if not isinstance(cells, list) and isinstance(value.get("worksheets"), list):
        sheets = [sheet for sheet in value["worksheets"] if isinstance(sheet, dict)]
        cells = [cell for sheet in sheets if isinstance(sheet.get("cells"), list) for cell in sheet["cells"]]
        notes.append("the notebook was in the format of before 2015")
    if not isinstance(cells, list):
        raise Damage("the file has no cells, so it is not a notebook; save the notebook and hand it in again")
    if len(cells) > CELLS:
        raise Damage(
            f"the notebook has {len(cells)} cells and at most {CELLS} are read; remove cells and hand it in again"
        )
    if version not in (3, 4) and "cells" in value:
        notes.append(f"the notebook says it is in format {quoted(version)}; it was read as format 4")
    mended, seen, bad_ids = [], set(), 0
    for number, cell in enumerate(cells, 1):
        if not isinstance(cell, dict):
            notes.append(f"cell {number} is not a cell and was left out")
            continue
        new = _cell(cell, number, notes)
        name = cell.get("id")
        good = isinstance(name, str) and re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", name) and name not in seen
        if not good:
            bad_ids += "id" in cell or bool(value.get("nbformat_minor", 0) == 5)
            clean = re.sub(r"[^a-zA-Z0-9_-]", "-", name)[:40] if isinstance(name, str) else ""
            name = clean if clean and clean not in seen else f"cell-{number}"
            while name in seen:
                name += "x"
        seen.add(name)
        mended.append({"id": name, **new})
    code = [len(cell["source"]) if cell["cell_type"] == "code" else 0 for cell in mended]
    if sum(code) > CODE_CHARACTERS:
        raise Damage(
            f"the code cells hold {sum(code)} characters together and at most {CODE_CHARACTERS} are read; the largest is "
            f"cell {code.index(max(code)) + 1}: shorten it and hand it in again"
        )
    if bad_ids:
        notes.append(f"{bad_ids} cell ids were missing, doubled or malformed and were replaced")
    metadata = value.get("metadata") if isinstance(value.get("metadata"), dict) else {}
    kept = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    if isinstance(metadata.get("learning"), dict):
        kept["learning"] = metadata["learning"]
    return {"cells": mended, "metadata": kept, "nbformat": 4, "nbformat_minor": 5}


def _cell(cell: dict, number: int, notes: list[str]) -> dict:
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    if not isinstance(source, str):
        notes.append(f"cell {number} had no text")
        source = ""
    if len(source) > CELL_CHARACTERS:
        raise Damage(f"cell {number} holds {len(source)} characters and at most {CELL_CHARACTERS} are read; shorten it")
    source = source.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
    source = source.encode("utf-8", "replace").decode("utf-8")
    kind = cell.get("cell_type")
    if kind == "heading":
        level = cell.get("level") if isinstance(cell.get("level"), int) else 1
        kind, source = "markdown", "#" * max(1, min(level, 6)) + " " + source
    if kind not in ("code", "markdown", "raw"):
        notes.append(f"cell {number} is of type {quoted(kind)}; it was read as code")
        kind = "code"
    metadata = cell.get("metadata") if isinstance(cell.get("metadata"), dict) else {}
    new: dict = {"cell_type": kind, "metadata": _metadata(metadata), "source": source}
    if kind == "code":
        new.update(execution_count=None, outputs=[])
    elif isinstance(cell.get("attachments"), dict):
        pictures = _pictures(cell["attachments"])
        if pictures != cell["attachments"]:
            notes.append(f"cell {number}: attachments that are no pictures, or too large, were left out")
        if pictures:
            new["attachments"] = pictures
    return new


def _metadata(metadata: dict) -> dict:
    """Only what the match reads: editors' keys, tags and widget state stay behind."""
    kept = {}
    graded = metadata.get("nbgrader")
    if isinstance(graded, dict):
        kept["nbgrader"] = {key: graded[key] for key in ("grade_id",) if isinstance(graded.get(key), str)}
    if isinstance(metadata.get("learning"), dict):
        kept["learning"] = {k: v for k, v in metadata["learning"].items() if isinstance(v, str | int)}
    return kept


def _pictures(attachments: dict) -> dict:
    kept, total = {}, 0
    for name, bundle in attachments.items():
        if not isinstance(bundle, dict):
            continue
        good = {k: v for k, v in bundle.items() if k in ("image/png", "image/jpeg", "image/gif") and isinstance(v, str)}
        total += sum(len(v) for v in good.values())
        if good and total <= PICTURES:
            kept[name] = good
    return kept
