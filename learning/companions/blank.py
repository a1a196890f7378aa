"""The blank page's companion: the ladder's next rung drawn, and the pages so far. Standard library only at module level."""

from __future__ import annotations

import datetime
from typing import Any

from learning.companions import kept, overview
from learning.gates import blank_record
from learning.sheet import Sheet, cell, table

STATES = {
    blank_record.DRAWN: "drawn", blank_record.TODO: "still empty", blank_record.FAILED: "not right yet", blank_record.PASSED: "passed",
}  # fmt: skip


def draw(name: Any = None, *, another: bool = False) -> Any:
    """Lay out a blank page of lesson ``name``, or of the ladder's next rung where that is None; ``...`` draws nothing. Who names
    one asks for it, due or not.

    ``another`` draws a new one though the last has not passed. Raises ``UnknownLesson`` with near names.
    """
    if name is ...:
        following = next_rung()
        return Sheet(
            f"Nothing is drawn yet. Next on the ladder: {following.link}."
            if following
            else "Every rung is done: name a lesson."
        )
    if name is None:
        following = next_rung()
        if following is None:
            return Sheet("Every kernel of the ladder is rewritten. Name a lesson to draw a page of it all the same.")
        name = following.card.slug
    from learning.gates.blank import blank_page

    return blank_page(name, now=True, another=another)


def next_rung() -> kept.Kept | None:
    """The first lesson of the ladder whose blank page has not passed; None where all have."""
    return next((one for one in overview.rungs() if not one.proved("blank_page")), None)


def _week(now: datetime.datetime | None = None) -> str:
    """How many pages were drawn and passed in the last seven days, in a sentence."""
    since = ((now or datetime.datetime.now(datetime.UTC)) - datetime.timedelta(days=7)).isoformat()
    recent = [
        record
        for one in kept.lessons()
        for record in one.records
        if record["event"] == "attempt" and record["time"] >= since
    ]
    passed = {(record["lesson"], record["payload"].get("page")) for record in recent if blank_record.right(record)}
    if passed:
        return f"In the last seven days: {len(passed)} passed. That is this week's."
    return "In the last seven days: none passed. This week's is still to come."


def attempts() -> Sheet:
    """Every blank page that was drawn: what it asks for, how often it was judged, and what became of it."""
    rows = [
        [
            one.link,
            str(page.number),
            cell(page.variation),
            STATES.get(page.state, cell(page.state)),
            str(page.tries),
            cell(page.where),
        ]
        for one in kept.lessons()
        for page in blank_record.pages(one.records, one.card.slug)
    ]
    if not rows:
        return Sheet("No page is drawn yet.")
    return Sheet(_week(), table(("lesson", "page", "asks for", "state", "judged", "where"), rows))
