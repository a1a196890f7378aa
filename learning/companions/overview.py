"""Checklist, plan, ladder and skills of all lessons, read from the learner's records. Standard library only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from learning.companions import kept
from learning.companions.kept import Kept
from learning.gates import blank_record, records, scoring, told
from learning.gates.gate import CLAIMED, NONE, OPEN, PROVED, WAITING
from learning.sheet import Sheet, cell, table

SIGNS = {PROVED: "proved", CLAIMED: "claimed", WAITING: "GPU", OPEN: "open", NONE: "–"}
LADDER = ("vector_add", "softmax", "rmsnorm_residual", "minmax", "matmul", "gemv")
"""The first rungs of the mastery ladder; the lessons that are not among them follow in course order."""
CORRECTNESS = ("grid", "tile", "registers", "masked", "padding", "output")
PERFORMANCE = ("passes", "occupancy", "bound", "launch_share", "microseconds")


@dataclass(frozen=True)
class Step:
    """A step of the plan: what is done, and ``gates`` (lesson, gate) that prove it; ``also`` what else is wanted in words."""

    what: str
    gates: tuple[tuple[str, str], ...]
    also: str = ""


PLAN = (
    Step(
        "the homework of L3, min-max and layer norm; blank pages of softmax and RMSNorm",
        (("minmax", "parity"), ("layernorm", "parity"), ("softmax", "blank_page"), ("rmsnorm_residual", "blank_page")),
    ),
    Step(
        "the RMSNorm kernel on a GPU, benchmarked and tuned",
        (("rmsnorm_residual", "parity"), ("rmsnorm_residual", "bench"), ("rmsnorm_residual", "autotune")),
    ),
    Step(
        "the matrix-vector product of the LM head: parity, and its launch share",
        (("gemv", "parity"), ("gemv", "bound")),
    ),
    Step("attention over a cache", (("cached_attention", "parity"),)),
    Step("the Whistle port: the codec gate and the waveform gate", (("whistle", "parity"),)),
)
"""The plan's steps in order, each with the gates that end it."""


def overview() -> Sheet:
    """Every lesson: gates proved and claimed, the next gate, and when something was last recorded."""
    found = kept.lessons()
    rows = []
    for one in found:
        ahead = one.state.ahead
        last = cell(one.records[-1]["time"][:10]) if one.records else ""
        rows.append([one.link, str(one.state).removeprefix("progress "), cell(_next(ahead)) if ahead else "done", last])
    proved, total = sum(one.state.proved for one in found), sum(one.state.total for one in found)
    done = sum(one.done for one in found)
    head = f"{proved} of {total} gates proved; {done} of {len(found)} weeks count. A week with a gate missing does not count."
    return Sheet(head, table(("lesson", "gates", "next", "last record"), rows), _damage(found))


def gates(name: str | None = None) -> Sheet:
    """All gates of every lesson in one table; of one lesson, by slug or id, with what proves each and how to get it.

    Raises ``UnknownLesson`` for a name that is none.
    """
    if name is not None:
        one = kept.one(name)
        rows = [
            [f"{gate.number:02}", cell(gate.name or gate.id), SIGNS[gate.state], cell(gate.why), cell(gate.how if gate.state != PROVED else "")]
            for gate in one.state.gates
            if gate.applies
        ]  # fmt: skip
        return Sheet(
            f"{one.link}: {one.state}", table(("gate", "what", "state", "why", "how to get it"), rows), _damage([one])
        )
    found = kept.lessons()
    heads = ["lesson", *(f"{gate.number:02}" for gate in found[0].state.gates)] if found else ["lesson"]
    rows = [[one.link, *(SIGNS[gate.state] for gate in one.state.gates)] for one in found]
    names = ", ".join(f"{gate.number:02} {gate.id}" for gate in found[0].state.gates) if found else ""
    return Sheet(
        cell(names), table(heads, rows), "*GPU*: done as far as a machine without one can tell; waits for one."
    )


def plan() -> Sheet:
    """The weeks of the plan and the gates that end each, by the records."""
    by_slug = {one.card.slug: one for one in kept.lessons()}
    rows, reached = [], False
    for step in PLAN:
        states = [_state(by_slug, slug, gate) for slug, gate in step.gates]
        done = all(state == "proved" for _, state in states)
        here = not done and not reached
        reached |= not done
        ends = ", ".join(f"{cell(name)} {state}" for name, state in states)
        rows.append(["now" if here else "done" if done else "later", cell(step.what), ends])
    return Sheet(table(("when", "step", "gates that end it"), rows))


def ladder() -> Sheet:
    """The blank pages, rung by rung: which kernels have been written again from memory."""
    found = rungs()
    rows, asked = [], False
    for one in found:
        pages = blank_record.pages(one.records, one.card.slug)
        passed = one.proved("blank_page")
        state = "rewritten" if passed else f"{len(pages)} pages drawn, none passed" if pages else "not yet"
        mark = "next" if not passed and not asked else ""
        asked |= not passed
        rows.append([mark, one.link, state])
    count = sum(one.proved("blank_page") for one in found)
    head = f"{count} of {len(found)} kernels rewritten from memory. A kernel not rewritten is a lesson not absorbed."
    return Sheet(head, table(("", "kernel", "blank page"), rows))


def rungs() -> list[Kept]:
    """The lessons that have a blank page, in the ladder's order."""
    found = [one for one in kept.lessons() if "blank_page" in one.card.gates]
    place = {slug: number for number, slug in enumerate(LADDER)}
    return sorted(found, key=lambda one: place.get(one.card.slug, len(LADDER)))


def skills() -> Sheet:
    """The three skills in figures: predictions of correctness, predictions of performance, misses that were explained."""
    found = [(one, scoring.compare(one.card.slug, one.records)) for one in kept.lessons()]
    rows = [row for _, comparison in found for row in comparison.rows]
    right, fast = _scored(rows, CORRECTNESS), _scored(rows, PERFORMANCE)
    missed = [row for row in rows if row.missed]
    explained = sum(bool(row.cause) for row in missed)
    closed = sum(one.proved("compare") for one, _ in found)
    debug = f"{explained} of {len(missed)} misses have a cause in your words; gate 09 is proved in {closed} lesson{'s' * (closed != 1)}"
    body = [
        ["1", "predict correctness before running: grid, ownership, masks, output", _figures(right)],
        ["2", "predict performance before benchmarking: passes, occupancy, launch tax", _figures(fast)],
        ["3", "debug when numbers lie: strides, masks, accumulation dtype, PTX, in this order", debug],
    ]
    return Sheet(table(("", "skill", "by your records"), body))


def _scored(rows: list[Any], fields: tuple[str, ...]) -> list[Any]:
    return [row for row in rows if row.field in fields and row.points is not None]


def _figures(rows: list[Any]) -> str:
    if not rows:
        return "nothing predicted and measured yet"
    points = sum(row.points for row in rows) / len(rows)
    return f"{points:.0%} of the points over {len(rows)} value{'s' * (len(rows) != 1)}, {sum(row.missed for row in rows)} missed"


def _next(gate: Any) -> str:
    words = {WAITING: " (waits for a GPU)", CLAIMED: " (claimed, not proved)"}.get(gate.state, "")
    return f"{gate.number:02} {gate.name or gate.id}{words}"


def _state(by_slug: dict[str, Kept], slug: str, gate: str) -> tuple[str, str]:
    one = by_slug.get(slug)
    if one is None:
        return slug, "(not in this course yet)"
    found = next((each for each in one.state.gates if each.id == gate), None)
    name = f"{one.card.id} {found.number:02} {gate}" if found else f"{one.card.id} {gate}"
    return name, {PROVED: "proved", CLAIMED: "claimed", WAITING: "waits for a GPU"}.get(
        found.state if found else "", "open"
    )


def _damage(found: list[Kept]) -> str:
    lines = [f"- {one.card.slug}: {cell(damage.sentence())}" for one in found for damage in one.log.damage]
    parts = ["Lines of progress that cannot be read (the others count):", "\n".join(lines)] if lines else []
    for one in found:
        parts += [f"{one.card.slug}: {cell(note)}" for note in told.notes(records.Records(refused=one.log.refused))]
    return "\n\n".join(parts)
