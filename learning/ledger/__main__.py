"""``python -m learning.ledger [N]``: print the ledger, or one trap. Exit status 0, 3 for an unknown number, 64 for a
usage error."""

from __future__ import annotations

import sys
import textwrap

from learning.ledger import TRAPS, Trap, UnknownTrap, find, links, table
from learning.workshops import console


def lines(trap: Trap) -> list[str]:
    """One trap as lines of plain text."""
    where = [f"    Where: {trap.where}."] if trap.where else []
    body = textwrap.wrap(trap.fact, 100, initial_indent="    ", subsequent_indent="    ")
    return [
        f"{trap.number:>2}  {trap.title}",
        *body,
        f"    Bites, by the recorded runs: {table.verdict(trap.number)}.",
        *where,
    ]


def concerned(trap: Trap) -> list[str]:
    """The lessons a trap concerns, with how many of their wrong answers fell into it, and how to see it."""
    told = [
        f"    {found.lesson.id} {found.lesson.title}: {len(found.checks)} checks point here, {len(found.mutants)} wrong answers"
        for found in links.concerned(trap.number)
    ]
    return [*told, f"    See it happen: {console.command(str(trap.number), module='learning.ledger.run')}"]


def main(arguments: list[str] | None = None) -> int:
    """Print what was asked for and return the exit status."""
    console.prepare()
    arguments = sys.argv[1:] if arguments is None else arguments
    if len(arguments) > 1 or (arguments and not arguments[0].isdecimal()):
        console.complain("usage: python -m learning.ledger [N]     N is a trap's number")
        return 64
    try:
        traps = [find(int(arguments[0]))] if arguments else TRAPS
    except UnknownTrap as unknown:
        console.complain(str(unknown))
        return 3
    for trap in traps:
        for line in [*lines(trap), *(concerned(trap) if arguments else [])]:
            console.say(line)
    return 0


if __name__ == "__main__":
    console.run(main)
