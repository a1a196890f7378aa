"""Evidence: append-only JSON lines, each holding the hash of the record before it.

One line is one record in canonical JSON (sorted keys, no spaces, ASCII), so that any changed byte shows. A record's
``hash`` is the SHA-256 of its other fields, its ``previous`` the hash of the record before it: damage, removal and
reordering are seen. A log cut exactly between two records is a state it once had and cannot be told from that; the chain
shows accidents and edits, it does not prove honesty. Where two machines went on from one log and their records were put
together (``learning.gates.carry``), the chain forks: a record may then follow any record that stands before it, or begin.
What came before what is read off the chain, never off the place of a line: lines that changed places prove nothing more.

Appending never changes a byte that is already there. A last line that a crash tore is closed with a line break and
stays where it is, reported by ``read``. Standard library only.
"""

from __future__ import annotations

import datetime
import functools
import hashlib
import heapq
import io
import json
import os
import platform
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from learning.gates.lock import appending, write
from learning.host import installed

FILE = "progress.jsonl"
EVENTS = (
    "reference", "prediction", "launch", "parity", "benchmark", "compile", "attempt", "log", "tick", "worksheet",
)  # fmt: skip
DEVICES = ("", "cuda", "interpreter", "cpu", "test")
FORMAT = 1
MAX_BYTES = 64 << 20
MOST_DAMAGE = 1000
"""Damaged lines that are told one by one; a log of millions is read in seconds all the same."""
_TAIL = 1 << 16
_START = '{"device":'  # how canonical JSON of a record begins
_ATTEMPTS = 16
_MOST_SEQUENCE = 1 << 53
_FIELDS = {
    "format": int, "event": str, "lesson": str, "time": str, "source": str, "environment": dict, "device": str,
    "payload": dict, "sequence": int, "previous": str, "hash": str,
}  # fmt: skip


class RecordError(ValueError):
    """A record or a log that cannot be accepted; the message names the field or the file and the remedy."""


@dataclass
class Damage:
    """One line of a log that is not a sound record, or that does not follow the one before it.

    ``line`` counts from 1, ``text`` is the line's beginning (at most 200 characters).
    """

    line: int
    reason: str
    text: str = ""

    def sentence(self) -> str:
        return f"line {self.line}: {self.reason}"


@dataclass
class Records:
    """What a log holds: sound ``records`` in the order they were written (``in_order``), ``damage`` line by line, at most
    ``MOST_DAMAGE`` and one that counts the rest, ``refused`` test evidence."""

    records: list[dict] = field(default_factory=list)
    damage: list[Damage] = field(default_factory=list)
    refused: list[dict] = field(default_factory=list)

    def __iter__(self) -> Iterator[dict]:
        return iter(self.records)

    def __len__(self) -> int:
        return len(self.records)

    def of(self, lesson: str) -> list[dict]:
        """The sound records of one lesson's slug."""
        return [record for record in self.records if record["lesson"] == lesson]


def canonical(value: object) -> bytes:
    """Canonical JSON of ``value``; raises ``RecordError`` for what JSON cannot hold, NaN and infinities included."""
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise RecordError(f"a record holds only JSON values: {error}") from None


def digest(record: dict) -> str:
    """SHA-256 (hex) over the canonical JSON of a record without its ``hash``."""
    return hashlib.sha256(canonical({key: value for key, value in record.items() if key != "hash"})).hexdigest()


@functools.cache
def _environment() -> tuple[tuple[str, str], ...]:
    versions = {"python": platform.python_version(), "platform": platform.platform(terse=True)}
    return tuple((versions | {name: installed(name) for name in ("torch", "triton", "numpy")}).items())


def environment() -> dict[str, str]:
    """Versions of Python, torch, triton and numpy ("" where absent) and the platform; imports none of them."""
    return dict(_environment())


def append(
    path: str | os.PathLike,
    event: str,
    lesson: str,
    *,
    device: str = "",
    source: str = "",
    payload: dict | None = None,
    fixture: bool = False,
) -> dict:
    """Append one record to the log at ``path`` (made with its folder where missing) and return it.

    ``event`` is one of ``EVENTS``, ``lesson`` a slug, ``device`` where it was seen ("" where no device is meant),
    ``source`` the SHA-256 of the learner's code, ``payload`` what the event says. Safe among threads and processes:
    the log is locked while its last record is read and the new one written, in one write. ``device="test"`` is refused
    unless ``fixture`` admits it. Raises ``RecordError`` for a bad field or a log that stays locked, ``OSError`` where
    the file cannot be written.
    """
    if event not in EVENTS:
        raise RecordError(f"event {event!r} is not one of {', '.join(EVENTS)}")
    if not lesson or not isinstance(lesson, str):
        raise RecordError("lesson is empty: a record names the lesson's slug")
    if device not in DEVICES:
        raise RecordError(f"device {device!r} is not one of {', '.join(filter(None, DEVICES))}")
    if device == "test" and not fixture:
        raise RecordError("device 'test' marks evidence made by tests; it is not accepted here")
    record = {
        "format": FORMAT,
        "event": event,
        "lesson": lesson,
        "time": datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds"),
        "source": source,
        "environment": environment(),
        "device": device,
        "payload": dict(payload or {}),
    }
    canonical(record)
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with appending(path, RecordError) as handle:
        last, torn = _last(handle)
        record["sequence"] = last["sequence"] + 1 if last else 1
        record["previous"] = last["hash"] if last else ""
        record["hash"] = digest(record)
        write(handle, (b"\n" if torn else b"") + canonical(record) + b"\n")
    return record


def read(path: str | os.PathLike, *, fixture: bool = False) -> Records:
    """Read a log; a missing one is empty. Damage is reported, never raised, and costs no sound record.

    Test evidence goes to ``refused`` unless ``fixture`` admits it. Raises ``RecordError`` for a log above 64 MiB or one
    that is no regular file, ``OSError`` where it cannot be read.
    """
    path = Path(path)
    try:
        status = path.stat()
    except FileNotFoundError:
        return Records()
    if not stat.S_ISREG(status.st_mode):
        raise RecordError(f"{path} is not a regular file")
    if status.st_size > MAX_BYTES:
        raise RecordError(
            f"{path} holds {status.st_size >> 20} MiB, and a log above {MAX_BYTES >> 20} MiB is not read: move it away, and a new one begins"
        )
    return parse(path.read_bytes(), fixture=fixture)


def parse(data: bytes, *, fixture: bool = False) -> Records:
    """The same for a log's bytes."""
    found = Records()
    broken = False  # a damaged line was reported since the last sound record, so a gap here needs no second report
    seen: dict[str, int] = {}
    untold = 0
    for number, line in enumerate(io.BytesIO(data.removeprefix(b"\xef\xbb\xbf")), 1):
        whole = line.endswith(b"\n")
        line = line.removesuffix(b"\n").removesuffix(b"\r")
        many = len(found.damage) >= MOST_DAMAGE
        sound, reason = _records(line, salvage=not many)
        if reason is None and not whole:
            reason = "its line break is missing: the write was cut short"
        reasons = []
        for record in sound:
            if record["hash"] in seen:
                reasons.append(f"repeats line {seen[record['hash']]}")
                continue
            seen[record["hash"]] = number
            follows = record["previous"] in seen or (not record["previous"] and record["sequence"] == 1)
            if not follows and not broken:
                reasons.append("does not follow the record before it: records are missing")
            broken = False
            refused = record["device"] == "test" and not fixture
            (found.refused if refused else found.records).append(record)
        if reason is not None:
            reasons.append(reason)
            broken = True
        if many:
            untold += bool(reasons)
        else:
            found.damage += [Damage(number, each, line[:200].decode("utf-8", "replace")) for each in reasons]
    if untold:
        found.damage.append(Damage(found.damage[-1].line, f"{untold} damaged lines after it are not listed"))
    found.records = in_order(found.records)
    return found


def in_order(records: list[dict]) -> list[dict]:
    """``records`` in the order they were written: after the one each names as ``previous``, wherever that stands.

    Between branches of a forked chain their times decide, then their places. A log whose lines stand as they were written
    keeps its order, gaps and all.
    """
    place = {record["hash"]: number for number, record in enumerate(records)}
    parents = [place.get(record["previous"]) for record in records]
    if all(parent in (None, n - 1) and (n == 0 or records[n]["previous"]) for n, parent in enumerate(parents)):
        return records
    after: dict[int, list[int]] = {}
    for number, parent in enumerate(parents):
        if parent is not None:
            after.setdefault(parent, []).append(number)
    free = [(records[n]["time"], n) for n, parent in enumerate(parents) if parent is None]
    heapq.heapify(free)
    ordered = []
    while free:
        _, number = heapq.heappop(free)
        ordered.append(records[number])
        for follower in after.get(number, ()):
            heapq.heappush(free, (records[follower]["time"], follower))
    return ordered


def _records(line: bytes, *, salvage: bool = True) -> tuple[list[dict], str | None]:
    """The sound records of one line (normally one) and why the line is not a record, or None."""
    record, reason = _record(line)
    if record is not None:
        return [record], None
    # Two records end up on one line where the break between them was damaged; each still proves itself by its hash.
    salvaged, text, position = [], line.decode("latin-1") if salvage and len(line) > len(_START) else "", 0
    for _ in range(_ATTEMPTS):
        position = text.find(_START, position)
        if position < 0:
            break
        try:
            _, end = _DECODER.raw_decode(text, position)
        except (ValueError, RecursionError):
            end = position
        record, _ = _record(line[position:end])
        if record is not None:
            salvaged.append(record)
        position = end if record is not None else position + 1
    return salvaged, reason


_DECODER = json.JSONDecoder()


def _record(line: bytes) -> tuple[dict | None, str | None]:
    try:
        record = json.loads(line) if line.startswith(b"{") and line.endswith(b"}") else None
    except (ValueError, RecursionError):
        record = None
    if record is None:
        return None, "is not a whole JSON record"
    if not isinstance(record, dict) or any(
        not isinstance(record.get(name), kind) or isinstance(record.get(name), bool) for name, kind in _FIELDS.items()
    ):
        return None, "is not a progress record: fields are missing or of another type"
    if not 0 < record["sequence"] < _MOST_SEQUENCE:
        return None, "is not a progress record: its sequence is no place in a log"
    try:
        whole = canonical(record) == line and digest(record) == record["hash"]
    except RecordError:
        whole = False
    return (record, None) if whole else (None, "was changed after it was written: its hash does not fit")


def _last(handle: int) -> tuple[dict | None, bool]:
    """The last sound record of an open log, and whether its last line lacks a line break."""
    size = os.lseek(handle, 0, os.SEEK_END)
    for start in dict.fromkeys((max(size - _TAIL, 0), 0)):
        os.lseek(handle, start, os.SEEK_SET)
        data = _read(handle, size - start)
        for line in reversed(data.split(b"\n")):
            sound, _ = _records(line.removeprefix(b"\xef\xbb\xbf").removesuffix(b"\r"))
            if sound:
                return sound[-1], not data.endswith(b"\n")
    return None, bool(size) and not data.endswith(b"\n")


def _read(handle: int, count: int) -> bytes:
    parts = []
    while count > 0 and (part := os.read(handle, count)):
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
