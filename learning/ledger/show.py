"""The ledger in a notebook: ``trap(3)`` shows what the runs showed and whom it concerns, ``trap(3, run=True)`` runs it here.

Standard library only at module level.
"""

from __future__ import annotations

from learning import sheet
from learning.ledger import page, table
from learning.ledger.exhibit import WHERE, Shown
from learning.ledger.traps import TRAPS, find
from learning.sheet import Sheet


def trap(number: int, *, run: bool = False) -> Sheet:
    """What is known of a trap: where it bites by the recorded runs, and the lessons, checks and wrong answers it concerns now.

    ``run`` runs its exhibit on this machine first, in processes of their own (some seconds), and says where the outcome is not
    the recorded one. Raises ``learning.ledger.UnknownTrap`` for a number that is none.
    """
    found = find(number)
    head = f"**{page.heading(found)}.** Bites: {table.verdict(number)}."
    return Sheet(head, *(_here(number) if run else []), page.concerns(number))


def ledger() -> Sheet:
    """All twenty traps in a table: where each bites by the recorded runs."""
    rows = [(str(one.number), sheet.cell(one.title), table.verdict(one.number)) for one in TRAPS]
    return Sheet(sheet.table(("trap", "title", "bites"), rows))


def _here(number: int) -> list[str]:
    """Run a trap's exhibit here and tell what each case showed, in Markdown."""
    from learning.ledger.run import RunFailed, run

    try:
        found = run([number])
    except RunFailed as failed:
        return [f"Not run here: {sheet.cell(failed)}."]
    rows = []
    for line in table.lines(number, table.EMPTY):
        shown = Shown(**found["rows"][table.key(number, line.case, line.mode)])
        rows.append(
            [sheet.cell(words) for words in (line.claim, WHERE[line.mode], shown.state, shown.wrong, shown.right)]
        )
    versions = found["environment"]
    card = f", on {versions['card']}" if versions["card"] else ""
    told = [
        f"Run here, Triton {versions['triton']} with numpy {versions['numpy']}{card}:",
        sheet.table(("claim", "where", "here", "the wrong way gave", "the right way"), rows),
    ]
    changed = [] if versions["card"] else table.differences(table.read(), found)
    return [*told, "\n".join(f"- not as recorded: {sheet.cell(line)}" for line in changed)]
