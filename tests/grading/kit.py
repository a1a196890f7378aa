"""A small real course in a folder of its own: the repository's configuration, built sources, nbgrader's releases."""

import copy
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent


class Course:
    """The course in ``root``; commands run there as a grader types them."""

    def __init__(self, root: Path):
        self.root = root

    @classmethod
    def make(cls, root: Path, *slugs: str) -> "Course":
        from learning import lesson
        from learning.build import notebook

        root.mkdir(parents=True)
        for name in ("grader_config.py", "nbgrader_config.py"):
            shutil.copy(ROOT / name, root / name)
        course = cls(root)
        for slug in slugs:
            notebook.write(lesson.load(slug), root)
            course.generate(slug)
        return course

    def generate(self, slug: str) -> None:
        """What ``nbgrader generate_assignment`` does, in this process."""
        done = self.api().generate_assignment(slug)
        assert done["success"], done

    def copy_to(self, root: Path) -> "Course":
        shutil.copytree(self.root, root)
        return Course(root)

    def environment(self) -> dict:
        return {
            **os.environ, "PYTHONPATH": str(ROOT), "HOME": str(self.root / "home"), "PYTHONWARNINGS": "ignore",
            "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "JUPYTER_CONFIG_DIR": str(self.root / "home/jupyter"),
        }  # fmt: skip

    def nbgrader(self, *arguments: str, folder: str = "") -> subprocess.CompletedProcess:
        return self.run("nbgrader", *arguments, folder=folder)

    def run(self, *arguments: str, folder: str = "") -> subprocess.CompletedProcess:
        (self.root / "home").mkdir(exist_ok=True)
        command = [str(BIN / arguments[0]), *arguments[1:]]
        return subprocess.run(
            command, cwd=self.root / folder, env=self.environment(), capture_output=True, text=True, timeout=800
        )

    def release(self, slug: str) -> dict:
        return json.loads((self.root / "release" / slug / f"{slug}.ipynb").read_text())

    def source(self, slug: str) -> dict:
        return json.loads((self.root / "source" / slug / f"{slug}.ipynb").read_text())

    def answered(self, slug: str) -> dict:
        """The release with the instructor's answer and an explanation typed in."""
        notebook, source = self.release(slug), self.source(slug)
        answers = {c["id"]: text(c) for c in source["cells"] if role(c) == "answer"}
        for cell in notebook["cells"]:
            if cell["id"] in answers:
                lines = answers[cell["id"]].split("\n")
                cell["source"] = "\n".join(line for line in lines if "SOLUTION" not in line)
            elif role(cell) == "explain":
                cell["source"] = text(cell) + "\n\nMine: the mask guards the tail."
        return notebook

    def starter(self, slug: str) -> str:
        return next(text(c) for c in self.release(slug)["cells"] if role(c) == "answer")

    def with_answer(self, slug: str, code: str) -> dict:
        notebook = copy.deepcopy(self.release(slug))
        next(c for c in notebook["cells"] if role(c) == "answer")["source"] = code
        return notebook

    def submit(self, student: str, slug: str, notebook: dict | str) -> Path:
        folder = self.root / "submitted" / student / slug
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{slug}.ipynb"
        path.write_text(notebook if isinstance(notebook, str) else json.dumps(notebook))
        return path

    def api(self):
        """nbgrader's own API with this course's configuration, in this process: what formgrader calls."""
        from nbgrader.apps.api import NbGraderAPI
        from traitlets.config import PyFileConfigLoader

        config = PyFileConfigLoader("grader_config.py", path=str(self.root)).load_config()
        config.Course.seed_file = config.Grading.seed_file = str(self.root / "home" / "seed")
        return NbGraderAPI(config=config)

    def autograde(self, slug: str, student: str = "*", **settings) -> dict:
        """Autograde through the API; returns its result (success, log, error)."""
        api = self.api()
        for name, value in settings.items():
            setattr(api.config.Grading, name, value)
        return api.autograde(slug, student)

    def scores(self, slug: str) -> dict[str, dict[str, tuple]]:
        """By student and grade cell: (automatic score, score by hand, needs a person)."""
        with sqlite3.connect(self.root / "gradebook.db") as db:
            rows = db.execute(
                "select sa.student_id, bc.name, g.auto_score, g.manual_score, g.needs_manual_grade from grade g "
                "join base_cell bc on bc.id = g.cell_id join submitted_notebook sn on sn.id = g.notebook_id "
                "join submitted_assignment sa on sa.id = sn.assignment_id join assignment a on a.id = sa.assignment_id "
                "where a.name = ?",
                (slug,),
            ).fetchall()
        found: dict = {}
        for student, cell, automatic, by_hand, asks in rows:
            found.setdefault(student, {})[cell] = (automatic, by_hand, bool(asks))
        return found

    def state(self, slug: str) -> dict[str, str]:
        with sqlite3.connect(self.root / "gradebook.db") as db:
            return dict(db.execute("select student, state from learning_outcome where assignment = ?", (slug,)))


def text(cell: dict) -> str:
    return cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])


def role(cell: dict) -> str:
    return cell["metadata"].get("learning", {}).get("role", "")
