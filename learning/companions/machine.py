"""What this machine can do for the course, which lesson to begin with, and how. Standard library only at module level."""

from __future__ import annotations

import sys

from learning import lesson as cards
from learning.companions.kept import lessons
from learning.sheet import Sheet, cell, table

STATES = {"ok": "", "note": "can wait", "wrong": "mend first"}
EVERYTHING = "Every lesson runs here, and every gate can be proved."
WITHOUT_A_GPU = (
    "Every lesson runs here. What needs a GPU waits and says so: gate 06, the timings, and so gates 07, 08, 09 and 10."
)
PYTHON_ALONE = "The CPU lesson (A1) runs here, with Python alone. The table says what the others lack."


def machine() -> Sheet:
    """Look at this machine: what is here, what is missing and how to get it, and which lessons run. Changes nothing.

    The rows are those of ``python -m learning.doctor``, which also runs our answer of one lesson.
    """
    from learning.doctor import facts, findings

    seen = facts.gather()
    rows = [[cell(row.what), cell(row.found), STATES[row.state], cell(row.remedy)] for row in findings.examine(seen)]
    if not findings.runs_kernels(seen):
        verdict = PYTHON_ALONE
    else:
        usable = seen.gpu is not None and seen.torch_cuda and seen.hidden is None and not seen.interpret
        verdict = EVERYTHING if usable else WITHOUT_A_GPU
    return Sheet(table(("what", "here", "", "remedy"), rows), f"**{verdict}**")


def levels() -> Sheet:
    """The lessons by level, with what each needs, its time and where you stand, so that you can pick one."""
    found = {one.card.slug: one for one in lessons()}
    parts = []
    for level in cards.LEVELS:
        here = [card for card in cards.discover(level) if card.slug in found]  # capstones have a page of their own
        rows = [
            [
                found[card.slug].link, cell(card.sentence.rstrip(".")), f"{card.minutes} min", cell(", ".join(card.needs)),
                str(found[card.slug].state).removeprefix("progress "),
            ]
            for card in here
        ]  # fmt: skip
        if rows:
            parts += [
                f"### {level.capitalize()}",
                table(("lesson", "what it is about", "time", "bring", "gates"), rows),
            ]
    return Sheet(*parts)


def begin_with(slug: str) -> Sheet:
    """How to open a lesson or a capstone here: the file, made from the release or the starter where it is not there yet, and the
    command that checks it.

    Raises ``UnknownLesson`` with near names.
    """
    from learning.workshops import console, work

    card = cards.find(slug)
    places = work.Places.default()
    try:
        made = work.lay_out(card, places, python=card.level == "capstone")
    except work.Unavailable as missing:
        return Sheet(cell(missing))
    suffix, origin = (".py", "starter") if card.level == "capstone" else (".ipynb", "release")
    target = places.folder(card) / f"{card.slug}{suffix}"
    flag = "" if card.kind == "cpu" else " --interpret"
    told = f"was made from the {origin}" if made else "is yours already, and was left as it is"
    return Sheet(
        f"{cell(places.shown(target))} {told}. Open it in JupyterLab or your editor.",
        f"In a terminal: `{console.command(card.slug + flag)}`"
        + (" (without `--interpret` where there is a GPU)" if flag else ""),
        ""
        if sys.platform == "linux" or card.kind == "cpu"
        else "Triton has no build for this system: use Colab for this one.",
    )
