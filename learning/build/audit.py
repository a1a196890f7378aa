"""Whether a release may be given to learners: nothing ours in it, nothing of theirs missing, and it grades as it should."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

from learning.build import course as courses
from learning.build.finding import Complaint
from learning.build.lint import files, leaks
from learning.build.markers import KINDS, visible
from learning.build.notebook import Assembly
from learning.judge.cells import is_todo, role_of, starter_of, text_of
from learning.lesson import Lesson

LOCKED = ("bootstrap", "setup", "check", "hidden")
CANARY = re.compile(r"canary-[0-9a-f]{24}")


def audit(made: Assembly, source: str, release: str, root: Path = courses.ROOT) -> list[Complaint]:
    """Every complaint about the text of a release, given the cells and the source notebook it was made from."""
    slug = made.folder.lesson.slug
    file = f"release/{slug}/{slug}.ipynb"
    ours, theirs = json.loads(source), json.loads(release)
    told = [c["id"] for c in ours["cells"]]
    if told != [c.get("id") for c in theirs["cells"]]:
        return [Complaint("audit", file, "cells", "has other cells than its source, or in another order", "report it")]
    stubs = _stubs(root)
    complaints = [Complaint("audit", file, "text", text, "report it") for text in _telltales(release)]
    secrets = leaks.secrets(made.cells)
    for before, after in zip(ours["cells"], theirs["cells"], strict=True):
        own = [line for secret in secrets if secret.cell == after["id"] for line in secret.lines]
        for message in [*_contents(before, after, own, stubs), *_state(after)]:
            complaints.append(Complaint("audit", file, after["id"], message, "report it"))
    return complaints + _metadata(theirs, made.folder.lesson, file)


def _telltales(release: str) -> list[str]:
    found = [f"holds the token {token} of a hidden check" for token in sorted(set(CANARY.findall(release)))]
    markers = [f"{word} {kind}" for word in ("BEGIN", "END") for kind in KINDS]
    return found + [f"holds the marker {marker}" for marker in markers if marker in release]


def _stubs(root: Path) -> dict[str, str]:
    config = courses.config(root).ClearSolutions
    return {"code": config.code_stub["python"], "markdown": config.text_stub}


def _contents(before: dict, after: dict, hidden: list[str], stubs: dict[str, str]) -> list[str]:
    """What a cell holds that its source does not show, and whether an answer cell is an untouched starter.

    ``hidden`` are the distinctive lines of the cell's own hidden regions.
    """
    kind, text = after["cell_type"], text_of(after)
    allowed = {line.strip() for line in f"{visible(text_of(before))}\n{stubs.get(kind, '')}".split("\n")}
    messages = [f"has a line its source hides: {line!r}" for line in text.split("\n") if line.strip() not in allowed]
    body = "\n".join(leaks.plain(line) for line in text.split("\n"))
    messages += [f"shows a line of our answer or of a hidden check: {line!r}" for line in hidden if line in body]
    if role_of(after) == "answer":
        if not is_todo(text, starter_of(text_of(before), stubs["code"].split("\n")[-1])):
            messages.append("is an answer cell that is not the untouched starter")
        try:
            ast.parse(text)
        except SyntaxError as error:
            messages.append(f"is a starter that is not Python: line {error.lineno}: {error.msg}")
    return messages


def _state(cell: dict) -> list[str]:
    """Outputs, locks and checksums of one released cell."""
    from nbformat import from_dict
    from nbgrader.utils import compute_checksum

    messages = []
    if cell.get("outputs") or cell.get("execution_count") is not None:
        messages.append("has outputs")
    metadata, role = cell["metadata"], role_of(cell)
    told = metadata.get("nbgrader", {})
    if role in LOCKED and (metadata.get("editable", True) or metadata.get("deletable", True) or not told.get("locked")):
        messages.append(f"is a {role} cell that can be edited or deleted")
    if role in ("answer", "explain") and (metadata.get("deletable", True) or not metadata.get("editable", True)):
        messages.append(f"is a {role} cell that can be deleted, or cannot be edited")
    if told and told.get("checksum") != compute_checksum(from_dict(cell | {"source": text_of(cell)})):
        messages.append("has no checksum, or a wrong one")
    if role in ("answer", "explain", *LOCKED) and not told:
        messages.append(f"is a {role} cell nbgrader knows nothing of")
    return messages


def _metadata(book: dict, lesson: Lesson, file: str) -> list[Complaint]:
    told = book["metadata"].get("learning", {})
    messages = []
    if (told.get("lesson"), told.get("version")) != (lesson.slug, lesson.version):
        messages.append(f"says it is {told.get('lesson')} version {told.get('version')}")
    if book["metadata"].get("kernelspec", {}).get("name") != "python3":
        messages.append("asks for another kernel than python3")
    if "widgets" in book["metadata"]:
        messages.append("carries widget state")
    return [Complaint("audit", file, "metadata", message, "report it") for message in messages]


def strays(slug: str, root: Path = courses.ROOT) -> list[Complaint]:
    """Files in ``release/<slug>/`` other than its notebook."""
    return files.strays(root / "release" / slug, slug)


def graded(lesson: Lesson, source: str, release: str, servers=None, root: Path = courses.ROOT) -> list[Complaint]:
    """Whether the judge passes our answer, takes the starter for a TODO, and gives an empty answer nothing.

    The empty answer is the starter with ``pass`` where the stub stood: the judge runs it, check by check, where a TODO
    would be turned away unrun. ``servers`` keeps the judge's warm servers between lessons.
    """
    from learning.judge.engine import grade
    from learning.judge.finding import BROKEN, PASSED, WAITING
    from learning.judge.match import learner_cells

    ours, theirs = json.loads(source), json.loads(release)
    file = f"{lesson.slug}/answer.py"
    complaints = []

    def complain(rule: str, name: str, message: str, remedy: str) -> None:
        complaints.append(Complaint(rule, file, name, message, remedy))

    solved = grade(lesson, learner_cells(ours, ours), notebook=ours, servers=servers)
    if not solved.results:
        complain("answer", "checks", "no check ran on our answer", "see that lesson.md pulls some")
    for result in solved.results:
        why = result.finding.sentence() if result.finding else result.state
        if result.state == BROKEN:
            complain("judge", result.check, f"the judge failed on our answer: {why}", "mend the check, or report it")
        elif result.state not in (PASSED, WAITING):
            complain("answer", result.check, f"our answer fails: {why}", "mend the answer or the check")
    if not grade(lesson, learner_cells(theirs, ours), notebook=ours, servers=servers).todo:
        complain("todo", "starter", "the judge does not take the starter for a TODO", "report it")
    empty = _emptied(theirs, _stubs(root)["code"].split("\n")[-1])
    for result in grade(lesson, learner_cells(empty, ours), notebook=ours, servers=servers).results:
        if result.earned > 0:
            complain("unsolved", result.check, "an empty answer earns points", "make the check need the answer")
        elif result.state == BROKEN:
            why = result.finding.sentence() if result.finding else ""
            complain(
                "judge", result.check, f"the judge failed on an empty answer: {why}", "mend the check, or report it"
            )
    return complaints


def _emptied(book: dict, stub: str) -> dict:
    """The release with ``pass`` for each stub of its answer cells."""
    cells = []
    for cell in book["cells"]:
        if role_of(cell) == "answer":
            lines = text_of(cell).split("\n")
            cell = cell | {"source": "\n".join(re.sub(r"\S.*", "pass", x) if x.strip() == stub else x for x in lines)}
        cells.append(cell)
    return book | {"cells": cells}
