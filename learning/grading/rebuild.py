"""The notebook that graders see: the instructor's own, with the learner's cells in it and outputs written by us."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.preprocessors import ClearOutput, ClearSolutions, ComputeChecksums, LockCells
from traitlets.config import Config

from learning.grading.markdown import fenced, shown
from learning.grading.outcome import FAILED, Outcome, Placed
from learning.grading.store import sha
from learning.judge.finding import BROKEN, WAITING, CheckResult
from learning.judge.score import plain, report_lines

NOTICE = "grading-notice"


@dataclass
class Instructor:
    """One version of the instructor's notebook.

    ``path`` is the notebook with its answers; ``release`` the same without answers and outputs, locked and with
    checksums, as nbgrader would write it (hidden tests included); ``hash`` is that of the file's text.
    """

    path: Path
    lesson: str
    version: int
    hash: str
    release: NotebookNode
    grades: dict[str, tuple[float, str]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path, config: Config | None = None) -> Instructor:
        """Read the notebook at ``path``; raises ``ValueError`` naming the file where it is no instructor notebook."""
        text = path.read_text(encoding="utf-8")
        try:
            notebook = nbformat.reads(text, as_version=4)
        except Exception as error:
            raise ValueError(f"{path} is not a notebook ({error}); rebuild it with: make build") from error
        learning = notebook.metadata.get("learning", {})
        if not learning.get("lesson"):
            raise ValueError(f"{path} does not say its lesson (metadata learning.lesson); rebuild it with: make build")
        release = without_answers(notebook, config)
        grades = {
            cell.metadata.nbgrader.grade_id: (float(cell.metadata.nbgrader.points), cell.cell_type)
            for cell in release.cells
            if utils.is_grade(cell) or utils.is_task(cell)
        }
        return cls(path, learning["lesson"], int(learning.get("version", 1)), sha(text), release, grades)


def without_answers(notebook: NotebookNode, config: Config | None = None) -> NotebookNode:
    """What nbgrader makes of an instructor's notebook, in memory: locked, no solutions, no outputs, checksums."""
    node, resources = copy.deepcopy(notebook), {"nbgrader": {}}
    for preprocessor in (LockCells, ClearSolutions, ClearOutput, ComputeChecksums):
        node, resources = preprocessor(config=config).preprocess(node, resources)
    node.metadata.pop("widgets", None)
    return node


def rebuild(instructor: Instructor, outcome: Outcome) -> NotebookNode:
    """The release with the learner's cells of ``outcome`` in it, without outputs."""
    node = copy.deepcopy(instructor.release)
    added: dict[int, list[Placed]] = {}
    for placed in outcome.cells:
        if placed.added:
            added.setdefault(placed.slot, []).append(placed)
        elif placed.slot < len(node.cells):
            cell = node.cells[placed.slot]
            cell.source = placed.source if cell.cell_type == "code" else shown(placed.source, placed.attachments)
            if placed.attachments and cell.cell_type == "markdown":
                cell.attachments = nbformat.from_dict(placed.attachments)
    cells, number = [], 0
    for index in range(-1, len(node.cells)):
        if index >= 0:
            cells.append(node.cells[index])
        for placed in added.get(index, []):
            number += 1
            cells.append(_added(placed, number))
    notice = _notice(outcome)
    if notice is not None:
        cells.insert(0, notice)
    node.cells = cells
    return node


def _added(placed: Placed, number: int) -> NotebookNode:
    if placed.type == "code":
        cell = nbformat.v4.new_code_cell(placed.source)
    elif placed.type == "markdown":
        cell = nbformat.v4.new_markdown_cell(shown(placed.source, placed.attachments))
    else:  # nbconvert would put a raw cell's text into the page as it is
        cell = nbformat.v4.new_markdown_cell(fenced(placed.source, "it was a raw cell"))
    if placed.attachments and placed.type == "markdown":
        cell.attachments = nbformat.from_dict(placed.attachments)
    cell.id = f"added-{number}"
    return cell


def _notice(outcome: Outcome) -> NotebookNode | None:
    lines = []
    if outcome.failed_to_grade:
        lines += [f"**Failed to grade.** {escape(outcome.failed_to_grade)}", ""]
    if outcome.graded is not None and outcome.graded.todo:
        lines += ["**Not answered.** The answer is still the released starter.", ""]
    faults = [fault.sentence() for fault in outcome.graded.faults] if outcome.graded else []
    dropped = outcome.graded.dropped if outcome.graded else []
    for title, rows in (("Notes", outcome.notes), ("Cells that raised", faults), ("Left out", dropped)):
        if rows:
            lines += [f"**{title}**", "", *(f"- {escape(row)}" for row in rows[:40]), ""]
    if not lines:
        return None
    cell = nbformat.v4.new_markdown_cell("\n".join(lines).strip())
    cell.id = NOTICE
    return cell


def escape(text: str) -> str:
    """``text`` as one line of Markdown that shows as it is: no markup, no HTML, no formulas."""
    line = " ".join(str(text).split())
    return "".join(
        "\\" + c if c in "\\`*_{}[]()#+-!|~$^" else {"<": "&lt;", ">": "&gt;", "&": "&amp;"}.get(c, c) for c in line
    )


def fill_outputs(node: NotebookNode, outcome: Outcome) -> NotebookNode:
    """Write each check's report and its points into its cell, in place; no other cell has outputs.

    Every grade cell gets text on stdout and exactly one result that is a plain decimal, the only form nbgrader's own
    scoring reads rightly; a check without a verdict shows 0 and says that it is none.
    """
    count = 0
    for cell in node.cells:
        if cell.cell_type != "code":
            continue
        cell.outputs, cell.execution_count = [], None
        if not utils.is_grade(cell) or utils.is_solution(cell):
            continue
        count += 1
        text, score = _report(outcome.results.get(cell.metadata.nbgrader.grade_id), outcome)
        points = float(cell.metadata.nbgrader.points)
        cell.execution_count = count
        said = {"output_type": "stream", "name": "stdout", "text": text + "\n"}
        number = {"text/plain": plain(min(max(score, 0.0), points))}
        result = {"output_type": "execute_result", "data": number, "execution_count": count, "metadata": {}}
        cell.outputs = [nbformat.from_dict(said), nbformat.from_dict(result)]
    return node


def _report(result: CheckResult | None, outcome: Outcome) -> tuple[str, float]:
    if result is None:
        why = outcome.cause if outcome.state == FAILED else "this check gave no result"
        return f"failed to grade: {why}\nno verdict: the 0 below is not a score", 0.0
    lines = report_lines(result)
    if result.state in (WAITING, BROKEN):
        return "\n".join([*lines, "no verdict: the 0 below is not a score"]), 0.0
    where = f"  {'device':<9}{result.device}, {result.cases} cases, {result.seconds:.2f} s"
    return "\n".join([*lines, where]), result.earned


def as_text(node: NotebookNode) -> str:
    """``node`` as the text of a notebook file: sorted keys, one space of indent."""
    return json.dumps(node, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
