"""The glossary: terms, their plain meaning, and the lesson that first needs each. ``glossary.json`` holds them.

Standard library only.
"""

from __future__ import annotations

import functools
import json
import re
from dataclasses import dataclass
from pathlib import Path

from learning import lesson as cards
from learning.sheet import Sheet, cell

FILE = Path(__file__).with_name("glossary.json")
EMPHASIS = frozenset({
    "before", "one", "summed", "one kernel", "your kernel", "maximum", "g", "d", "the hypothesis", "the one variable",
})  # fmt: skip
"""Words that lessons print in bold for weight, in lower case; they are no terms."""


@dataclass(frozen=True)
class Term:
    """``term`` as lessons write it, ``meaning`` in plain words, ``first`` the lesson (slug) that first needs it, ``also`` other
    spellings of it."""

    term: str
    meaning: str
    first: str
    also: tuple[str, ...] = ()

    @property
    def anchor(self) -> str:
        """The heading's anchor on the glossary's page."""
        return re.sub(r"[^\w-]", "", self.term.lower().replace(" ", "-"))


@functools.cache
def terms() -> tuple[Term, ...]:
    """Every term in alphabetical order."""
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    found = [Term(one["term"], one["meaning"], one["first"], tuple(one.get("also", ()))) for one in kept]
    return tuple(sorted(found, key=lambda one: one.term.lower()))


def text() -> str:
    """The glossary in Markdown, a heading a term, as its notebook shows it."""
    parts = []
    for one in terms():
        card = cards.load(one.first) if one.first in cards.slugs() else None
        where = f"[{card.id} {cell(card.title)}](../release/{card.slug}/{card.slug}.ipynb)" if card else ""
        parts.append(f"### {one.term}\n\n{one.meaning}" + (f"\n\nFirst needed in {where}." if where else ""))
    return "\n\n".join(parts)


def look_up(word: str) -> Sheet:
    """Terms whose name or meaning holds ``word``."""
    wanted = word.strip().lower()
    found = [one for one in terms() if wanted in " ".join([one.term, *one.also]).lower()]
    found = found or [one for one in terms() if wanted in one.meaning.lower()]
    if not wanted or not found:
        return Sheet(f"The glossary has nothing on {cell(word)!s}.")
    return Sheet(*[f"**{one.term}**: {one.meaning} First needed in {_first(one)}." for one in found])


def _first(one: Term) -> str:
    try:
        return cards.load(one.first).id
    except LookupError:
        return one.first


def bold(slug: str) -> list[str]:
    """The terms that a lesson's text introduces in bold: a name of one to three words without a capital sentence around it."""
    page = (cards.LESSONS / slug / "lesson.md").read_text(encoding="utf-8")
    prose = re.sub(r"```.*?```", "", page, flags=re.DOTALL)
    found = re.findall(r"(?<!\*)\*\*([A-Za-z][\w -]*?)\*\*(?!\*)", prose)
    return [words for words in dict.fromkeys(found) if len(words.split()) <= 3]


def known(words: str) -> Term | None:
    """The term that ``words`` name, in any case, singular or plural; None where the glossary has none."""
    wanted = words.strip().lower()
    for one in terms():
        if wanted in {name.lower() + end for name in (one.term, *one.also) for end in ("", "s")}:
            return one
    return None
