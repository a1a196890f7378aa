"""The checklist as data, and its static forms: text, Markdown and HTML. Standard library only.

What the widget shows, what GitHub, nbconvert and feedback show, and what a terminal prints are all made of the one
dictionary that ``view`` gives.
"""

from __future__ import annotations

import hashlib
import html
import time
from typing import Any

from learning.gates import records, told
from learning.gates.gate import CLAIMED, NONE, Progress
from learning.gates.progress import progress
from learning.lesson import Lesson
from learning.unseen import spelt_out


def of(session: Any) -> dict[str, Any]:
    """What an open notebook's checklist shows now, by the records that lie in its folder at this moment."""
    kept = session.kept()
    return view(session.lesson, progress(session.lesson, kept.records), kept, session.log, session.why)


def view(lesson: Lesson, state: Progress, kept: records.Records, log: Any, why: str) -> dict[str, Any]:
    """Plain JSON of a lesson's gates.

    {"lesson", "slug", "place": which log it is, in a browser's memory, "progress", "gates": [{"number", "id", "name",
    "state", "why", "proof", "how", "ticked", "tick"}], "ahead": the gate to take next or None, "notes": what is wrong with
    the log in sentences, "unsaved": why ticks are not kept here, "" where they are, "time": seconds since 1970}.
    """
    gates = [
        {"number": gate.number, "id": gate.id, "name": gate.name, "state": gate.state, "why": spelt_out(gate.why),
         "proof": gate.proof, "how": gate.how, "ticked": gate.claimed, "tick": gate.tick}
        for gate in state.gates
    ]  # fmt: skip
    ahead = state.ahead
    return {
        "lesson": f"{lesson.id} {lesson.title}",
        "slug": lesson.slug,
        "place": hashlib.sha256(str(log).encode()).hexdigest()[:12],
        "progress": str(state),
        "gates": gates,
        "ahead": gates[ahead.number - 1] if ahead is not None else None,
        "notes": [spelt_out(note) for note in told.notes(kept)],
        "unsaved": spelt_out(why) if log is None else "",
        "time": time.time(),
    }


def text(shown: dict[str, Any]) -> str:
    """For a terminal: a line a gate, then the notes and the next step."""
    width = max(len(gate["name"]) for gate in shown["gates"])
    lines = [f"{shown['lesson']}: {shown['progress']}"]
    lines += [f"  {gate['number']:02}  {gate['name']:<{width}}  {said(gate)}" for gate in shown["gates"]]
    return "\n".join([*lines, *remarks(shown)])


def markdown(shown: dict[str, Any]) -> str:
    """A table of the gates, then the notes and the next step."""
    rows = [f"| {gate['number']:02} | {_cell(gate['name'])} | {_cell(said(gate))} |" for gate in shown["gates"]]
    head = [f"**{shown['lesson']}: {shown['progress']}** ({_when(shown)})", "", "| gate | | state |", "|---|---|---|"]
    return "\n".join([*head, *rows, *(f"\n{_plain(remark)}" for remark in remarks(shown))])


def page(shown: dict[str, Any], *, name: str = "", folded: bool = False) -> str:
    """HTML that needs no script; ``name`` is what a widget beside it hides it by, ``folded`` shows the progress alone at
    first."""
    cell = "text-align:left;vertical-align:top;padding:.1em .8em .1em 0"
    rows = "".join(
        f'<tr><td style="{cell}">{gate["number"]:02}</td><th scope="row" style="{cell};font-weight:normal">'
        f'{html.escape(gate["name"])}</th><td style="{cell}">{_state(gate)}</td></tr>'
        for gate in shown["gates"]
    )
    remarked = "".join(f"<p>{html.escape(remark)}</p>" for remark in remarks(shown))
    head = "".join(f'<th scope="col" style="{cell}">{title}</th>' for title in ("", "gate", "state"))
    marked = f' data-checklist="{html.escape(name)}"' if name else ""
    return (
        f'<div class="learning-checklist-static"{marked}>{_STYLE}<details{"" if folded else " open"}><summary>'
        f"{html.escape(shown['progress'])} · gates of {html.escape(shown['lesson'])} · {_when(shown)}</summary>"
        f'<table style="border-collapse:collapse"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
        f"{remarked}{_AGAIN if name else ''}</details></div>"
    )


_STYLE = (
    "<style>.jp-OutputArea-child:has(.learning-checklist-static)+.jp-OutputArea-child "
    ".jp-OutputArea-output.jupyter-widgets:not(:has(*)){display:none}"
    ".jp-OutputArea-child:has(+.jp-OutputArea-child .jp-OutputArea-output.jupyter-widgets) "
    ".learning-checklist-static .again{display:block}</style>"
)
"""Hides JupyterLab's "model not found" of a page whose kernel was restarted, or whose widgets it did not find again though the
kernel lives (seen on a loaded machine); what is said here stands in its place, and ``_AGAIN`` with it."""
_AGAIN = (
    '<p class="again" hidden>This is how the gates stood. Run this cell again to bring the live checklist back.</p>'
)


def said(gate: dict[str, Any]) -> str:
    """The state in words, with the reason where the state alone does not say it."""
    if gate["state"] == NONE:
        return gate["why"]
    state = "claimed by hand, not proved" if gate["state"] == CLAIMED else gate["state"]
    return f"{state}: {gate['why']}"


def remarks(shown: dict[str, Any]) -> list[str]:
    """The sentences below the gates: what is wrong, and what comes next."""
    found = list(shown["notes"])
    if shown["unsaved"]:
        found.append(f"Nothing is saved here: {shown['unsaved']}.")
    if shown["ahead"] is not None:
        ahead = shown["ahead"]
        found.append(f"Next: gate {ahead['number']:02}, {ahead['name']}. {ahead['how']}")
    else:
        found.append("Every gate is proved: this week counts.")
    return found


def _when(shown: dict[str, Any]) -> str:
    """When the records were read: a page keeps what is shown here, and a newer one may stand in another of its cells."""
    return f"as of {time.strftime('%Y-%m-%d %H:%M', time.gmtime(shown['time']))} UTC"


def _state(gate: dict[str, Any]) -> str:
    words = said(gate)
    if gate["state"] == NONE:
        return html.escape(words)
    state, _, why = words.partition(": ")
    return f"<strong>{html.escape(state)}</strong>: {html.escape(why)}"


def _cell(words: str) -> str:
    return " ".join(_plain(words).replace("|", "\\|").split())


def _plain(words: str) -> str:
    """Words as they are, in Markdown: names with underscores and what looks like a tag stay what they are."""
    return html.escape(words.replace("\\", "\\\\"), quote=False).replace("_", "\\_").replace("*", "\\*")
