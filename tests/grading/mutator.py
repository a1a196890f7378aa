"""Damages a notebook as editors, disks, mail programs and people do: one to four damages at random, from a seed.

``damaged(notebook, random)`` gives the bytes of a file, the names of what was done, and whether all of it was harmless: then the
answer is still in there, whole and once, and has to be found.
"""

from __future__ import annotations

import copy
import gzip
import json
import random
from collections.abc import Callable

ODD = (
    None,
    True,
    -1,
    10**30,
    1.5,
    "",
    "\ud800",
    "\0",
    "a\u202eb\u200b",
    [],
    {},
    [[]],
    {"": {}},
    ["x", 3, None],
    "x" * 5000,
)
CELL_KEYS = ("cell_type", "metadata", "source", "id", "outputs", "execution_count", "attachments")
SCRAPS = (
    "def (", "%%bash\nrm -rf /", "!curl x | sh", "while True: pass", "import os; os._exit(0)", "\t\tx = 1", "x = '''",
    "<script>alert(1)</script>", "# %%\n", "\ufeffx = 1", "é = 'é'\r\n", "(" * 300 + ")" * 300, "-" * 2000 + "1", "get_ipython().run_line_magic('reset', '-f')",
)  # fmt: skip
HARMLESS: dict[str, Callable] = {}
HARMFUL: dict[str, Callable] = {}
ON_BYTES: dict[str, Callable] = {}


def _in(table: dict) -> Callable:
    def register(make: Callable) -> Callable:
        table[make.__name__] = make
        return make

    return register


def damaged(notebook: dict, source: random.Random) -> tuple[bytes, list[str], bool]:
    """The bytes of a damaged copy of ``notebook``, what was done to it, and whether the answer must still be found."""
    notebook, done = copy.deepcopy(notebook), []
    kinds = source.choice((HARMLESS, HARMLESS, HARMFUL, {**HARMLESS, **HARMFUL}))
    for name in source.sample(sorted(kinds), source.randint(1, min(4, len(kinds)))):
        (HARMLESS.get(name) or HARMFUL[name])(notebook, source)
        done.append(name)
    data = _text(notebook, source).encode("utf-8", "surrogatepass")
    if source.random() < 0.35:
        name = source.choice(sorted(ON_BYTES))
        data = ON_BYTES[name](data, source)
        done.append(name)
    return data, done, all(name in HARMLESS for name in done)


def _text(notebook: dict, source: random.Random) -> str:
    return json.dumps(notebook, ensure_ascii=source.random() < 0.5, indent=source.choice((None, 1, 4)))


def _role(cell: object) -> str:
    metadata = cell.get("metadata") if isinstance(cell, dict) else None
    learning = metadata.get("learning") if isinstance(metadata, dict) else None
    return learning.get("role", "") if isinstance(learning, dict) else ""


def _cells(notebook: dict) -> list[dict]:
    return [cell for cell in notebook["cells"] if isinstance(cell, dict)]


def _others(notebook: dict) -> list[dict]:
    """Cells that are neither the answer nor an explanation."""
    return [c for c in _cells(notebook) if _role(c) not in ("answer", "explain")]


def _some(notebook: dict, source: random.Random) -> dict:
    return source.choice(_cells(notebook) or [{}])


# ---- harmless: the answer is still there ---------------------------------------------------------------------------------


@_in(HARMLESS)
def huge_outputs(notebook, source):
    for cell in _others(notebook)[:3]:
        cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x" * source.randint(1, 1 << 20)}]


@_in(HARMLESS)
def nonsense_outputs(notebook, source):
    for cell in _cells(notebook):
        cell["outputs"] = source.choice(ODD)


@_in(HARMLESS)
def odd_attachments(notebook, source):
    for cell in _cells(notebook):
        cell["attachments"] = {
            "a\0.png": {"image/png": source.choice(ODD)},
            "b.html": {"text/html": "<script>"},
            "c": 1,
        }


@_in(HARMLESS)
def ids_gone(notebook, source):
    for cell in _cells(notebook):
        cell.pop("id", None)


@_in(HARMLESS)
def ids_odd(notebook, source):
    for cell in _cells(notebook):
        cell["id"] = source.choice(ODD)


@_in(HARMLESS)
def editors_keys(notebook, source):
    for cell in _cells(notebook):
        if isinstance(cell.get("metadata"), dict):
            cell["metadata"] |= {"colab": {"x": 1}, "vscode": source.choice(ODD), "tags": source.choice(ODD)}
        cell["vscodeCellId"] = source.choice(ODD)
    notebook["widgets"] = source.choice(ODD)


@_in(HARMLESS)
def metadata_of_the_book_odd(notebook, source):
    notebook["metadata"] = source.choice(ODD)


@_in(HARMLESS)
def versions_odd(notebook, source):
    notebook["nbformat_minor"] = source.choice(ODD)
    if source.random() < 0.5:
        notebook["nbformat"] = source.choice((3, 4, 5, 99, None, "4", []))


@_in(HARMLESS)
def locked_cells_edited(notebook, source):
    for cell in _others(notebook):
        if source.random() < 0.4:
            cell["source"] = source.choice(("", "20", "pass", "x = 1\n20.0"))


@_in(HARMLESS)
def locked_cells_deleted(notebook, source):
    keep = [c for c in _cells(notebook) if _role(c) in ("answer", "explain") or source.random() < 0.6]
    notebook["cells"][:] = keep


@_in(HARMLESS)
def sources_as_lists(notebook, source):
    for cell in _cells(notebook):
        if isinstance(cell.get("source"), str):
            cell["source"] = cell["source"].splitlines(keepends=True)


@_in(HARMLESS)
def windows_lines(notebook, source):
    for cell in _cells(notebook):
        text = cell.get("source", "")
        if isinstance(text, list) and all(isinstance(part, str) for part in text):
            text = "".join(text)
        if isinstance(text, str):
            cell["source"] = text.replace("\n", "\r\n")


@_in(HARMLESS)
def strangers_among_the_cells(notebook, source):
    for _ in range(source.randint(1, 5)):
        notebook["cells"].insert(source.randint(0, len(notebook["cells"])), {"cell_type": "markdown", "source": source.choice(SCRAPS)})  # fmt: skip


# ---- harmful: the answer may be gone, but nothing may break ----------------------------------------------------------------


@_in(HARMFUL)
def a_key_odd(notebook, source):
    for _ in range(source.randint(1, 8)):
        _some(notebook, source)[source.choice(CELL_KEYS)] = source.choice(ODD)


@_in(HARMFUL)
def a_key_gone(notebook, source):
    for _ in range(source.randint(1, 8)):
        _some(notebook, source).pop(source.choice(CELL_KEYS), None)


@_in(HARMFUL)
def cells_odd(notebook, source):
    for _ in range(source.randint(1, 4)):
        notebook["cells"].insert(source.randint(0, len(notebook["cells"])), source.choice(ODD))


@_in(HARMFUL)
def a_top_key_odd(notebook, source):
    key = source.choice(("metadata", "nbformat", "worksheets"))
    notebook[key] = source.choice(ODD)


@_in(HARMFUL)
def grade_ids_exchanged(notebook, source):
    graded = [c for c in _cells(notebook) if isinstance(c.get("metadata"), dict)]
    graded = [c["metadata"]["nbgrader"] for c in graded if isinstance(c["metadata"].get("nbgrader"), dict)]
    names = [one.get("grade_id") for one in graded]
    source.shuffle(names)
    for one, name in zip(graded, names, strict=True):
        one["grade_id"] = name


@_in(HARMFUL)
def scraps_everywhere(notebook, source):
    for cell in _cells(notebook):
        if source.random() < 0.3:
            text = cell.get("source", "")
            text = text if isinstance(text, str) else ""
            at = source.randint(0, len(text))
            cell["source"] = text[:at] + source.choice(SCRAPS) + text[at:]


@_in(HARMFUL)
def types_exchanged(notebook, source):
    for cell in _cells(notebook):
        cell["cell_type"] = source.choice(("code", "markdown", "raw", "heading", "sql", ""))


@_in(HARMFUL)
def cells_copied_many_times(notebook, source):
    cells = _cells(notebook)
    notebook["cells"] = [copy.deepcopy(cell) for cell in cells for _ in range(source.randint(1, 6))]


@_in(HARMFUL)
def nested_deep(notebook, source):
    value: list = []
    for _ in range(source.choice((50, 400))):
        value = [value]
    notebook["metadata"] = {"deep": value}
    _some(notebook, source)["outputs"] = value


# ---- bytes --------------------------------------------------------------------------------------------------------------


@_in(ON_BYTES)
def cut_off(data, source):
    return data[: source.randint(0, len(data))]


@_in(ON_BYTES)
def bits_flipped(data, source):
    new = bytearray(data)
    for _ in range(source.randint(1, 20)):
        new[source.randrange(len(new))] ^= 1 << source.randrange(8)
    return bytes(new)


@_in(ON_BYTES)
def a_hole_of_zeros(data, source):
    at, size = source.randrange(len(data)), source.randint(1, 4096)
    return data[:at] + bytes(size) + data[at + size :]


@_in(ON_BYTES)
def twice_in_a_row(data, source):
    return data + b"\n" + data


@_in(ON_BYTES)
def zipped(data, source):
    return gzip.compress(data, 1)


@_in(ON_BYTES)
def other_encodings(data, source):
    text = data.decode("utf-8", "replace")
    return text.encode(source.choice(("utf-16", "utf-32", "utf-16-be", "latin-1", "utf-7")), "replace")


@_in(ON_BYTES)
def keys_doubled(data, source):
    return data.replace(b'"cells"', b'"cells": 3, "cells"', 1)


@_in(ON_BYTES)
def numbers_that_are_none(data, source):
    return data.replace(b"null", source.choice((b"NaN", b"-Infinity", b"1e999", b"9" * 5000)))
