"""Take your progress to another machine, or keep it on a drive that outlives this one.

    python -m learning.workshops.carry export [FILE.zip]
    python -m learning.workshops.carry import FILE.zip

In a notebook: ``use_folder("~/Dropbox/kernels")`` keeps progress in that folder from now on, ``use_drive()`` on Google Drive, in
Colab, once you have allowed it. Nothing is ever overwritten. Exit status 0; 3 where something is missing or unreadable; 64 for a
usage error. Standard library only.
"""

from __future__ import annotations

import datetime
import importlib
import os
import sys
from pathlib import Path

from learning import course
from learning.gates import carry, records
from learning.gates.carry import CarryError, Taken
from learning.sheet import Sheet, cell
from learning.workshops import console

DRIVE = Path("/content/drive")
FOLDER = "triton-kernel-course"


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return the exit status."""
    console.prepare()
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        match arguments:
            case ["export"]:
                return _export(Path.cwd() / f"progress-{datetime.date.today().isoformat()}.zip")
            case ["export", name] if not name.startswith("-"):
                return _export(Path(name).expanduser())
            case ["import", name] if not name.startswith("-"):
                for told in carry.unpack(Path(name).expanduser(), course.workspace()):
                    console.say(told.sentence())
                return 0
    except (CarryError, OSError) as error:
        console.complain(str(error))
        return 3
    console.complain("usage: python -m learning.workshops.carry export [FILE.zip] | import FILE.zip")
    return 64


def _export(target: Path) -> int:
    lessons = carry.pack(course.workspace(), target)
    console.say(
        f"{target}: progress of {', '.join(lessons)}. On the other machine: python -m learning.workshops.carry import"
    )
    return 0


def use_folder(folder: str | os.PathLike) -> Sheet:
    """Keep progress in ``folder`` from now on in this process, and bring what was kept before along; a sheet says what was done.

    Sets ``LEARNING_WORK``; to keep it for other processes, set that variable yourself. Raises ``CarryError`` where the folder
    cannot be written.
    """
    target = Path(folder).expanduser().absolute()
    try:
        target.mkdir(parents=True, exist_ok=True)
        before, session = course.workspace(), _session()
        taken = carry.bring(before, target) if before.absolute() != target else []
        if session is not None and session.log is not None:
            moved = target / session.lesson.slug / records.FILE
            if session.log.absolute() != moved:
                moved.parent.mkdir(parents=True, exist_ok=True)
                if session.log.is_file():
                    taken.append(carry.merge(moved, session.log.read_bytes()))
                session.log = moved
    except OSError as error:
        raise CarryError(f"{target} cannot be written ({error.strerror}); name another folder") from None
    os.environ["LEARNING_WORK"] = str(target)
    lines = [f"- {cell(told.sentence())}" for told in _joined(taken)]
    return Sheet(f"Progress is kept in {cell(target)} from now on.", "\n".join(lines))


def _joined(taken: list[Taken]) -> list[Taken]:
    """One line a lesson, where both its folder and the open notebook's own log were brought along."""
    found: dict[str, Taken] = {}
    for told in taken:
        first = found.setdefault(told.lesson, told)
        if first is not told:
            first.added += told.added
            first.notes += told.notes
    return list(found.values())


def use_drive(folder: str = FOLDER) -> Sheet:
    """In Colab: ask to mount your Google Drive, and keep progress in its folder ``folder`` from now on.

    Colab asks you first; without your yes nothing is mounted. Raises ``CarryError`` outside Colab and where it was not allowed.
    """
    try:
        drive = importlib.import_module("google.colab.drive")
    except ImportError:
        raise CarryError(
            "only Colab can mount Google Drive; elsewhere use_folder(…) takes any folder, one that a cloud client syncs too"
        ) from None
    try:
        drive.mount(str(DRIVE))
    except Exception as error:
        raise CarryError(f"Google Drive was not mounted: {error}; progress stays where it was") from None
    return use_folder(DRIVE / "MyDrive" / folder)


def _session():
    """The session a lesson's notebook has opened in this process, or None."""
    module = sys.modules.get("learning.session")
    return getattr(module, "_session", None) if module is not None else None


if __name__ == "__main__":
    console.run(main)
