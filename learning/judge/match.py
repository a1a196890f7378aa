"""Find a learner's cells in whatever notebook came back, by the instructor's notebook.

A submission is never trusted for its structure: cells are renamed, moved, merged, split, retyped, copied, stripped of
their metadata. What is wanted from it is only the text of the cells that a learner may write, each put to the cell
of the instructor's notebook it belongs to, and the helper cells between them. Locked text always comes from the
instructor's notebook. Standard library only.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field

from learning.judge import statements
from learning.judge.cells import Cell, LearnerCells, is_todo, role_of, starter_of

LEARNERS = ("answer", "explain", "show", "text")
"""Roles whose text is taken from the learner unless the cell is locked; every other role's text is the instructor's."""
GRADED = ("answer", "explain", "check", "hidden", "setup")
"""Roles a learner is told about when such a cell is missing, altered or retyped."""


@dataclass
class Slot:
    """One cell of the instructor's notebook, as something a submitted cell can belong to."""

    index: int
    role: str
    type: str
    grade_id: str
    id: str
    source: str
    locked: bool

    @property
    def name(self) -> str:
        """What messages and the worker's files call this cell."""
        return re.sub(r"\W+", "_", self.grade_id or self.id or f"cell_{self.index + 1}")

    @property
    def code(self) -> bool:
        return self.type == "code"


@dataclass
class Found:
    """One submitted cell: ``index`` counts all submitted cells from 0; ``how`` says by what it was recognised."""

    index: int
    type: str
    source: str
    grade_id: str = ""
    id: str = ""
    slot: int | None = None
    how: str = ""


@dataclass
class Alignment:
    """Which submitted cell belongs to which cell of the instructor's notebook.

    ``placed`` maps an instructor's cell index to the submitted cell; ``extras`` are the cells the learner added, in
    their order, each with ``slot`` the instructor's cell it follows (-1 before the first); ``notes`` are sentences
    about missing, duplicate, moved, altered and retyped cells.
    """

    slots: list[Slot]
    placed: dict[int, Found] = field(default_factory=dict)
    extras: list[Found] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def text(self, slot: Slot) -> str:
        """The text that stands in ``slot`` after the match: the learner's where it is theirs to write."""
        found = self.placed.get(slot.index)
        return slot.source if slot.locked or found is None else found.source

    def learner_cells(self) -> LearnerCells:
        """What the worker runs: answers and added code cells in the learner's own order, missing answers as TODO."""
        ours = [slot for slot in self.slots if slot.role == "answer" and not slot.locked]
        cells = [
            (found.index, Cell(slot.name, found.source, "answer"))
            for slot in ours
            if (found := self.placed.get(slot.index)) is not None
        ]
        code = [found for found in self.extras if found.type == "code" and found.source.strip()]
        cells += [(found.index, Cell(f"added_cell_{found.index + 1}", found.source, "extra")) for found in code]
        cells.sort(key=lambda pair: pair[0])
        missing = [Cell(slot.name, slot.source, "answer") for slot in ours if slot.index not in self.placed]
        return LearnerCells([cell for _, cell in cells] + missing, list(self.notes))


def learner_cells(submitted: dict, instructor: dict) -> LearnerCells:
    """Return what the worker runs of ``submitted``: see ``align``; both are notebooks as plain JSON (nbformat 4)."""
    return align(submitted, instructor).learner_cells()


def align(submitted: dict, instructor: dict) -> Alignment:
    """Put each submitted cell to the cell of ``instructor`` it belongs to.

    In order: by grade id, by cell id, by equal text, by the names a cell defines, by position and likeness. Of several
    cells with one grade id the last one that differs from the starter is taken and the others stay beside it. Works
    with the instructor's notebook with or without its solutions. Raises nothing for what a learner did.
    """
    slots = [_slot(index, cell) for index, cell in enumerate(instructor.get("cells", []))]
    found = [_found(index, cell) for index, cell in enumerate(_cells(submitted))]
    aligned = Alignment(slots)
    match = _Matcher(aligned, found)
    match.by_grade_id()
    match.by_cell_id()
    match.by_equal_text()
    match.out_of_locked_cells()
    match.by_names()
    match.by_position()
    match.finish()
    return aligned


def text(cell: dict) -> str:
    """A cell's source as one string with Unix line ends; lists are joined, anything else is empty."""
    source = cell.get("source", "")
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    return source.replace("\r\n", "\n").replace("\r", "\n") if isinstance(source, str) else ""


def _cells(notebook: dict) -> list[dict]:
    cells = notebook.get("cells", []) if isinstance(notebook, dict) else []
    return [cell for cell in cells if isinstance(cell, dict)] if isinstance(cells, list) else []


def _nbgrader(cell: dict) -> dict:
    metadata = cell.get("metadata")
    own = metadata.get("nbgrader") if isinstance(metadata, dict) else None
    return own if isinstance(own, dict) else {}


def _string(value: object) -> str:
    return value.strip() if isinstance(value, str) else ""


def _slot(index: int, cell: dict) -> Slot:
    graded = _nbgrader(cell)
    role = role_of(cell)
    if not role and cell.get("cell_type") == "markdown":
        role = "explain" if graded.get("solution") or graded.get("task") else "text"
    locked = not graded.get("solution") if role in LEARNERS and graded else role not in LEARNERS
    if graded.get("task"):
        locked = False
    return Slot(
        index, role, cell.get("cell_type", "code"), _string(graded.get("grade_id")), _string(cell.get("id")),
        text(cell), bool(locked),
    )  # fmt: skip


def _found(index: int, cell: dict) -> Found:
    kind = _string(cell.get("cell_type")) or "code"
    return Found(index, kind, text(cell), _string(_nbgrader(cell).get("grade_id")), _string(cell.get("id")))


class _Matcher:
    """The steps of ``align``: each takes what the earlier ones left."""

    def __init__(self, aligned: Alignment, found: list[Found]):
        self.aligned, self.found, self.notes = aligned, found, aligned.notes
        self.slots, self.placed = aligned.slots, aligned.placed
        self.locked_text = [slot.source for slot in self.slots if slot.locked and slot.code]

    def open(self, *, learners: bool = False) -> list[Slot]:
        return [s for s in self.slots if s.index not in self.placed and not (learners and s.locked)]

    def free(self) -> list[Found]:
        return [found for found in self.found if found.slot is None]

    def place(self, slot: Slot, found: Found, how: str) -> None:
        found.slot, found.how = slot.index, how
        self.placed[slot.index] = found

    def by_grade_id(self) -> None:
        for slot in self.open():
            same = [found for found in self.free() if slot.grade_id and found.grade_id == slot.grade_id]
            if not same:
                continue
            if slot.locked:
                chosen = next((f for f in same if statements.same_text(f.source, slot.source)), same[0])
            else:
                edited = [found for found in same if self.is_edited(slot, found)]
                chosen = (edited or same)[-1]
            self.place(slot, chosen, "grade id")
            if len(same) > 1:
                self.notes.append(
                    f"duplicate: {len(same)} cells are called {slot.name}; "
                    + ("the original was used" if slot.locked else f"the one at cell {chosen.index + 1} was graded")
                )
                for other in same:
                    if other is not chosen and not self.is_edited(slot, other):
                        other.how, other.slot = "copy", -1

    def is_edited(self, slot: Slot, found: Found) -> bool:
        if slot.locked:
            return not any(statements.same_text(found.source, form) for form in statements.forms(slot.source))
        if slot.code:
            return not is_todo(found.source, starter_of(slot.source))
        return not statements.same_text(found.source, slot.source)

    def by_cell_id(self) -> None:
        for slot in self.open():
            same = [found for found in self.free() if slot.id and found.id == slot.id]
            if same:
                self.place(slot, same[-1], "cell id")

    def by_equal_text(self) -> None:
        for slot in self.open():
            forms = {statements.squeezed(form) for form in statements.forms(slot.source)} - {""}
            same = [f for f in self.free() if statements.squeezed(f.source) in forms]
            if same:
                self.place(slot, same[0], "equal text")

    def out_of_locked_cells(self) -> None:
        """What a learner wrote into a locked cell becomes a cell of its own; the locked text is the instructor's."""
        owned = {name for source in self.locked_text for name in statements.defined(source)}
        for slot in self.slots:
            found = self.placed.get(slot.index)
            if found is None or not slot.locked:
                continue
            if any(statements.same_text(found.source, form) for form in statements.forms(slot.source)):
                continue
            if slot.role not in GRADED:
                continue
            self.notes.append(f"altered: {slot.name} is locked; the original was used")
            if slot.code:
                rest = statements.without(found.source, [slot.source], only_new=owned)
                if statements.defined(rest):
                    self.found.append(Found(found.index, "code", rest, how="locked cell"))

    def by_names(self) -> None:
        for slot in self.slots:
            if slot.locked or slot.role != "answer":
                continue
            wanted = statements.defined(slot.source)
            now = self.placed.get(slot.index)
            if now is not None and (self.is_edited(slot, now) or not wanted):
                continue
            scored = [(len(wanted & statements.defined(f.source)), f.index, f) for f in self.free()]
            scored = [row for row in scored if row[0] and self.is_edited(slot, row[2])]
            if not scored and now is None:
                scored = [(len(wanted & statements.defined(f.source)), f.index, f) for f in self.free()]
                scored = [row for row in scored if row[0]]
            if scored:
                best = max(scored, key=lambda row: row[:2])[2]
                if now is not None:
                    now.slot, now.how = -1, "starter"
                self.place(slot, best, best.how or "the names it defines")
                if now is not None:
                    self.notes.append(f"moved: {slot.name} is untouched; the answer is in cell {best.index + 1}")

    def by_position(self) -> None:
        for slot in self.open(learners=True):
            before = [self.placed[i].index for i in self.placed if i < slot.index]
            after = [self.placed[i].index for i in self.placed if i > slot.index]
            low, high = max(before, default=-1), min(after, default=len(self.found))
            kinds = ("code",) if slot.code else ("markdown", "raw")
            near = [f for f in self.free() if low < f.index < high and f.type in kinds and f.source.strip()]
            if slot.role == "answer":
                near = [f for f in near if _likeness(f.source, slot.source) > 0.3]
            if near:
                self.place(slot, max(near, key=lambda f: _likeness(f.source, slot.source)), "position")

    def finish(self) -> None:
        order = []
        for slot in self.slots:
            found = self.placed.get(slot.index)
            graded = slot.role in GRADED
            if found is None:
                if graded:
                    what = "the original was used" if slot.locked else "it counts as not answered"
                    self.notes.append(f"missing: {slot.name} is not in the notebook; {what}")
                continue
            order.append(found.index)
            if not graded:
                continue
            if found.type != slot.type:
                self.notes.append(f"retyped: {slot.name} came as {found.type}; it was read as {slot.type}")
            if not slot.locked and found.how in ("the names it defines", "position", "locked cell"):
                self.notes.append(f"found: {slot.name} had lost its name and was recognised by {found.how}")
            if slot.role == "answer" and not slot.locked:
                rest = statements.without(found.source, self.locked_text)
                if rest != found.source:
                    self.notes.append(f"merged: {slot.name} also held locked cells; their text was left out")
                    found.source = rest
        if order != sorted(order):
            self.notes.append("moved: cells stand in another order than in the release")
        follows = {found.index: index for index, found in self.placed.items() if found.how != "locked cell"}
        for found in sorted(self.free(), key=lambda f: f.index):
            found.slot = next((follows[i] for i in range(found.index, -1, -1) if i in follows), -1)
            if found.source.strip():
                self.aligned.extras.append(found)


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one[:4000], other[:4000], autojunk=False).quick_ratio()
