"""Before a lesson's first launch: which gates a check run would close, what to do first, and a script to predict with.

Predictions count where they were locked before the first launch, and a check that passes is one
(``learning.gates.scoring``). So a run that would be the first, with nothing locked, says so before it runs anything. Standard
library only.
"""

from __future__ import annotations

import ast
import sys

from learning import course
from learning.gates import records, scoring
from learning.lesson import GATES, Lesson
from learning.workshops.console import command, say

PREDICTED = ("grid", "tile", "masks", "bound", "compare")
"""Gates that a prediction before the first launch proves, and nothing else does."""
SCRIPT = course.PREDICTING


def closing(lesson: Lesson, kept: list[dict]) -> list[str]:
    """The gates ("02 grid") that no record can prove any more once a check has passed, given the records ``kept``; none where
    a prediction is locked, where the kernel has run already, and in a lesson whose predictions prove no gate."""
    own = [record for record in kept if record.get("lesson") == lesson.slug]
    locked, late = scoring.predictions(own)
    if locked is not None or late or any(map(scoring.launched, own)) or lesson.level == "capstone":
        return []
    return [f"{number:02} {gate}" for number, gate in enumerate(GATES, 1) if gate in PREDICTED and gate in lesson.gates]


def agreed(lesson: Lesson, notebook: str, log: records.Records, again: str) -> bool:
    """Whether a check may run now. Where it would close gates the learner is told which and how to predict first; a terminal
    asks, and anything else is a no until ``--anyway`` is given.

    ``notebook`` is the lesson's notebook as a learner would type it, ``again`` the arguments to run the same check.
    """
    gates = closing(lesson, log.records)
    if not gates:
        return True
    what = "functions" if lesson.kind == "cpu" else "kernel"
    say()
    say(
        f"  Nothing was run yet. You have locked no prediction, and one counts only before your {what} first passes a check."
    )
    say(f"  A run now would close for good: {', '.join(f'gate {gate}' for gate in gates)}.")
    say(f'  To predict first: open {notebook}, run its first cell, then the cell under "What do you predict?"')
    say(
        f"  with your numbers. Without Jupyter: {command(lesson.slug + ' --py')} lays out {SCRIPT}; fill it in, run it."
    )
    say("  A wrong prediction proves its gate as a right one does. Points do not depend on it.")
    if sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty():
        try:
            return input("  Check without a prediction? [y/N] ").strip().lower() in ("y", "yes")
        except EOFError:
            return False
    say(f"  To check without one: {command(f'{again} --anyway')}")
    return False


def script(lesson: Lesson, notebook: dict) -> str:
    """The lesson's prediction as a ``.py``: the text above the cell as a comment, and the cell, which prints what it locks.
    "" where the notebook has no such cell."""
    cells = notebook["cells"]
    where = next((n for n, cell in enumerate(cells) if cell.get("id") == "show-prediction"), 0)
    source = course.text(cells[where]) if where else ""
    call = ast.parse(source).body[-1] if source else None
    if not isinstance(call, ast.Expr):
        return ""
    lines = source.splitlines()
    before, said = lines[: call.lineno - 1], lines[call.lineno - 1 : call.end_lineno]
    said[0], said[-1] = f"print({said[0]}", f"{said[-1]})"
    told = course.text(cells[where - 1]) if cells[where - 1].get("cell_type") == "markdown" else ""
    head = [
        f"{lesson.id} {lesson.title}: your prediction. Run it with: python {SCRIPT}",
        "",
        *told.splitlines(),
        "",
        f"When {lesson.slug}.py passes, replace the last call by print(predictions.compare()), then explain each miss with",
        'print(predictions.because(FIELD="why")).',
    ]
    return "\n".join(
        [
            *(f"# {line}".rstrip() for line in head),
            "import math",
            "import sys",
            "from pathlib import Path",
            "",
            "above = [p for p in Path(__file__).resolve().parents if (p / 'learning' / 'lesson.py').is_file()]",
            "sys.path[:0] = map(str, above[:1])",
            "import learning.session",
            "from learning.gates import predictions",
            "",
            f'learning.session.begin("{lesson.slug}")',
            *before,
            *said,
            "",
        ]
    )
