"""Points, checks, entries, ids and markers of a lesson's cells; definitions that nothing pulls."""

from __future__ import annotations

from collections import Counter

from learning.build.cells import EXPLANATION_POINTS, Cell
from learning.build.finding import Complaint
from learning.build.folder import Folder
from learning.build.lint.names import defined
from learning.build.markers import regions
from learning.build.opening import POINTS
from learning.judge.cells import neutralise
from learning.judge.score import plain
from learning.lesson import Lesson

_ALLOWED = {"answer": {"SOLUTION"}, "explain": {"SOLUTION"}, "hidden": {"HIDDEN TESTS"}}


def check(lesson: Lesson, folder: Folder, cells: list[Cell], file: str) -> list[Complaint]:
    """Every complaint about what the cells are, one rule after another."""
    return [
        *markers(cells, file),
        *points(lesson, cells, file),
        *checks(lesson, cells, file),
        *answers(lesson, cells, file),
        *ids(cells, file),
        *unpulled(folder, cells),
        *titles(cells, file),
    ]


def markers(cells: list[Cell], file: str) -> list[Complaint]:
    """Markers that are doubled, alone, misspelt, or in a cell where nbgrader would not take them."""
    complaints = []
    for cell in cells:
        found, faults = regions(cell.source)
        where = cell.file or file
        for fault in faults:
            remedy = "write ### BEGIN SOLUTION and ### END SOLUTION, each on a line of its own"
            complaints.append(Complaint("marker", _path(file, where), cell.id, fault, remedy))
        for kind in {region.kind for region in found} - _ALLOWED.get(cell.role, set()):
            message = f"a {kind} region in a cell of role {cell.role!r}"
            remedy = "solutions stand in answer cells, hidden tests in hidden cells, and nowhere else"
            complaints.append(Complaint("marker", _path(file, where), cell.id, message, remedy))
        if cell.role in ("answer", "explain") and not any(region.kind == "SOLUTION" for region in found):
            lost = "starter" if cell.role == "answer" else "question"
            message = f"has no solution region, so the release would lose the whole cell, the {lost} too"
            remedy = "mark what is ours alone" if cell.role == "answer" else 'pull the model answer: pull="explanation"'
            complaints.append(Complaint("marker", _path(file, where), cell.id, message, remedy))
    return complaints


def points(lesson: Lesson, cells: list[Cell], file: str) -> list[Complaint]:
    """A lesson is worth 20 points, 4 of them for one explanation."""
    complaints = []
    graded = [cell.grade["points"] for cell in cells if cell.grade and "points" in cell.grade]
    if sum(graded) != POINTS:
        listing = ", ".join(f"{c.name} {plain(c.grade['points'])}" for c in cells if c.grade and "points" in c.grade)
        message = f"its cells have {plain(sum(graded))} points ({listing}) and a lesson has {POINTS}"
        complaints.append(Complaint("points", file, "points", message, "change the points= of its checks"))
    found = [cell.grade["points"] for cell in cells if cell.role == "explain"]
    if found != [EXPLANATION_POINTS]:
        message = f"has {len(found)} explanation cells worth {plain(sum(found))} points, and a lesson has one, worth 4"
        remedy = '<!-- #region role="explain" pull="explanation" -->'
        complaints.append(Complaint("points", file, "explanation", message, remedy))
    return complaints


def checks(lesson: Lesson, cells: list[Cell], file: str) -> list[Complaint]:
    """A check says what it looks for and takes the lesson's entries."""
    complaints = []
    for cell in cells:
        if cell.check is None:
            continue
        where = _path(file, cell.file)
        if not cell.check.docstring.strip():
            message = "has no docstring, and that is what a learner reads"
            complaints.append(Complaint("docstring", where, cell.name, message, "say in a sentence what it looks for"))
        strangers = [name for name in cell.check.entries if name not in lesson.entries]
        if strangers:
            message = f"takes {', '.join(strangers)}, and the lesson's entries are {', '.join(lesson.entries)}"
            complaints.append(Complaint("entries", where, cell.name, message, "name the entries it calls, then trial"))
        if not cell.check.entries:
            complaints.append(Complaint("entries", where, cell.name, "takes no entry", "name the entries it calls"))
        if cell.check.points <= 0:
            complaints.append(Complaint("points", where, cell.name, "is worth nothing", "give it points, or drop it"))
    return complaints


def answers(lesson: Lesson, cells: list[Cell], file: str) -> list[Complaint]:
    """The answer cells define every entry."""
    made: set[str] = set()
    for cell in cells:
        if cell.role == "answer":
            try:
                made |= defined(neutralise(cell.source)[0])
            except SyntaxError:
                return []  # the names lint says where
    missing = [name for name in lesson.entries if name not in made]
    if not missing:
        return []
    message = f"no answer cell defines {', '.join(missing)}, which the card names as entries"
    return [Complaint("entries", file, "answer", message, "pull them from answer.py into an answer cell")]


def ids(cells: list[Cell], file: str) -> list[Complaint]:
    """No two cells share a grade id, not even up to capitals (a gradebook on some systems would merge them)."""
    counted = Counter(cell.grade["grade_id"].lower() for cell in cells if cell.grade)
    return [
        Complaint("id", file, name, f"{count} cells have the grade id {name}", "give each check and cell its own name")
        for name, count in counted.items()
        if count > 1
    ]


def unpulled(folder: Folder, cells: list[Cell]) -> list[Complaint]:
    """Every definition of the folder's main files stands in a cell."""
    complaints = []
    for file in folder.python_files():
        pulled = [cell for cell in cells if cell.file == file]
        if any(not cell.symbols for cell in pulled):
            continue
        names = {symbol for cell in pulled for symbol in cell.symbols}
        definitions = folder.code(file).definitions
        whole = {name for symbol in names & set(definitions) for name in definitions[symbol].names}
        for name in definitions:
            if name not in whole and not name.startswith("__"):
                message = "is pulled by no cell, so no notebook holds it"
                remedy = "pull it in lesson.md, or delete it"
                complaints.append(Complaint("unpulled", f"{folder.path.name}/{file}", name, message, remedy))
    return complaints


def titles(cells: list[Cell], file: str) -> list[Complaint]:
    """The notebook's only title is the card's."""
    return [
        Complaint("title", file, cell.id, "has a heading of the first level", "begin with ##: the card gives the title")
        for cell in cells
        if cell.kind == "markdown" and cell.block is not None and _has_title(cell.source)
    ]


def _has_title(source: str) -> bool:
    fenced = False
    for line in source.split("\n"):
        fenced ^= line.startswith("```")
        if line.startswith("# ") and not fenced:
            return True
    return False


def _path(lesson_file: str, file: str) -> str:
    return f"{lesson_file.split('/')[0]}/{file}"
