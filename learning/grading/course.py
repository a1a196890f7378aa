"""Where the course is: its root, found upwards from here, and nbgrader's view of it."""

from __future__ import annotations

import os
from pathlib import Path

CONFIG = "grader_config.py"


class NoCourse(LookupError):
    """No folder from here upwards holds ``grader_config.py``."""


def root(start: str | Path = "") -> Path:
    """The nearest folder from ``start`` (default: the working folder) upwards that holds ``grader_config.py``."""
    here = Path(start or os.getcwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / CONFIG).is_file():
            return folder
    raise NoCourse(f"no folder from {here} upwards holds {CONFIG}; go to the course's folder, or below it")


def directory(start: str | Path = ""):
    """nbgrader's ``CourseDirectory`` for the course around ``start``; raises ``NoCourse``."""
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config import PyFileConfigLoader

    folder = root(start)
    config = PyFileConfigLoader(CONFIG, path=str(folder)).load_config()
    if "root" not in config.CourseDirectory:
        config.CourseDirectory.root = str(folder)
    return CourseDirectory(config=config)
