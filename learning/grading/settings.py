"""What a grader can set, in ``grader_config.py`` as ``c.Grading.NAME`` or on a command line as ``--Grading.NAME=…``."""

from __future__ import annotations

import re
from pathlib import Path

from traitlets import Bool, Enum, Integer, Unicode
from traitlets.config import LoggingConfigurable

from learning.grading.store import FOLDER, gpus
from learning.judge.abreast import cores
from learning.lens.cards import TARGETS

STUDENT = re.compile(r"(?!\.)(?! )[A-Za-z0-9._@+\- ]{1,64}(?<! )")


class Grading(LoggingConfigurable):
    """How submissions are graded; every setting has a default that works."""

    store = Unicode("", help="Folder of finished work and kept sources; '' is .grading in the course's root.").tag(
        config=True
    )
    seed_file = Unicode("", help="File of the secret seed; '' takes Course.seed_file, else the user's own.").tag(
        config=True
    )
    slots = Integer(0, min=0, help="Submissions graded at a time; 0 is one a GPU, else one a core.").tag(config=True)
    device = Enum(
        ["", "cuda", "interpreter", "cpu", *TARGETS],
        default_value="",
        help="Where answers run; '' takes a GPU where there is one, else a virtual T4: kernels are compiled for it and "
        "computed in Triton's interpreter. 'interpreter' leaves the compiler out.",
    ).tag(config=True)
    against_current = Bool(
        False, help="Grade every submission against the current version of its lesson, not its own."
    ).tag(config=True)
    fresh = Bool(False, help="Grade again what the store already holds.").tag(config=True)

    def folder(self, root: str | Path) -> Path:
        """The store's folder for the course in ``root``."""
        return Path(root, self.store or FOLDER).expanduser()

    def seed_path(self) -> Path:
        """The secret seed's file."""
        chosen = self.seed_file or str(self.config.get("Course", {}).get("seed_file", "") or "")
        return Path(chosen or "~/.config/triton-kernel-course/seed").expanduser()

    def slots_for(self, jobs: int) -> int:
        """How many slots to start for ``jobs`` submissions."""
        free = len(gpus()) if self.device in ("", "cuda") else 0
        return max(1, min(jobs, self.slots or free or cores()))


def bad_ids(names: list[str]) -> dict[str, str]:
    """Folder names that are no student ids, each with a sentence that says why and what to do.

    An id is 1 to 64 of letters, digits, ``. _ @ + -`` and inner spaces and does not start with a dot; two ids that
    differ only in case are refused both, since some file systems and databases hold them for the same.
    """
    found, lower = {}, {}
    for name in names:
        lower.setdefault(name.casefold(), []).append(name)
        if not STUDENT.fullmatch(name):
            found[name] = (
                f"{name!r} is not a student id; rename the folder: 1 to 64 letters, digits, . _ @ + - and inner "
                "spaces, not starting with a dot"
            )
    for same in lower.values():
        for name in same if len(same) > 1 else []:
            others = ", ".join(repr(other) for other in same if other != name)
            found.setdefault(name, f"{name!r} and {others} differ only in upper and lower case; rename one of them")
    return found
