"""``--pull``: edits an instructor made in the source notebook go back to the folder's files.

Code goes into the definitions it came from, text into the blocks of ``lesson.md``, and every other character of those
files stays. The changed files are first assembled in memory; only if that gives the notebook as it stands are they
written.
"""

from __future__ import annotations

import re
from dataclasses import replace as replaced
from pathlib import Path

from learning.build import course as courses
from learning.build import notebook, saved, text
from learning.build.cells import HIDDEN, SOLUTION, Cell, card_text
from learning.build.changes import Changes, compare, same
from learning.build.definitions import PullError, framed, parse
from learning.build.finding import BuildError, Complaint
from learning.build.folder import Folder
from learning.build.markers import regions
from learning.build.notebook import Assembly, assemble
from learning.build.text import Block
from learning.files import Changed, replace
from learning.judge.cells import text_of
from learning.lesson import Lesson


class Unsupported(ValueError):
    """An edit that cannot be carried back; the message says what was done and what to do instead."""


def pull(lesson: Lesson, root: Path = courses.ROOT) -> list[Path]:
    """Write the notebook's edits into ``lesson.folder`` and build it anew; returns the files that changed.

    Raises ``BuildError``, having written nothing, where both sides changed (each conflict shows both), where an edit
    cannot be carried back, where the folder itself is faulty, and where notebook or folder were saved again meanwhile. A pull
    that was killed on the way is finished by the next.
    """
    path = notebook.path(lesson, root)
    file = str(path.relative_to(root))
    if not path.is_file():
        raise BuildError(
            [Complaint("missing", file, "notebook", "is not there", f"python -m learning.build {lesson.slug}")]
        )
    course = courses.read(root)
    made = assemble(lesson, course)
    if made.complaints:
        raise BuildError(made.complaints)
    data = path.read_bytes()
    changes = compare(saved.built(data, file, lesson.slug), made, file)
    if not changes:
        return []
    texts, complaints = _carry(changes, made, file)
    if complaints:
        raise BuildError(complaints)
    again = assemble(lesson, course, Folder(lesson, texts))
    if again.complaints:  # of a page that nobody has on disk
        raise BuildError(
            [replaced(c, message=f"with the notebook's edits in it: {c.message}") for c in again.complaints]
        )
    if trouble := _differences(changes, made, again, file):
        raise BuildError(trouble)
    files = _files(lesson, made.folder, texts)
    if not path.is_file() or path.read_bytes() != data:
        raise BuildError([_raced(path, file, [])])
    written: list[Path] = []
    for target, (new, old) in files.items():
        try:
            written += [target] if replace(target, new, held=old) else []
        except Changed:
            raise BuildError([_raced(target, f"{lesson.slug}/{target.relative_to(lesson.folder)}", written)]) from None
    try:  # nothing of it is lost: the folder was seen to give it back
        notebook.write(lesson, root, force=True, made=again, held=data)
    except Changed:
        raise BuildError([_raced(path, file, written)]) from None
    return written


def _files(lesson: Lesson, folder: Folder, texts: dict[str, str]) -> dict[Path, tuple[bytes, bytes]]:
    """What is to be written where, and what stood there when it was read; raises ``BuildError`` where that is reached by a link,
    was changed since, or mixes line ends."""
    found, complaints = {}, []
    for name, new in texts.items():
        path, file = lesson.folder / name, f"{lesson.slug}/{name}"
        complaints += saved.astray(path, lesson.root, file)
        try:
            found[path] = folder.written(name, new), folder.data(name)
        except PullError as error:
            complaints.append(Complaint("unsupported", file, name, str(error), ""))
        if not path.is_file() or path.read_bytes() != folder.data(name):
            complaints.append(_raced(path, file, []))
    if complaints:
        raise BuildError(complaints)
    return found


def _raced(path: Path, file: str, written: list[Path]) -> Complaint:
    """A complaint about a file that is no longer the one that was read: what was saved since is not written over."""
    names = ", ".join(one.name for one in written)
    kept = f"; the edits up to then are in {names}" if names else "; nothing was written"
    did, remedy = (
        ("saved again", "pull again") if path.exists() else ("moved or deleted", "put it back, and pull again")
    )
    return Complaint("raced", file, path.name, f"was {did} while the notebook was pulled{kept}", remedy)


def _carry(changes: Changes, made: Assembly, file: str) -> tuple[dict[str, str], list[Complaint]]:
    """The folder's files with the edits in them, and a complaint for each edit that has no place there."""
    complaints = list(changes.conflicts)
    for id in changes.moved:
        remedy = "move its fence or text in lesson.md"
        complaints.append(Complaint("unsupported", file, id, "was moved, and only text and code are pulled", remedy))
    definitions: dict[str, dict[str, str]] = {}
    whole: dict[str, str] = {}
    blocks: dict[str, str | None] = {}
    for cell, origin in changes.edited:
        try:
            _edit(cell, origin, made.folder, definitions, whole, blocks)
        except Unsupported as refusal:
            complaints.append(Complaint("unsupported", file, cell["id"], str(refusal), ""))
    by_id = {cell.id: cell for cell in made.cells}
    for id in changes.deleted:
        origin = by_id[id]
        if origin.block is None or origin.role not in ("text", "show") or origin.symbols:
            remedy = "put it back (git checkout), or delete its fence from lesson.md and build again"
            complaints.append(Complaint("unsupported", file, id, f"a cell of role {origin.role!r} was deleted", remedy))
        else:
            blocks[id] = None
    added = {}
    for place in changes.added:
        try:
            added[place] = _new_block(changes.cells[place])
        except Unsupported as refusal:
            complaints.append(Complaint("unsupported", file, changes.cells[place]["id"], str(refusal), ""))
    texts = {name: made.folder.code(name).put(new) for name, new in definitions.items()} | whole
    if blocks or added:
        texts["lesson.md"] = _page(made, changes, blocks, added)
    return texts, complaints


def _edit(cell: dict, origin: Cell, folder: Folder, definitions: dict, whole: dict, blocks: dict) -> None:
    """Put one edited cell's text where it belongs; raises ``Unsupported``."""
    new = _text(cell)
    if cell["cell_type"] != origin.kind:
        raise Unsupported(f"was turned from {origin.kind} into {cell['cell_type']}; turn it back, or change lesson.md")
    if new == origin.source.rstrip():
        raise Unsupported(
            "has other grading settings than its folder gives it; points are set by @check(points=…) or points= in lesson.md, the rest by its role"
        )
    if origin.block is None:
        where = "LESSON in __init__.py" if origin.role == "text" else "learning/build/opening.py"
        raise Unsupported(f"is made from {where}; change it there")
    if origin.role == "explain":
        blocks[origin.id] = _explanation(new, origin, folder, whole)
    elif origin.file == "__init__.py":
        blocks[origin.id] = _above_the_card(new, origin, folder)
    elif origin.file == "lesson.md":
        blocks[origin.id] = new
    else:
        code = _without_frame(new, origin) if origin.check else new
        if origin.symbols:
            definitions.setdefault(origin.file, {}).update(_definitions(code, origin))
        else:
            whole[origin.file] = folder.code(origin.file).put_body(code)
    if faults := [fault for fault in regions(new)[1] if fault not in regions(origin.source)[1]]:
        raise Unsupported(
            f"{faults[0]}; nbgrader obeys a marker wherever it stands, in a string too: write it otherwise"
        )


def _text(cell: dict) -> str:
    """A cell's text with Unix line ends; raises ``Unsupported`` where no file could give it back."""
    new = text_of(cell).replace("\r\n", "\n").rstrip()
    if why := saved.unsavable(new):
        raise Unsupported(why)
    return new


def _explanation(new: str, origin: Cell, folder: Folder, whole: dict) -> str:
    """The prompt of an explanation cell; its model answer goes to its own file."""
    if origin.file == "lesson.md":
        return new
    prompt, begun, rest = new.partition(SOLUTION[0])
    answer, ended, after = rest.partition(SOLUTION[1])
    if not (begun and ended) or after.strip():
        raise Unsupported(f"must keep {SOLUTION[0]} and, at its end, {SOLUTION[1]}: what is between is {origin.file}")
    whole[origin.file] = framed(folder.text(origin.file), answer)
    return prompt.strip("\n")


def _above_the_card(new: str, origin: Cell, folder: Folder) -> str:
    """The author's own text above what the card lends."""
    (part,) = origin.symbols
    lent = card_text(folder, part)
    if not new.endswith(lent):
        raise Unsupported(f"ends with {part} from the lesson's card; change LESSON.{part} in __init__.py")
    return new.removesuffix(lent).strip("\n")


def _without_frame(new: str, origin: Cell) -> str:
    """A check cell without the line that runs it and, if it is hidden, without announcement, markers and canary."""
    if origin.role == "hidden":
        announced, begun, rest = new.partition(HIDDEN[0] + "\n")
        if not begun or not rest.endswith("\n" + HIDDEN[1]):
            raise Unsupported(f"must keep {HIDDEN[0]} and, as its last line, {HIDDEN[1]}; put them back")
        if announced != origin.source.partition(HIDDEN[0])[0]:
            raise Unsupported("its opening comment is made from the check's docstring and points; change those")
        new = re.sub(r"^# canary-\w+\n", "", rest.removesuffix("\n" + HIDDEN[1]))
    body, _, last = new.rstrip().rpartition("\n")
    if last != origin.check.call:
        raise Unsupported(f"its last line must stay {origin.check.call!r}, for it gives the score; put it back")
    return body.rstrip()


def _definitions(code: str, origin: Cell) -> dict[str, str]:
    """The cell's definitions by name; raises ``Unsupported`` where something in it would be lost."""
    try:
        parsed = parse(code)
    except SyntaxError as error:
        raise Unsupported(f"line {error.lineno} is not Python: {error.msg}; mend it in the notebook") from None
    wanted = set(origin.symbols)
    missing = wanted - set(parsed.definitions)
    extra = [n for n, d in parsed.definitions.items() if not wanted & set(d.names)]
    if missing or extra or parsed.others or parsed.doubles:
        said = [f"no longer defines {', '.join(sorted(missing))}" if missing else ""]
        said += [f"also defines {', '.join([*extra, *parsed.doubles])}" if extra or parsed.doubles else ""]
        said += ["holds a statement that defines nothing" if parsed.others else ""]
        raise Unsupported(
            f"{'; '.join(filter(None, said))}; definitions are added and removed in {origin.file} and in the pull= of lesson.md"
        )
    if _dense(parsed.take(list(origin.symbols))) != _dense(code):
        raise Unsupported("has a comment that stands apart; move it directly above the definition it belongs to")
    return {symbol: parsed.definitions[symbol].text for symbol in origin.symbols}


def _dense(code: str) -> list[str]:
    return sorted(line.rstrip() for line in code.split("\n") if line.strip())


def _new_block(cell: dict) -> Block:
    """The block a cell inserted in JupyterLab becomes; raises ``Unsupported`` for cells that belong in a Python file."""
    told = cell.get("metadata", {}).get("nbgrader", {})
    if told.get("grade") or told.get("solution") or told.get("task") or told.get("locked"):
        raise Unsupported(
            f"is a new graded or locked cell ({told.get('grade_id')}); delete it and write its check in checks.py or hidden.py"
        )
    source = _text(cell)
    if faults := regions(source)[1]:
        raise Unsupported(f"{faults[0]}; nbgrader obeys a marker wherever it stands: write it otherwise")
    if cell["cell_type"] == "markdown":
        return Block("markdown", source)
    if cell["cell_type"] == "code":
        return Block("code", source, {"role": "show", "name": f"added-{cell['id']}"})
    raise Unsupported("is a raw cell; make it Markdown")


def _page(made: Assembly, changes: Changes, blocks: dict[str, str | None], added: dict[int, Block]) -> str:
    """``lesson.md`` with blocks replaced, taken out and put in; the rest of its lines stays."""
    lines = made.folder.text("lesson.md").split("\n")
    edits: list[tuple[int, int, list[str]]] = []
    by_id = {cell.id: cell for cell in made.cells}
    for id, new in blocks.items():
        old = by_id[id].block
        if new is None:
            before, after = _blank(lines, old.first, -1), _blank(lines, old.last, 1)
            edits.append((old.first, old.last + after, [""] * max(0, after - before)))
        elif new != old.source:
            changed = Block(old.kind, new, old.attributes)
            edits.append((old.first, old.last, text.write(changed).split("\n")))
    at: int | None = None
    waiting: list[str] = []
    for place in range(len(changes.cells)):
        if place in added:
            waiting += ["", "", *text.write(added[place]).split("\n")]
        elif (origin := by_id.get(changes.id(place))) is not None and origin.block is not None:
            edits.append(_insertion(lines, at, waiting))
            at, waiting = origin.block.last, []
    edits.append(_insertion(lines, at, waiting))
    for first, last, new in sorted(edits, key=lambda edit: (edit[0], edit[1]), reverse=True):
        lines[first:last] = new
    return framed(made.folder.text("lesson.md"), "\n".join(lines))


def _insertion(lines: list[str], at: int | None, new: list[str]) -> tuple[int, int, list[str]]:
    """An edit that puts ``new`` after line ``at`` (None: at the top) with two blank lines on either side."""
    if not new:
        return 0, 0, []
    if at is None:
        return 0, 0, [*new[2:], "", ""]
    return at, at, [*new, *[""] * max(0, 2 - _blank(lines, at, 1))]


def _blank(lines: list[str], at: int, step: int) -> int:
    """How many blank lines stand directly before (``step`` -1) or from (1) line ``at`` on."""
    count = 0
    place = at - 1 if step < 0 else at
    while 0 <= place < len(lines) and not lines[place].strip():
        count, place = count + 1, place + step
    return count


def _differences(changes: Changes, before: Assembly, after: Assembly, file: str) -> list[Complaint]:
    """Where the folder, with the edits in it, would not give the notebook as it stands."""
    wanted = _wanted(changes, before)
    got = [cell for cell in after.cells if cell.block is not None]
    complaints = []
    for (id, kind, role, source), cell in zip(wanted, got, strict=False):
        if not same(source, cell.source) or (kind, role) != (cell.kind, cell.role):
            message = f"would come back from the folder as the {cell.kind} cell {cell.id} with another text or role"
            complaints.append(Complaint("unsupported", file, id, message, "carry this edit into the folder by hand"))
            break  # what follows may only be shifted
    if not complaints and len(wanted) != len(got):
        message = f"would come back from the folder as {len(got)} cells instead of {len(wanted)}"
        complaints.append(Complaint("unsupported", file, "cells", message, "carry the edit into the folder by hand"))
    return complaints


def _wanted(changes: Changes, before: Assembly) -> list[tuple[str, str, str, str]]:
    """Id, kind, role and text of every cell that ``lesson.md`` should now make, in order."""
    edited = {cell["id"]: text_of(cell) for cell, _ in changes.edited}
    known = {cell.id for cell in before.cells}
    after: dict[str, list[tuple[str, str, str, str]]] = {}
    place = "bootstrap"
    for n, cell in enumerate(changes.cells):
        if n in changes.added:
            role = "show" if cell["cell_type"] == "code" else "text"
            after.setdefault(place, []).append((cell["id"], cell["cell_type"], role, text_of(cell)))
        elif changes.id(n) in known and changes.id(n) != "title":
            place = changes.id(n)
    wanted = []
    for cell in before.cells:
        if cell.block is not None and cell.id not in changes.deleted:
            wanted.append((cell.id, cell.kind, cell.role, edited.get(cell.id, cell.source)))
        wanted += after.get(cell.id, [])
    return wanted
