"""Where the course's folders are, and its notebooks read as plain JSON. Standard library only."""

from __future__ import annotations

import json
import os
from pathlib import Path

from learning import __version__

ROOT = Path(__file__).resolve().parent.parent
"""The clone: the folder that holds ``learning/``, ``source/``, ``release/`` and ``work/``."""
KIT = Path(__file__).resolve().parent / "releases"
"""Where the student kit keeps the releases, beside its code; a clone has no such folder."""

PREDICTING = "predict.py"
"""The script that predicts, beside a learner's ``<slug>.py``, which holds the answer it is about."""


class NotebookError(ValueError):
    """A file is not a notebook that can be read; the message names the file, the cause and the remedy."""


def release(slug: str, root: Path = ROOT) -> Path:
    """The student's notebook of a lesson: ``release/<slug>/<slug>.ipynb`` in a clone, else the student kit's."""
    kept = KIT / f"{slug}.ipynb"
    if root == ROOT and kept.is_file():
        return kept
    return root / "release" / slug / f"{slug}.ipynb"


def is_kit() -> bool:
    """Whether this is the student kit: the package without answers and without a clone around it."""
    return KIT.is_dir()


def described(folder: Path | None) -> str:
    """Which course this is, for somebody whose notebook lies in ``folder``: its version, and whether it is the clone around the
    notebook, another clone, or the installed student kit."""
    if is_kit():
        return f"{__version__}, the installed student kit"
    if folder is not None and ROOT in (folder, *folder.parents):
        return f"{__version__}, the clone around this notebook"
    shown = Path("~") / ROOT.relative_to(Path.home()) if Path.home() in ROOT.parents else ROOT
    return f"{__version__}, the clone in {shown}, which is not around this notebook"


def source(slug: str, root: Path = ROOT) -> Path:
    """The instructor's notebook of a lesson, ``source/<slug>/<slug>.ipynb``."""
    return root / "source" / slug / f"{slug}.ipynb"


def workspace(root: Path = ROOT) -> Path:
    """Where learners' folders are: ``work/`` in the clone, or what the variable ``LEARNING_WORK`` names.

    The variable serves a clone that learners may read but not write. The student kit has no clone: there it is ``work/``
    in the working directory.
    """
    if os.environ.get("LEARNING_WORK"):
        return Path(os.environ["LEARNING_WORK"])
    return (Path.cwd() if root == ROOT and is_kit() else root) / "work"


def decode(data: bytes) -> str:
    """Text of a file by its byte order mark, else UTF-8, else Latin-1, with Unix line ends."""
    for mark, encoding in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            text = data.decode(encoding, "replace")
            break
    else:
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            text = data.decode("latin-1")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def load(path: Path, max_bytes: int = 64 << 20) -> dict:
    """A notebook as plain JSON (nbformat 4); raises ``NotebookError``, or ``OSError`` where it cannot be read."""
    if path.stat().st_size > max_bytes:
        raise NotebookError(f"{path} holds more than {max_bytes >> 20} MiB; clear its outputs and save it again")
    text = decode(path.read_bytes())
    if not text.strip():
        raise NotebookError(f"{path} is empty; restore it from a backup, or delete it to start again from the release")
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError) as error:
        where = f" (line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        raise NotebookError(f"{path} is not a whole notebook: its JSON breaks off{where}; save it again") from None
    if not isinstance(notebook, dict) or not isinstance(notebook.get("cells"), list):
        raise NotebookError(f"{path} is not a notebook of format 4: it has no list of cells")
    return notebook


def role(cell: dict) -> str:
    """A cell's role as the builder wrote it, "" where none stands."""
    metadata = cell.get("metadata") if isinstance(cell, dict) else None
    own = metadata.get("learning") if isinstance(metadata, dict) else None
    return str(own.get("role", "")) if isinstance(own, dict) else ""


def text(cell: dict) -> str:
    """A cell's source as one string."""
    lines = cell.get("source", "")
    return "".join(map(str, lines)) if isinstance(lines, list) else str(lines)


def grade_cells(notebook: dict, wanted: str) -> list[tuple[str, float]]:
    """Grade id and points of every cell of one role, in order."""
    found = []
    for cell in notebook["cells"]:
        if role(cell) == wanted:
            graded = cell["metadata"].get("nbgrader", {})
            found.append((graded.get("grade_id", ""), float(graded.get("points", 0))))
    return found


def version(notebook: dict) -> int:
    """The released lesson version a notebook says it was made from, 0 where it says none."""
    metadata = notebook.get("metadata")
    own = metadata.get("learning") if isinstance(metadata, dict) else None
    number = own.get("version") if isinstance(own, dict) else None
    return number if isinstance(number, int) else 0
