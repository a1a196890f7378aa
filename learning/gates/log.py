"""The log entry of a week, gate 12: numbers that the records hold, and a surprise in words, into ``logs.txt``.

    log(
        time=2531,                       # µs, one of your times in the record of the benchmark
        floor=2516,
        peer={"eager": 2520},            # one of several: whose, or at which size
        surprise="eager PyTorch was at the floor already, and so was I",
    )

The names are those of ``learning.gates.log_numbers``. A number that no record holds is refused, with the nearest one that is.
What a lesson's own cell hands to ``measured`` is believed as it comes. Standard library only.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from learning.gates import log_numbers, log_record
from learning.gates.comparison import Shown
from learning.gates.lock import appending, write
from learning.gates.log_numbers import Held
from learning.gates.scoring import compare
from learning.judge import setting as settings
from learning.unseen import spelt_out

FILE = "logs.txt"
TIMED = ("time", "floor", "ratio", "peer", "tuned")
"""Names that only a benchmark on a GPU brings."""
MOST_OFFERED = 3
"""Numbers of one name that are offered."""


def measured(**numbers: Mapping[str, float]) -> None:
    """Keep what a lesson's own cell counted, so that it may be logged: ``measured(exponentials={"rising": 199})`` is a
    ``benchmark`` record that ``log(exponentials={"rising": 199})`` agrees with. Raises ``LogError`` for a name that the course's
    own measures have, and for what is no number; does nothing where no lesson is open."""
    taken = sorted(set(numbers) & set(log_numbers.NAMES))
    if taken:
        raise LogError(f"{', '.join(taken)}: the course's own measures have that name; choose another")
    kept = {f"{name} {part}": value for name, parts in numbers.items() for part, value in parts.items()}
    wrong = [name for name, value in kept.items() if isinstance(value, bool) or not isinstance(value, (int, float))]
    if wrong:
        raise LogError(f"{wrong[0]} is {kept[wrong[0]]!r}, not a number")
    session = settings.current().resources.get("session")
    if session is not None:
        session.note(
            "benchmark", {"numbers": kept}, device=session.device.kind if session.device is not None else "cpu"
        )


class LogError(ValueError):
    """The log refuses an entry; the message says which part and what would do."""

    def _render_traceback_(self) -> list[str]:
        return [f"LogError: {self}"]


def log(*, surprise: Any = ..., **numbers: Any) -> Shown:
    """Write this week's entry to ``logs.txt`` beside the notebook, and keep it as a ``log`` record.

    Each of ``numbers`` is a number, or {part of where it stands: number}, under a name of ``log_numbers``; times are in µs.
    ``surprise`` is a sentence. What is left as ``...`` is not said yet: then nothing is written, and the names that wait are
    told. Raises ``LogError`` for a number that no record holds, a name that none has, fewer than four words of surprise, and
    a file that cannot be written.
    """
    session = settings.current().resources.get("session")
    if session is None:
        raise LogError("no lesson is open here: run the notebook's first cell, then this one")
    waiting = [name for name, value in {**numbers, "surprise": surprise}.items() if _unsaid(value)]
    if waiting or not numbers:
        say = ", ".join(waiting) or "a number at least, such as time=…,"
        text = f"Nothing is logged yet: {say} still to be said. Delete the line of a number you do not have."
        return Shown("\n".join([text, *_offered(session)]))
    known = log_numbers.held(session.lesson.slug, session.evidence())
    found = [one for name, value in numbers.items() for one in _matched(name, value, known)]
    if not log_record.in_words(surprise):
        raise LogError(f"surprise={surprise!r}: say in a sentence what you had not expected, and why")
    if session.log is None:
        return Shown(f"Every number is held by a record, but nothing is written: {session.why}.")
    payload = {
        "numbers": [
            {"name": one.name, "said": said, "held": one.value, "where": one.where, "unit": one.unit, "event": one.event, "record": one.record}
            for said, one in found
        ],
        "surprise": surprise.strip(),
        "missed": _missed(session),
        "file": FILE,
    }  # fmt: skip
    path = session.log.parent / FILE
    before = log_record.entries(session.evidence(), session.lesson.slug)
    if before and _same(before[-1], payload) and before[-1].get("text", "") in _text(path):
        return Shown(f"This entry stands in {FILE} already.")
    payload["text"] = entry(session, found, payload)
    append(path, payload["text"])
    session.note("log", payload, device=session.device.kind if session.device is not None else "cpu")
    return Shown(f"Written to {FILE}:\n\n{payload['text']}")


def _offered(session: Any) -> list[str]:
    """What may be logged by the records so far, the newest of each number, and what a GPU would add to it."""
    known = {(one.name, one.where): one for one in log_numbers.held(session.lesson.slug, session.evidence())}
    names = list(dict.fromkeys(name for name, _ in known))
    lines = [
        "Numbers that your records hold so far:"
        if known
        else "Your records hold no number yet: run the cells that check, compare and compile."
    ]
    for name in names:
        mine = [one for one in known.values() if one.name == name]
        more = f"; and {len(mine) - MOST_OFFERED} more" if len(mine) > MOST_OFFERED else ""
        lines.append(f"  {name}: " + "; ".join(one.text() for one in mine[-MOST_OFFERED:]) + more)
    lacking = [name for name in TIMED if name not in names]
    if session.lesson.kind == "gpu" and lacking:
        lines.append(
            f"  {', '.join(lacking)}: a benchmark on a GPU would add them. An entry without them is whole: any number above will do."
        )
    return lines


def entry(session: Any, found: list[tuple[float, Held]], payload: dict) -> str:
    """The entry as it is written: a head line, the numbers, what missed, the surprise."""
    card = session.lesson
    when = datetime.datetime.now().astimezone().strftime("%Y-%m-%d %H:%M")
    place = next((one.card for _, one in found if one.card), "")
    place = place or (session.device.name if session.device is not None else "CPU")
    lines = [f"{when}  {card.id} {card.title}, {place}, {_versions()}"]
    for said, one in found:
        unit = f" {one.unit}" if one.unit and one.unit != "of 1" else ""
        lines.append(f"  {one.name.replace('_', ' ')} {said:.6g}{unit}: {one.where}")
    lines += [f"  missed: {text}" for text in payload["missed"]]
    return spelt_out("\n".join([*lines, f"  surprise: {payload['surprise']}"]) + "\n")


def append(path: Path, text: str) -> None:
    """Add ``text`` to the file after a blank line, in one write under a lock; what is there is never changed. Raises
    ``LogError`` where the file cannot be written."""
    try:
        with appending(path, LogError) as handle:
            size = os.lseek(handle, 0, os.SEEK_END)
            os.lseek(handle, max(0, size - 1), os.SEEK_SET)
            torn = bool(size) and os.read(handle, 1) != b"\n"
            write(handle, (b"\n" * (torn + bool(size))) + text.encode("utf-8"))
    except OSError as error:
        raise LogError(f"{path.name} cannot be written: {error.strerror or error}") from None


def _matched(name: str, value: Any, known: list[Held]) -> list[tuple[float, Held]]:
    """(number said, the number held) of one keyword; raises ``LogError`` where no record holds it."""
    mine = [one for one in known if one.name == name]
    if not mine:
        names = ", ".join(dict.fromkeys(one.name for one in known))
        have = f"they hold numbers called {names}" if names else "there are none yet: run the cells that measure"
        raise LogError(f"{name}: no record holds a number of that name; {have}")
    made = []
    for part, number in value.items() if isinstance(value, Mapping) else [("", value)]:
        if isinstance(number, bool) or not isinstance(number, (int, float)):
            raise LogError(f"{name}={number!r} is not a number; times are in µs: {name}=189.9")
        there = [one for one in mine if str(part).lower() in one.where.lower()]
        if not there:
            raise LogError(f"{name}: nothing of that name stands at {part!r}; there is {_places(mine)}")
        agreeing = [one for one in there if one.says(float(number))]
        if not agreeing:
            near = log_numbers.nearest(float(number), there)
            raise LogError(
                f"{name}={number:g} stands in no record. Nearest is {near.text()}, in the {near.event} record of {near.time[:16].replace('T', ' ')}"
            )
        made.append((float(number), log_numbers.nearest(float(number), reversed(agreeing))))
    return made


def _places(found: list[Held]) -> str:
    return "; ".join(dict.fromkeys(one.where for one in found))


def _missed(session: Any) -> list[str]:
    """The misses of the prediction with their causes, as the records have them."""
    rows = compare(session.lesson.slug, session.evidence()).rows
    return [
        f"{row.field}{f' {row.key}' if row.key else ''}, predicted {row.predicted}, measured {row.measured}: "
        f"{row.cause or 'no cause written yet'}"
        for row in rows
        if row.missed
    ]


def _same(one: dict, other: dict) -> bool:
    parts = [
        [(n.get("name"), n.get("said"), n.get("record")) for n in payload.get("numbers", ()) if isinstance(n, dict)]
        for payload in (one, other)
    ]
    return parts[0] == parts[1] and one.get("surprise") == other.get("surprise")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _versions() -> str:
    from learning.gates import records

    found = records.environment()
    return ", ".join(f"{name} {found[name]}" for name in ("python", "torch", "triton") if found.get(name))


def _unsaid(value: Any) -> bool:
    return value is ... or (isinstance(value, Mapping) and any(item is ... for pair in value.items() for item in pair))
