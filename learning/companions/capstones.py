"""The capstones in a notebook: which there are and where you stand, a contract, our own entry with its evidence.

Standard library only at module level.
"""

from __future__ import annotations

from learning import lesson as cards
from learning.companions import CompanionError, kept
from learning.sheet import Sheet, cell, table

ABSENT = "There are no capstones here: they come with the course's repository, and not with the student kit. Clone it, and open this page there."


def capstones() -> Sheet:
    """Every capstone with what it is about, its time, what to bring, and the gates that your records prove."""
    found = [kept.one(card.slug) for card in cards.discover("capstone")]
    if not found:
        return Sheet(ABSENT)
    rows = [
        [
            cell(f"{one.card.id} {one.card.slug}"), cell(one.card.sentence.rstrip(".")), f"{one.card.minutes} min",
            cell(", ".join(one.card.needs)), str(one.state).removeprefix("progress "),
        ]
        for one in found
    ]  # fmt: skip
    return Sheet(table(("capstone", "what it is about", "time", "bring", "gates"), rows))


def contract(name: str) -> Sheet:
    """The contract of a capstone, by slug or id; raises ``CompanionError`` for a name that is none."""
    card = _card(name)
    return Sheet(ABSENT) if card is None else Sheet(f"### {card.id} {card.title}", card.contract)


def begin(name: str) -> Sheet:
    """Lay out a capstone's starter where it is not there yet, and say how to check it; raises ``CompanionError`` for a name that
    is none."""
    card = _card(name)
    if card is None:
        return Sheet(ABSENT)
    from learning.companions.machine import begin_with

    return begin_with(card.slug)


def demonstrate(name: str) -> Sheet:
    """Our own entry of a capstone, with its evidence: runs a planted fault and the tracer, which takes up to a minute or two.

    Raises ``CompanionError`` for a name that is none.
    """
    card = _card(name)
    if card is None:
        return Sheet(ABSENT)
    from learning.capstones import demonstration

    lines: list[str] = []
    demonstration.show(card, lines.append)
    text, open_fence = [], False
    for line in lines:
        head = line.startswith("--- ") and line.endswith(" ---")
        if head and open_fence:
            text.append("```\n")
        text.append(f"### {line[4:-4]}\n\n```text" if head else line)
        open_fence |= head
    return Sheet("\n".join([*text, "```"]))


def _card(name: str) -> cards.Lesson | None:
    """The card; None where there are no capstones at all."""
    found = cards.discover("capstone")
    if not found:
        return None
    wanted = name.strip().lower().replace("-", "_")
    for card in found:
        if wanted in (card.slug, card.id.lower()):
            return card
    raise CompanionError(f"there is no capstone {name!r}; there are {', '.join(card.slug for card in found)}")
