"""``grader_config.py`` as the rest of the course reads it: one file configures nbgrader and us."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
"""The checkout: the folder that holds ``learning/``, ``source/`` and ``release/``."""


@dataclass(frozen=True)
class Course:
    """The ``c.Course`` section of ``grader_config.py``. An empty ``owner`` or ``repository`` means no badges."""

    owner: str = ""
    repository: str = ""
    tag: str = ""
    seed_file: str = ""

    @property
    def published(self) -> bool:
        """Whether a public repository is configured, so that notebooks can be opened from it."""
        return bool(self.owner and self.repository and self.tag)


def config(root: Path = ROOT):
    """``grader_config.py`` in ``root`` as a traitlets ``Config`` (empty where there is no such file)."""
    from traitlets.config import Config, PyFileConfigLoader

    if not (root / "grader_config.py").is_file():
        return Config()
    return PyFileConfigLoader("grader_config.py", path=str(root)).load_config()


def read(root: Path = ROOT) -> Course:
    """The course's own settings; raises ``TypeError`` naming a setting that does not exist."""
    section = config(root).get("Course", {})
    unknown = sorted(set(section) - set(Course.__dataclass_fields__))
    if unknown:
        known = ", ".join(Course.__dataclass_fields__)
        raise TypeError(f"grader_config.py sets c.Course.{unknown[0]}, which does not exist; known are {known}")
    return Course(**{key: str(value) for key, value in section.items()})
