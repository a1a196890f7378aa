"""What was done to a source notebook in JupyterLab since it was built, told by the hashes its cells carry."""

from __future__ import annotations

import difflib
import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from learning.build.cells import Cell
from learning.build.finding import BuildError, Complaint
from learning.build.notebook import Assembly, digest
from learning.judge.cells import text_of


@dataclass
class Changes:
    """``cells`` are the notebook's as they stand; ``edited`` pairs a cell with what the folder makes of it now (None:
    the folder no longer has it); ``added`` are new or copied cells, ``deleted`` ids the folder still makes; ``moved``
    tells whether the order differs; ``kept`` maps the place of every cell that is not new to its id.
    """

    cells: list[dict]
    edited: list[tuple[dict, Cell | None]] = field(default_factory=list)
    added: list[int] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    moved: list[str] = field(default_factory=list)
    conflicts: list[Complaint] = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.edited or self.added or self.deleted or self.moved or self.conflicts)


def load(path: Path, root: Path) -> dict:
    """The notebook at ``path``; raises ``BuildError`` where it is none, or holds no record of how it was built."""
    name = str(path.relative_to(root))
    try:
        book = json.loads(path.read_text(encoding="utf-8"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        remedy = "restore it, or delete it and build again"
        raise BuildError([Complaint("json", name, "notebook", f"is no notebook: {error}", remedy)]) from None
    told = book.get("metadata", {}).get("learning", {}) if isinstance(book, dict) else {}
    if not isinstance(told.get("cells"), list):
        message = "does not say how it was built: its metadata.learning.cells is gone"
        remedy = "restore it, or build with --force and lose what was edited in it"
        raise BuildError([Complaint("record", name, "metadata", message, remedy)])
    return book


def compare(book: dict, made: Assembly, file: str) -> Changes:
    """Tell the edits made in ``book`` from those made in the folder that ``made`` was assembled from."""
    recorded = book["metadata"]["learning"]["cells"]
    now = {cell.id: cell for cell in made.cells}
    changes = Changes(book["cells"])
    seen: Counter = Counter()
    for place, cell in enumerate(book["cells"]):
        id = cell.get("id", "")
        seen[id] += 1
        if id not in recorded or seen[id] > 1:
            changes.added.append(place)
            continue
        _look(cell, now.get(id), changes, file)
    present = [id for id in dict.fromkeys(c.get("id", "") for c in book["cells"]) if id in recorded]
    changes.deleted = [id for id in recorded if id not in present and id in now]
    changes.moved = _moved(present, recorded)
    return changes


def _look(cell: dict, made: Cell | None, changes: Changes, file: str) -> None:
    """Sort one cell that was there when the notebook was built into unchanged, edited, or changed on both sides."""
    metadata = cell.get("metadata", {})
    built = metadata.get("learning", {}).get("built")
    held = digest(text_of(cell), metadata.get("nbgrader"))
    folder = digest(made.source, made.grade) if made is not None else None
    same_kind = made is None or cell["cell_type"] == made.kind
    if held in (built, folder) and same_kind:
        return
    if made is None or (folder != built and held != folder):
        changes.conflicts.append(_conflict(cell, made, file))
    else:
        changes.edited.append((cell, made))


def _conflict(cell: dict, made: Cell | None, file: str) -> Complaint:
    """A complaint that shows both sides."""
    remedy = "copy what you want to keep into the folder, then build with --force"
    if made is None:
        message = "was edited in the notebook, and its lesson no longer makes it:\n" + _indent(
            text_of(cell).split("\n")
        )
        return Complaint("conflict", file, cell["id"], message, remedy)
    lines = difflib.unified_diff(
        made.source.split("\n"), text_of(cell).split("\n"), f"{made.file} (folder)", f"{file} (notebook)", lineterm=""
    )
    message = "was changed in the notebook and in the folder:\n" + _indent(lines)
    return Complaint("conflict", file, cell["id"], message, remedy)


def _indent(lines) -> str:
    return "\n".join(f"    {line}".rstrip() for line in lines) + "\n  "


def _moved(present: list[str], recorded: list[str]) -> list[str]:
    """The ids that left the recorded order (a longest run that kept it stays)."""
    order = [id for id in recorded if id in present]
    matcher = difflib.SequenceMatcher(a=order, b=present, autojunk=False)
    kept = {present[block.b + i] for block in matcher.get_matching_blocks() for i in range(block.size)}
    return [id for id in present if id not in kept]


def unsaved(made: Assembly, path: Path, root: Path) -> list[Complaint]:
    """A complaint for each edit in the notebook at ``path`` that building over it would lose."""
    file = str(path.relative_to(root))
    changes = compare(load(path, root), made, file)
    touched = [
        *(cell["id"] for cell, _ in changes.edited),
        *(changes.cells[place].get("id", "a new cell") for place in changes.added),
        *changes.deleted,
        *changes.moved,
    ]
    remedy = "run python -m learning.build --pull first, or build with --force and lose the edit"
    edits = [Complaint("unpulled", file, id, "was edited in the notebook, not in its folder", remedy) for id in touched]
    return edits + changes.conflicts
