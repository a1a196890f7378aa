"""What a check's cell shows: a number nbgrader can read, and a report a person can.

Standard library only.
"""

from __future__ import annotations

import html

from learning.judge.finding import BROKEN, FAILED, PASSED, WAITING, CheckResult

PASSED_EDGE = "#2da44e"
"""A green that stands out from a white page (3.3 : 1) and from a dark one; the words say the same without it."""
_WORDS = {PASSED: "passed", FAILED: "not yet", WAITING: "waits for a GPU", BROKEN: "failed to grade"}


def plain(number: float) -> str:
    """A bare decimal without exponent or trailing zeros: the only form nbgrader's scoring reads rightly."""
    text = f"{number:.4f}".rstrip("0").rstrip(".")
    return text or "0"


class Score(float):
    """Points earned, as a float whose ``repr`` is a bare decimal and whose HTML form is the report."""

    result: CheckResult

    def __new__(cls, result: CheckResult) -> Score:
        self = super().__new__(cls, result.earned)
        self.result = result
        return self

    def __repr__(self) -> str:
        return plain(float(self))

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return report_html([self.result])


def report_lines(result: CheckResult) -> list[str]:
    """The report of one check as lines of plain text; the first names check, state and points."""
    lines = [f"{_WORDS[result.state]}: {result.title} ({plain(result.earned)} of {plain(result.points)})"]
    finding = result.finding
    if finding is not None:
        rows = [
            ("called", finding.called),
            ("got", finding.fault.sentence() if finding.fault else finding.got),
            ("expected", finding.expected),
            ("where", finding.where),
            ("advice", finding.advice),
        ]
        lines += [f"  {name:<9}{text}" for name, text in rows if text]
        if finding.trap is not None:
            from learning.ledger import reference

            lines.append(f"  {'read':<9}{reference(finding.trap)}")
        if finding.seed is not None and not result.hidden:
            case = f"case {finding.case!r}, " if finding.case else ""
            lines.append(f"  {'replay':<9}{case}seed {finding.seed}")
    lines += [f"  {'skipped':<9}{text}" for text in result.skipped]
    lines += [f"  {'note':<9}{text}" for text in result.notes]
    return lines


def report_html(results: list[CheckResult]) -> str:
    """The same report as escaped HTML that follows a notebook's light or dark colours."""
    blocks = []
    for result in results:
        head, *rest = report_lines(result)
        mark = {PASSED: "✓", FAILED: "✗", WAITING: "…", BROKEN: "!"}[result.state]
        body = "".join(f"<div>{html.escape(line.strip())}</div>" for line in rest)
        edge = PASSED_EDGE if result.state == PASSED else "currentColor"
        blocks.append(
            f'<div style="border-left:3px solid {edge};padding:.3em .8em;margin:.3em 0">'
            f"<strong>{mark} {html.escape(head)}</strong>"
            f'<div style="font-family:monospace;white-space:pre-wrap">{body}</div></div>'
        )
    return "".join(blocks)
