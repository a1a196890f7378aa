"""How a story is told: it is registered by its name, and writes a folder from a right answer's notebook."""

import json
from pathlib import Path

RIGHT, NAMED = {}, {}
"""Stories that lose nothing, and those that cannot be graded, with a part of the sentence that says why."""


def right(make):
    RIGHT[make.__name__] = make
    return make


def named(cause):
    def register(make):
        NAMED[make.__name__] = (make, cause)
        return make

    return register


def write(folder: Path, notebook, name="", encoding="utf-8", **options) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    text = notebook if isinstance(notebook, str) else json.dumps(notebook, ensure_ascii=False, indent=1, **options)
    path = folder / (name or f"{folder.name}.ipynb")
    path.write_bytes(text.encode(encoding))
    return path


def cell(notebook, role, nth=0):
    return [c for c in notebook["cells"] if c["metadata"].get("learning", {}).get("role") == role][nth]


def place(notebook, role, nth=0):
    wanted = cell(notebook, role, nth)
    return next(i for i, c in enumerate(notebook["cells"]) if c is wanted)


def source(cell):
    return cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])


def plain_cell(kind, text):
    new = {"cell_type": kind, "metadata": {}, "source": text}
    return new | {"outputs": [], "execution_count": None} if kind == "code" else new
