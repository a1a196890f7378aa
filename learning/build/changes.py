"""What was done to a source notebook in JupyterLab since it was built, told by the hashes its cells carry."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from learning.build import saved
from learning.build.cells import HIDDEN, Cell
from learning.build.finding import Complaint
from learning.build.notebook import Assembly, digest
from learning.judge.cells import text_of


@dataclass
class Changes:
    """``cells`` are the notebook's as they stand; ``edited`` pairs a cell with what the folder makes of it now (None:
    the folder no longer has it); ``added`` are the places of new or copied cells, ``deleted`` ids the folder still makes;
    ``moved`` tells whether the order differs; ``there`` maps the place of a cell that the folder already holds under an id the
    notebook does not know to that id: both sides made the same addition, or a pull was interrupted.
    """

    cells: list[dict]
    edited: list[tuple[dict, Cell | None]] = field(default_factory=list)
    added: list[int] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    moved: list[str] = field(default_factory=list)
    conflicts: list[Complaint] = field(default_factory=list)
    there: dict[int, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.edited or self.added or self.deleted or self.moved or self.conflicts)

    def id(self, place: int) -> str:
        """The id by which the folder knows the cell at ``place``, as far as it does."""
        return self.there.get(place, self.cells[place]["id"])


def compare(book: dict, made: Assembly, file: str) -> Changes:
    """Tell the edits made in ``book`` from those made in the folder that ``made`` was assembled from."""
    recorded = book["metadata"]["learning"]["cells"]
    now = {cell.id: cell for cell in made.cells}
    fresh = [cell for cell in made.cells if cell.id not in recorded]
    changes = Changes(book["cells"])
    seen: Counter = Counter()
    for place, cell in enumerate(book["cells"]):
        id = cell["id"]
        seen[id] += 1
        if cell.get("attachments"):
            changes.conflicts.append(_pasted(cell, file))
        new = id not in recorded or seen[id] > 1
        if new or id not in now:
            twin = next(
                (one for one in fresh if one.kind == cell["cell_type"] and same(text_of(cell), one.source)), None
            )
            if twin is not None and not (new and cell["metadata"].get("nbgrader")):
                fresh.remove(twin)
                changes.there[place] = twin.id
                continue
        if new:
            changes.added.append(place)
        else:
            _look(cell, now.get(id), changes, file)
    present = [id for id in dict.fromkeys(c["id"] for c in book["cells"]) if id in recorded]
    changes.deleted = [id for id in recorded if id not in present and id in now]
    changes.moved = _moved(present, recorded)
    return changes


def _look(cell: dict, made: Cell | None, changes: Changes, file: str) -> None:
    """Sort one cell that was there when the notebook was built into unchanged, edited, or changed on both sides."""
    metadata = cell["metadata"]
    built = metadata.get("learning", {}).get("built")
    held = digest(text_of(cell), metadata.get("nbgrader"))
    folder = digest(made.source, made.grade) if made is not None else None
    same_kind = made is None or cell["cell_type"] == made.kind
    if held in (built, folder) and same_kind:
        return
    if made is None or (folder != built and held != folder):
        alike = made is not None and HIDDEN[0] in made.source and same(text_of(cell), made.source)
        if not alike:  # a hidden check's frame is made anew from its docstring, which the folder holds already
            changes.conflicts.append(_conflict(cell, made, file))
    else:
        changes.edited.append((cell, made))


def same(held: str, made: str) -> bool:
    """Equal but for blank ends, and for a hidden check's frame, which is made anew from its docstring and points."""
    if HIDDEN[0] in held and HIDDEN[0] in made:
        held, made = (
            re.sub(r"^# canary-\w+\n", "", t.replace("\r\n", "\n").partition(HIDDEN[0] + "\n")[2]) for t in (held, made)
        )
    return held.replace("\r\n", "\n").rstrip() == made.rstrip()


def _pasted(cell: dict, file: str) -> Complaint:
    """A complaint about pictures that only the notebook holds."""
    names = ", ".join(map(str, cell["attachments"])) if isinstance(cell["attachments"], dict) else "a file"
    remedy = "save it as a file and link that, or draw it with learning.widgets; then take it out of the cell (cut and paste its text)"
    return Complaint(
        "unsupported", file, cell["id"], f"holds a pasted picture ({names}), which lesson.md cannot hold", remedy
    )


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


def unsaved(made: Assembly, data: bytes, path: Path, root: Path) -> list[Complaint]:
    """A complaint for each edit in the notebook at ``path``, whose bytes are ``data``, that building over it would lose; raises
    what ``saved.built`` raises."""
    file = str(path.relative_to(root))
    changes = compare(saved.built(data, file, made.folder.lesson.slug), made, file)
    touched = [
        *(cell["id"] for cell, _ in changes.edited),
        *(changes.cells[place]["id"] for place in changes.added),
        *changes.deleted,
        *changes.moved,
    ]
    remedy = "run python -m learning.build --pull first, or build with --force and lose the edit"
    edits = [Complaint("unpulled", file, id, "was edited in the notebook, not in its folder", remedy) for id in touched]
    return edits + changes.conflicts
