"""The page a learner gets back: written from records, every character of it escaped.

Of a hidden check it tells the name, the points, the call's shapes and dtypes and the error, never its text, its values
or its seed. Nothing in it runs: no scripts, no images from elsewhere, no styles but its own.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable
from pathlib import Path

from nbconvert.exporters import HTMLExporter
from nbgrader.converters import GenerateFeedback
from nbgrader.converters.base import BaseConverter

from learning.grading import report, save
from learning.grading.outcome import FAILED, PENDING, Outcome
from learning.judge.finding import BROKEN, PASSED, WAITING, CheckResult
from learning.judge.finding import FAILED as WRONG
from learning.judge.score import plain

WORDS = {PASSED: "passed", WRONG: "not yet", WAITING: "waits for a GPU", BROKEN: "failed to grade"}
FLOAT = re.compile(r"(?<![\w.])[-+]?(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][-+]?\d+)?(?![\w.])")
LONG = 160
STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid #8886}
pre{white-space:pre-wrap;overflow-wrap:anywhere;padding:.6rem;border:1px solid #8886;font-size:.9rem}
.points{white-space:nowrap}caption{text-align:left;font-weight:600;padding:.3rem 0}
"""


def page(saved: save.Saved | None, points: report.Points, comments: dict[str, str], by_hand: dict[str, str]) -> str:
    """The feedback page as HTML.

    ``comments`` maps a cell's name to what a grader or nbgrader wrote on it, ``by_hand`` the name of a cell that is
    graded by hand to its points as text.
    """
    outcome = saved.outcome if saved else Outcome(PENDING)
    title = f"Feedback: {outcome.lesson.replace('_', ' ') or 'submission'}"
    body = [f"<h1>{_e(title)}</h1>", f"<p><strong>{_e(points.sentence())}</strong></p>"]
    if points.penalty:
        body.append(f"<p>Late: {_e(plain(points.penalty))} points are taken off.</p>")
    if points.state == PENDING:
        body.append("<p>This submission is being graded again; what follows may change.</p>")
    if outcome.state == FAILED:
        body.append(f"<p>Failed to grade: {_e(outcome.cause)}</p>")
    if outcome.graded is not None and outcome.graded.todo:
        body.append("<p>The answer is still the released starter.</p>")
    body += _checks(outcome)
    body += _list("What was mended or odd", outcome.notes)
    if outcome.graded is not None:
        body += _list("Cells of yours that raised", [fault.sentence() for fault in outcome.graded.faults])
        body += _list("Lines of yours that were not run", outcome.graded.dropped)
    for name, score in by_hand.items():
        body.append(f"<h2>Your {_e(_subject(name))}</h2><p>{_e(score)}</p>")
    for name, text in comments.items():
        body.append(f"<h2>Comment on your {_e(_subject(name))}</h2><pre>{_e(text)}</pre>")
    mine = [cell for cell in outcome.cells if cell.source.strip() and cell.type in ("code", "markdown")]
    if mine:
        body.append("<h2>Your cells as they were graded</h2>")
        body += [f"<pre>{_e(cell.source[:20000])}</pre>" for cell in mine[:60]]
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_e(title)}</title><style>{STYLE}</style></head>\n<body>\n" + "\n".join(body) + "\n</body></html>\n"
    )


def _subject(grade_id: str) -> str:
    """What a hand-graded cell is called for its author: "explanation" for ``explain_explanation``."""
    return grade_id.removeprefix("explain_").replace("_", " ")


def _e(text: object) -> str:
    return html.escape(str(text), quote=True)


def _list(title: str, rows: Iterable[str]) -> list[str]:
    items = "".join(f"<li>{_e(row)}</li>" for row in list(rows)[:40])
    return [f"<h2>{_e(title)}</h2><ul>{items}</ul>"] if items else []


def _checks(outcome: Outcome) -> list[str]:
    if not outcome.results:
        return []
    rows = ["<h2>Checks</h2><table><tr><th>check</th><th>result</th><th>points</th><th>why</th></tr>"]
    for result in outcome.results.values():
        why = "<br>".join(_e(line) for line in reasons(result))
        kind = " (hidden)" if result.hidden else ""
        rows.append(
            f"<tr><td>{_e(result.title)}{kind}</td><td>{_e(WORDS[result.state])}</td>"
            f'<td class="points">{_e(plain(result.earned))} of {_e(plain(result.points))}</td><td>{why}</td></tr>'
        )
    return [*rows, "</table>"]


def reasons(result: CheckResult) -> list[str]:
    """Why a check did not pass, as lines its author may read: for a hidden check without values and seeds."""
    finding = result.finding
    if result.state == BROKEN:
        return ["the grader failed here, not you; it is being looked at"]
    lines = []
    if finding is not None and finding.rule == "todo":
        return [finding.advice]
    if finding is not None:
        fault = finding.fault.sentence() if finding.fault else ""
        rows = [("called", finding.called), ("raised", fault), ("rule", "" if fault else finding.rule)]
        if not result.hidden:
            rows += [
                ("got", finding.got if not fault else ""),
                ("expected", finding.expected),
                ("where", finding.where),
            ]
            if finding.seed is not None:
                rows.append(("replay", f"case {finding.case!r}, seed {finding.seed}"))
        rows.append(("advice", finding.advice))
        for name, text in rows:
            if text:
                lines.append(f"{name}: {veiled(text) if result.hidden else text}")
        if finding.trap is not None:
            from learning.ledger import reference

            lines.append(f"read: {reference(finding.trap)}")
    return lines + [f"skipped: {text}" for text in result.skipped]


def veiled(text: str) -> str:
    """``text`` on one line, short, with its fractions hidden: a learner's exception cannot print a hidden input."""
    line = FLOAT.sub("#", " ".join(text.split()))
    return line if len(line) <= LONG else line[: LONG - 1] + "…"


class CourseFeedback(GenerateFeedback):
    """nbgrader's ``GenerateFeedback`` that copies nothing beside the page; made by ``FeedbackExporter``."""

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        Path(self._format_dest(assignment_id, student_id)).mkdir(parents=True, exist_ok=True)


class FeedbackExporter(HTMLExporter):
    """Writes the page from the gradebook's records; the autograded notebook only says whose and which."""

    def __init__(self, **options):
        super().__init__(**options)
        if isinstance(self.parent, BaseConverter) and type(self.parent) is GenerateFeedback:
            self.parent.__class__ = CourseFeedback
            self.parent.force = True

    def from_filename(self, filename, resources=None, **options):
        """Return the page for the submission that ``resources`` names, and the resources."""
        named = resources["nbgrader"]
        resources["output_extension"] = ".html"
        with save.opened(named["db_url"], self.parent.coursedir.course_id) as gradebook:
            saved = save.load(gradebook, named["assignment"], named["student"])
            (points,) = report.points_of(gradebook, named["assignment"], named["student"])
            comments, by_hand = _written(gradebook, named, saved)
        return page(saved, points, comments, by_hand), resources


def _written(gradebook, named: dict, saved: save.Saved | None) -> tuple[dict[str, str], dict[str, str]]:
    notebook = gradebook.find_submission_notebook(named["notebook"], named["assignment"], named["student"])
    comments = {comment.name: comment.comment for comment in notebook.comments if comment.comment}
    answered = saved.outcome.answered if saved else {}
    by_hand = {}
    for grade in notebook.grades:
        if grade.name in answered or grade.manual_score is not None:
            scored = grade.manual_score is not None or grade.auto_score is not None
            by_hand[grade.name] = (
                f"{plain(grade.score)} of {plain(grade.max_score)} points"
                if scored
                else f"not graded yet, {plain(grade.max_score)} points"
            )
    return comments, by_hand
