"""Progress carried to another machine: every lesson's evidence and log in one file, and put together again there.

    pack(work, "progress.zip")        # progress.jsonl and logs.txt of every lesson folder in ``work``
    unpack("progress.zip", work)      # adds what is missing; changes no byte that is there

Records are merged by their hashes, so bringing a file twice adds nothing, and two machines that both went on keep all they
wrote. What cannot be put together without loss is kept beside and named. Standard library only.
"""

from __future__ import annotations

import datetime
import errno
import hashlib
import io
import json
import os
import re
import struct
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path

from learning.files import create
from learning.gates import records
from learning.gates.lock import appending, write

LOGS = "logs.txt"
MANIFEST = "carry.json"
FORMAT = 1
_MEMBER = re.compile(r"^([a-z0-9_]{1,64})/(progress\.jsonl|logs\.txt)$")
_ENTRY = re.compile(rb"\d{4}-\d\d-\d\d \d\d:\d\d  ")  # how an entry of the log begins
_MOST_MEMBERS = 1000
MOST_BYTES = 4 * records.MAX_BYTES
"""What all members of a carried file may hold together: a small zip can unfold to more than a machine has."""


class CarryError(RuntimeError):
    """A file cannot be packed or taken in; the message names it and the remedy."""


@dataclass
class Taken:
    """What became of one lesson's files: ``added`` records, ``known`` ones that were here already, ``apart`` whether both
    machines had records the other lacked, ``log`` a sentence on logs.txt ("" where nothing changed), ``notes`` sentences on
    what was damaged, refused or kept beside."""

    lesson: str
    added: int = 0
    known: int = 0
    apart: bool = False
    log: str = ""
    notes: list[str] = field(default_factory=list)

    def sentence(self) -> str:
        """In one line."""
        told = [f"{self.added} records added, {self.known} were here"]
        if self.apart:
            told.append("both machines had gone on; all of it is kept")
        return f"{self.lesson}: " + "; ".join([*told, *filter(None, [self.log]), *self.notes])


def pack(work: str | os.PathLike, target: str | os.PathLike) -> list[str]:
    """Write the progress of every lesson folder in ``work`` to the zip file ``target``; returns the lessons in it.

    Raises ``CarryError`` where there is nothing to pack or ``target`` exists already (nothing is replaced), and ``OSError``.
    """
    work, target = Path(work), Path(target)
    if os.path.lexists(target):
        raise CarryError(f"{target} exists already and is not replaced: name another file")
    members = [
        (f"{folder.name}/{name}", folder / name)
        for folder in (sorted(work.iterdir()) if work.is_dir() else [])
        for name in (records.FILE, LOGS)
        if (folder / name).is_file() and _MEMBER.match(f"{folder.name}/{name}")
    ]
    if not members:
        raise CarryError(f"{work} holds no progress yet: nothing to carry")
    lessons = list(dict.fromkeys(name.split("/")[0] for name, _ in members))
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(MANIFEST, json.dumps({"format": FORMAT, "made": now, "lessons": lessons}))
        for name, path in members:
            archive.writestr(name, path.read_bytes())
    target.parent.mkdir(parents=True, exist_ok=True)
    if not create(target, held.getvalue()):
        raise CarryError(f"{target} exists already and is not replaced: name another file")
    return lessons


def unpack(source: str | os.PathLike, work: str | os.PathLike) -> list[Taken]:
    """Take the zip file ``source`` into the lesson folders of ``work``; what became of each lesson.

    Raises ``CarryError`` for a file that ``pack`` did not write or that is damaged; ``OSError`` where ``work`` cannot be written.
    """
    files = _contents(Path(source))
    return _take(files, Path(work))


def bring(source: str | os.PathLike, work: str | os.PathLike) -> list[Taken]:
    """The same for the lesson folders of the folder ``source``, as when work moves to a synced drive."""
    files = {}
    for folder in sorted(Path(source).iterdir()) if Path(source).is_dir() else []:
        for name in (records.FILE, LOGS):
            if _MEMBER.match(f"{folder.name}/{name}") and (folder / name).is_file():
                files[f"{folder.name}/{name}"] = (folder / name).read_bytes()
    return _take(files, Path(work))


def _take(files: dict[str, bytes], work: Path) -> list[Taken]:
    taken = {}
    for name, data in files.items():
        slug, file = name.split("/")
        told = taken.setdefault(slug, Taken(slug))
        (work / slug).mkdir(parents=True, exist_ok=True)
        if file == LOGS:
            _log(work / slug / LOGS, data, told)
        else:
            merge(work / slug / records.FILE, data, told)
    return list(taken.values())


def merge(path: Path, data: bytes, told: Taken | None = None) -> Taken:
    """Append the records of the log ``data`` that the log at ``path`` lacks, in their order; says what was done.

    Safe beside others that append. Damaged lines and evidence made by tests are left out, and named. Raises ``CarryError``
    where the log stays locked, is no regular file or would grow beyond what is read.
    """
    told = Taken(path.parent.name) if told is None else told
    brought = records.parse(data)
    told.notes += [f"brought {damage.sentence()}" for damage in brought.damage]
    if brought.refused:
        told.notes.append(f"{len(brought.refused)} records made by tests were left out")
    with appending(path, CarryError) as handle:
        held = path.read_bytes()
        here = {record["hash"] for record in records.parse(held, fixture=True).records}
        there = {record["hash"] for record in brought.records}
        new = [record for record in brought.records if record["hash"] not in here]
        told.added, told.known = len(new), len(there & here)
        told.apart = bool(new) and bool(here - there)
        lines = b"".join(records.canonical(record) + b"\n" for record in new)
        torn = b"\n" if lines and held and not held.endswith(b"\n") else b""
        if len(held) + len(torn) + len(lines) > records.MAX_BYTES:
            raise CarryError(f"{path} would grow beyond {records.MAX_BYTES >> 20} MiB; nothing was added to it")
        write(handle, torn + lines)
    return told


def _log(path: Path, data: bytes, told: Taken) -> None:
    """Take in a logs.txt: made where none is, continued by the entries it lacks; where the files differ in anything but whole
    entries, the other one is kept beside. Raises ``CarryError`` where the file stays locked or is no regular file."""
    if create(path, data):
        told.log = f"{LOGS} made"
        return
    with appending(path, CarryError) as handle:
        held = path.read_bytes()
        more = data[len(held) :] if data.startswith(held) else _entries(held, data)
        if more:
            write(handle, more)
            told.log = f"{LOGS} continued"
    if more is None:
        beside = path.with_name(f"logs.carried-{hashlib.sha256(data).hexdigest()[:8]}.txt")
        made = create(beside, data)
        told.notes.append(
            f"{LOGS} differs on the two machines: the other one is {'kept' if made else 'already'} in {beside.name}"
        )


def _entries(held: bytes, data: bytes) -> bytes | None:
    """What to append to ``held`` so that it holds every entry of ``data``; None where the two differ in more than entries."""
    here, there = (re.split(rb"\n\s*\n", text.strip(b"\r\n")) for text in (held, data))
    new = [block for block in there if block.strip() and block not in here]
    if not all(_ENTRY.match(block) for block in new):
        return None
    gap = b"" if held.endswith(b"\n") else b"\n"
    return gap + b"".join(b"\n" + block + b"\n" for block in new) if new else b""


def _contents(source: Path) -> dict[str, bytes]:
    """Name → bytes of the members of a carried file that are progress; raises ``CarryError`` for any other file."""
    try:
        with zipfile.ZipFile(source) as archive:
            names = archive.namelist()
            if MANIFEST not in names or len(names) > _MOST_MEMBERS:
                raise CarryError(f"{source} was not written by this course's export: it holds no {MANIFEST}")
            manifest = json.loads(_bytes(archive, MANIFEST, source))
            if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
                raise CarryError(
                    f"{source} was written by another version of the course; export it again with this one"
                )
            files, room = {}, MOST_BYTES
            for name in names:
                if _MEMBER.match(name):
                    files[name] = _bytes(archive, name, source)
                    room -= len(files[name])
                if room < 0:
                    raise CarryError(f"{source} unfolds to more than {MOST_BYTES >> 20} MiB; export it again")
            return files
    except FileNotFoundError:
        raise CarryError(f"there is no file {source}") from None
    except OSError as error:
        if error.errno != errno.EINVAL:  # raised for a place before the first byte, as a damaged table may name
            raise
        raise CarryError(f"{source} is no whole zip file ({error}); export it again") from None
    except (*_BROKEN, ValueError, NotImplementedError, EOFError, RuntimeError, OverflowError) as error:
        if isinstance(error, CarryError):
            raise
        raise CarryError(f"{source} is no whole zip file ({error}); export it again") from None


_BROKEN = (zipfile.BadZipFile, zlib.error, struct.error)
"""What reading a zip file raises where its bytes were changed on the way."""


def _bytes(archive: zipfile.ZipFile, name: str, source: Path) -> bytes:
    if archive.getinfo(name).compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise CarryError(f"{source}: {name} is packed in a way that export does not use; export it again")
    with archive.open(name) as member:
        data = member.read(records.MAX_BYTES + 1)
    if len(data) > records.MAX_BYTES:
        raise CarryError(f"{source}: {name} holds more than {records.MAX_BYTES >> 20} MiB and is not read")
    return data
