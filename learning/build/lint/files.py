"""Files where none may stand, and what is wrong with a notebook as it stands on disk."""

from __future__ import annotations

import fnmatch
import sys
from collections import Counter
from pathlib import Path

from learning.build.finding import Complaint
from learning.build.markers import regions
from learning.judge.cells import text_of

IGNORED = (".ipynb_checkpoints", "*.pyc", "__pycache__", ".DS_Store")


def strays(folder: Path, slug: str) -> list[Complaint]:
    """Files beside ``<slug>.ipynb``: nbgrader copies them into release, autograded and feedback."""
    if not folder.is_dir():
        return []
    found = []
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if any(fnmatch.fnmatch(part, pattern) for part in inside.parts for pattern in IGNORED):
            continue
        if path.is_file() and inside != Path(f"{slug}.ipynb"):
            message = "stands beside the notebook, and nbgrader would hand it to every learner"
            remedy = f"move it to learning/lessons/{slug}/ or delete it"
            found.append(Complaint("stray", f"{folder.parent.name}/{slug}", str(inside), message, remedy))
    return found


def shadows(root: Path) -> list[Complaint]:
    """Modules in the checkout's root that would be imported instead of the standard library's."""
    found = []
    for path in sorted(root.iterdir()):
        name = path.stem if path.suffix == ".py" else path.name
        package = path.is_dir() and (path / "__init__.py").is_file()
        if name in sys.stdlib_module_names and (path.suffix == ".py" or package):
            message = f"would be imported instead of the standard library's {name} by every command run from here"
            found.append(Complaint("shadow", path.name, name, message, "rename it or move it"))
    return found


def notebook(book: dict, file: str) -> list[Complaint]:
    """What JupyterLab can do to a source notebook that no lesson folder can: task cells, stray regions, twin ids."""
    complaints = []
    ids: Counter = Counter()
    for cell in book.get("cells", []):
        metadata = cell.get("metadata", {})
        told = metadata.get("nbgrader", {})
        name = told.get("grade_id") or cell.get("id", "?")
        if told.get("task") and not told.get("locked"):
            message = "is a task cell that is not locked, and every submission would fail to grade"
            complaints.append(Complaint("task", file, name, message, 'set "locked": true in its nbgrader metadata'))
        if told.get("grade") or told.get("solution") or told.get("locked"):
            ids[name] += 1
        found, faults = regions(text_of(cell))
        for fault in faults:
            remedy = "write the marker as ### BEGIN … and ### END …, each on a line of its own"
            complaints.append(Complaint("marker", file, name, fault, remedy))
        for region in found:
            fits = {"SOLUTION": "solution", "HIDDEN TESTS": "grade", "MARK SCHEME": "task"}[region.kind]
            if not told.get(fits):
                message = f"holds a {region.kind} region and is not marked as a {fits} cell"
                complaints.append(Complaint("marker", file, name, message, "move the region, or mark the cell"))
    for name, count in ids.items():
        if count > 1:
            message = f"{count} cells have the grade id {name}; a copied cell breaks the grading of every submission"
            complaints.append(Complaint("id", file, name, message, "delete the copy"))
    return complaints
