"""Releases, made by nbgrader itself in this process, in a folder that is thrown away and without a database.

Nothing here imitates nbgrader: the same converter runs as under ``nbgrader generate_assignment --no-db``, with the same
configuration, so that command, run later with no flags, writes the same bytes and adds the lesson to the gradebook.
"""

from __future__ import annotations

import contextlib
import logging
import tempfile
import warnings
from pathlib import Path

from learning.build import course as courses
from learning.build.finding import Complaint


def path(slug: str, root: Path = courses.ROOT) -> Path:
    """Where a lesson's release stands."""
    return root / "release" / slug / f"{slug}.ipynb"


def generate(sources: dict[str, str], root: Path = courses.ROOT) -> tuple[dict[str, str], list[Complaint]]:
    """nbgrader's release of every source notebook.

    ``sources`` maps slugs to notebooks' texts, ``root`` holds ``grader_config.py``. Returns slugs to releases' texts, and
    a complaint with nbgrader's own words for each one it refused. The gradebook of ``root`` is not opened.
    """
    made, complaints = {}, []
    with tempfile.TemporaryDirectory(prefix="release-") as scratch, _quiet():
        api = _api(Path(scratch).resolve(), root)
        for slug, source in sources.items():
            folder = Path(api.coursedir.root) / "source" / slug
            folder.mkdir(parents=True)
            (folder / f"{slug}.ipynb").write_text(source, encoding="utf-8")
            outcome = api.generate_assignment(slug, force=True, create=True)
            written = path(slug, Path(api.coursedir.root))
            if outcome["success"] and written.is_file():
                made[slug] = written.read_text(encoding="utf-8")
            else:
                why = _reason(outcome)
                complaints.append(Complaint("nbgrader", f"source/{slug}/{slug}.ipynb", slug, f"nbgrader: {why}", ""))
    return made, complaints


def _api(scratch: Path, root: Path):
    """nbgrader's API with ``root``'s configuration, working in ``scratch``."""
    from nbgrader.apps.api import NbGraderAPI

    config = courses.config(root)
    config.CourseDirectory.root = str(scratch)
    config.CourseDirectory.db_url = f"sqlite:///{scratch / 'gradebook.db'}"  # opened by nobody
    config.GenerateAssignment.no_database = True
    config.SaveCells.enabled = False
    return NbGraderAPI(config=config)


def _reason(outcome: dict) -> str:
    """The last line of nbgrader's log that names an error, else of its traceback."""
    lines = [line.strip() for line in (outcome.get("log", "") + outcome.get("error", "")).splitlines()]
    errors = [line for line in lines if "Error" in line and "ERROR]" not in line]
    return (errors or lines or ["no reason given"])[-1]


@contextlib.contextmanager
def _quiet():
    """Keep SQLAlchemy's and nbgrader's chatter off the terminal; outcomes carry what matters."""
    logger = logging.getLogger("traitlets")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        finally:
            logger.setLevel(level)
