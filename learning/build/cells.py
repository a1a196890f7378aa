"""From a block of ``lesson.md`` to a notebook cell: its role, its id, its text and what nbgrader is told about it."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field

from learning.attempts import mutants, variants
from learning.build.definitions import PullError
from learning.build.folder import CheckFacts, Folder, check_facts
from learning.build.text import Block
from learning.judge import rules
from learning.judge.score import plain
from learning.lesson import Lesson

CODE_ROLES = ("setup", "answer", "check", "hidden", "show")
ATTRIBUTES = ("role", "name", "pull", "points", "reveals")
EXPLANATION_POINTS = 4
SOLUTION = ("<!-- BEGIN SOLUTION -->", "<!-- END SOLUTION -->")
HIDDEN = ("### BEGIN HIDDEN TESTS", "### END HIDDEN TESTS")


@dataclass
class Cell:
    """A cell of the instructor's notebook before it becomes JSON.

    ``file`` is the folder's file its text comes from and ``symbols`` the definitions in it (empty: the whole file, or
    text of ``lesson.md``); ``grade`` holds nbgrader's metadata; ``reveals`` is the author's reason for showing lines
    that are hidden elsewhere; ``block`` is its place in ``lesson.md`` (None for the two generated cells).
    """

    id: str
    kind: str
    role: str
    name: str
    source: str
    file: str = "lesson.md"
    symbols: tuple[str, ...] = ()
    grade: dict | None = None
    metadata: dict = field(default_factory=dict)
    reveals: str = ""
    check: CheckFacts | None = None
    block: Block | None = None


class CellError(ValueError):
    """A block cannot become a cell; the message names the cell and the remedy."""


def canary(slug: str, name: str) -> str:
    """The token that stands in the hidden region of check ``name`` and must never be seen outside the source."""
    digest = hashlib.sha256(f"canary|{slug}|{name}".encode()).hexdigest()
    return f"canary-{digest[:24]}"


def identifier(role: str, name: str) -> str:
    """A valid cell id made of role and name: letters, digits and hyphens, at most 64 of them, the same every time."""
    text = name if name == role or name.startswith(f"{role}-") else f"{role}-{name}"
    text = re.sub(r"[^a-zA-Z0-9-]+", "-", text).strip("-") or role
    if len(text) <= 64:
        return text
    return f"{text[:55].rstrip('-')}-{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def nbgrader(grade_id: str, *, grade: bool = False, solution: bool = False, locked: bool = False, points=None) -> dict:
    """nbgrader's cell metadata (schema 3)."""
    grade_id = re.sub(r"[^a-zA-Z0-9_-]+", "_", grade_id)
    found = {
        "grade": grade,
        "grade_id": grade_id,
        "locked": locked,
        "schema_version": 3,
        "solution": solution,
        "task": False,
    }
    return found if points is None else found | {"points": points}


def make(block: Block, folder: Folder, after: str) -> Cell:
    """The cell a block becomes; ``after`` is the name of the cell before it, which names text without a heading.

    Raises ``CellError`` or ``PullError``.
    """
    unknown = [key for key in block.attributes if key not in ATTRIBUTES]
    if unknown:
        raise CellError(f"unknown attribute {', '.join(unknown)}; known are {', '.join(ATTRIBUTES)}")
    if block.kind == "markdown":
        return _explanation(block, folder) if block.attributes.get("role") == "explain" else _text(block, folder, after)
    role = block.attributes.get("role", "")
    if role not in CODE_ROLES:
        raise CellError(f"role={role!r}; a code cell's role is one of {', '.join(CODE_ROLES)}")
    return _checked(block, folder, role) if role in ("check", "hidden") else _code(block, folder, role)


def _code(block: Block, folder: Folder, role: str) -> Cell:
    name = block.attributes.get("name", "")
    if "pull" in block.attributes:
        if block.source.strip():
            raise CellError("a fence that pulls is empty; move its text into the file it pulls from")
        pulled = folder.pull(block.attributes["pull"])
        file, symbols, source = pulled.file, pulled.symbols, pulled.text
        name = name or (symbols[0] if symbols else file.removesuffix(".py").rsplit("/", 1)[-1])
    elif role == "answer":
        raise CellError('an answer cell pulls the answer: pull="answer" or pull="answer.NAME …"')
    else:
        file, symbols, source = "lesson.md", (), block.source
    if not name:
        raise CellError('a cell with text of its own needs a name: name="…"')
    id = identifier(role, name)
    grade = None
    if role == "answer":
        grade = nbgrader(id.replace("-", "_"), solution=True)
    elif role == "setup":
        grade = nbgrader(id.replace("-", "_"), locked=True)
    reveals = block.attributes.get("reveals", "")
    return Cell(id, "code", role, name, source, file, symbols, grade, reveals=reveals, block=block)


def _checked(block: Block, folder: Folder, role: str) -> Cell:
    if "pull" not in block.attributes or block.source.strip():
        raise CellError(f'a {role} cell is an empty fence that pulls a check: pull="{role}s.NAME"')
    pulled = folder.pull(block.attributes["pull"])
    code = folder.code(pulled.file)
    found = [facts for symbol in pulled.symbols if (facts := check_facts(code.definitions[symbol]))]
    if len(found) != 1:
        raise CellError(f"one {role} cell holds one check, and this one pulls {len(found)}")
    check = found[0]
    if check.hidden != (role == "hidden"):
        stated = "hidden=True" if check.hidden else "no hidden=True"
        raise CellError(f"{check.name} has {stated}, so its cell's role is {'hidden' if check.hidden else 'check'!r}")
    source = f"{pulled.text}\n\n\n{check.call}"
    if check.hidden:
        token = canary(folder.lesson.slug, check.name)
        source = "\n".join([*_announcement(check), HIDDEN[0], f"# {token}", source, HIDDEN[1]])
    grade = nbgrader(check.name, grade=True, locked=True, points=check.points)
    id = identifier(role, check.name)
    return Cell(id, "code", role, check.name, source, pulled.file, pulled.symbols, grade, check=check, block=block)


def _announcement(check: CheckFacts) -> list[str]:
    """What a learner sees of a hidden check: that it exists, its points, and its story."""
    unit = "point" if check.points == 1 else "points"
    where = ", decided on a GPU" if check.needs_gpu else ""
    head = [f"# Hidden check, {plain(check.points)} {unit}{where}: your grader runs it.", f"# {check.call}"]
    return head + [f"# {line}".rstrip() for line in ["", *check.docstring.split("\n")]]


def _text(block: Block, folder: Folder, after: str) -> Cell:
    wrong = [key for key in block.attributes if key not in ("name", "pull", "reveals")]
    if wrong:
        raise CellError(
            f'{", ".join(wrong)} on a Markdown cell; only name, pull and role="explain" mean something there'
        )
    name = block.attributes.get("name") or block.heading or f"after-{after}"
    source, file, symbols = block.source, "lesson.md", ()
    if "pull" in block.attributes:
        part = block.attributes["pull"].removeprefix("card.")
        source = "\n\n".join(filter(None, [source.strip("\n"), card_text(folder, part)]))
        file, symbols = "__init__.py", (part,)
    id = identifier("text", re.sub(r"[`*$]", "", name).lower())
    reveals = block.attributes.get("reveals", "")
    return Cell(id, "markdown", "text", name, source, file, symbols, reveals=reveals, block=block)


def card_text(folder: Folder, part: str) -> str:
    """A field of the lesson's card as Markdown: its contract, its sessions, its hints, folded one by one, or the house
    rules that the judge reads its answers by."""
    lesson = folder.lesson
    if part == "rules":
        kept = rules.rules_text(lesson.imports, kernel=lesson.kind == "gpu", forbidden=lesson.forbids).strip("\n")
        return "\n\n".join(filter(None, [kept, tried_on(lesson)]))
    if part in ("contract", "sessions") and getattr(lesson, part):
        return getattr(lesson, part).strip("\n")
    if part == "hints":
        fold = "<details><summary>Hint {}</summary>\n\n{}\n\n</details>"
        return "\n\n".join(fold.format(n, hint.strip("\n")) for n, hint in enumerate(lesson.hints, 1))
    raise PullError(
        f'pull="card.{part}": the card lends contract, sessions, hints or rules, and this one must not be empty'
    )


def tried_on(lesson: Lesson) -> str:
    """What the lesson's checks have been tried on, in a sentence or two; "" for a lesson without mutants.

    The tests hold every mutant to the check it names, and every variant to passing, so the sentence is true where they are green.
    """
    wrong, right = mutants(lesson), variants(lesson)
    if not wrong:
        return ""
    late = sum("interpreter" not in mutant.dies_on and "cpu" not in mutant.dies_on for mutant in wrong)
    gpu = f" ({late} of them only where there is a GPU)" if late else ""
    return (
        f"The checks have been checked too. Of {len(wrong)} wrong answers written for this lesson they refuse every one{gpu}; "
        f"of {len(right) + 1} right ones, some of them unusual, they accept every one."
    )


def _explanation(block: Block, folder: Folder) -> Cell:
    name = block.attributes.get("name", "explanation")
    try:
        points = float(block.attributes.get("points", EXPLANATION_POINTS))
    except ValueError:
        raise CellError(f"points={block.attributes['points']!r} is no number") from None
    source, file = block.source, "lesson.md"
    if "pull" in block.attributes:
        file = block.attributes["pull"] + ".md"
        source = "\n".join([source.strip("\n"), "", SOLUTION[0], folder.text(file).strip("\n"), SOLUTION[1]])
    id = identifier("explain", name)
    grade = nbgrader(id.replace("-", "_"), grade=True, solution=True, points=int(points) if points % 1 == 0 else points)
    return Cell(id, "markdown", "explain", name, source, file, (), grade, block=block)
