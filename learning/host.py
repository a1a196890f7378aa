"""What surrounds this Python, as far as what is shown and kept depends on it: Colab, nbgrader, installed packages. Standard library only."""

from __future__ import annotations

import importlib.metadata
import os
import sys

KEPT_ON_DRIVE = "from learning.workshops.carry import use_drive; use_drive()"
"""What keeps a learner's progress on Colab."""


def on_colab() -> bool:
    """Whether this is a Colab runtime: it sets the variable for kernels and terminals; the module is in a kernel."""
    return bool(os.environ.get("COLAB_RELEASE_TAG")) or "google.colab" in sys.modules


def ends_with_runtime() -> bool:
    """Whether progress is kept on a Colab runtime's own disk, which ends with it: nobody has named another folder."""
    return on_colab() and not os.environ.get("LEARNING_WORK")


def validating() -> bool:
    """Whether nbgrader runs this notebook for ``nbgrader validate`` or the Validate button."""
    return bool(os.environ.get("NBGRADER_VALIDATING")) or os.environ.get("NBGRADER_EXECUTION") == "validate"


def graded() -> bool:
    """Whether nbgrader runs this notebook, to validate or to grade it: then nothing is kept."""
    return validating() or bool(os.environ.get("NBGRADER_EXECUTION"))


def installed(package: str) -> str:
    """The version of ``package`` that is installed for this Python, "" where none is; it is not imported."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""
