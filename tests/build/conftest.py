"""A course of one small lesson in a folder of its own, and hands to edit it with."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from learning import lesson as lessons
from learning.build import notebook
from learning.build.commands import main
from learning.build.course import ROOT
from learning.build.start import prepare

prepare()
HERE = Path(__file__).parent


class Course:
    """A checkout with ``lessons/double_it`` in it: ``root`` is its root, ``folder`` the lesson's."""

    def __init__(self, root: Path, template: Path | None = None):
        self.root, self.lessons = root, root / "lessons"
        self.folder = self.lessons / "double_it"
        if template is not None:
            shutil.copytree(template, root, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True)
        else:
            shutil.copytree(HERE / "lessons", self.lessons, ignore=shutil.ignore_patterns("__pycache__"))
            for name in ("grader_config.py", "nbgrader_config.py"):
                shutil.copy(ROOT / name, root / name)
        self.source = root / "source" / "double_it" / "double_it.ipynb"
        self.release = root / "release" / "double_it" / "double_it.ipynb"

    @property
    def lesson(self):
        return lessons.load("double_it", self.lessons)

    def change(self, file: str, old: str, new: str) -> None:
        """Replace ``old``, which must be there, in a file of the lesson's folder."""
        path = self.folder / file
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def book(self) -> dict:
        return json.loads(self.source.read_text())

    def save(self, book: dict) -> None:
        """Save the source notebook as JupyterLab does: other spacing, outputs, metadata of its own."""
        for cell in book["cells"]:
            if cell["cell_type"] == "code":
                cell["execution_count"] = 7
                cell["outputs"] = [{"name": "stdout", "output_type": "stream", "text": ["noise\n"]}]
                cell["metadata"] = {"trusted": True, **cell["metadata"], "collapsed": False}
        book["metadata"]["language_info"]["version"] = "3.11.7"
        self.source.write_text(json.dumps(book, indent=2))

    def edit(self, id: str, old: str, new: str) -> None:
        """Replace ``old``, which must be there, in a cell of the source notebook."""
        book = self.book()
        (cell,) = [cell for cell in book["cells"] if cell["id"] == id]
        text = "".join(cell["source"])
        assert old in text
        cell["source"] = text.replace(old, new).splitlines(keepends=True)
        self.save(book)

    def run(self, *arguments: str) -> int:
        """The command line, in this process."""
        return main(list(arguments), root=self.root, folders=self.lessons)

    def built(self) -> dict[str, str]:
        """What the folder makes now: cell ids and texts."""
        made = notebook.assemble(self.lesson)
        assert not made.complaints
        return {cell.id: cell.source for cell in made.cells}


@pytest.fixture
def course(tmp_path) -> Course:
    """The lesson's folder, nothing built."""
    return Course(tmp_path)


@pytest.fixture(scope="session")
def templates(tmp_path_factory) -> tuple[Path, Path]:
    """The course once built, and once released as well."""
    built = Course(tmp_path_factory.mktemp("built"))
    assert built.run() == 0
    released = Course(tmp_path_factory.mktemp("released"), built.root)
    assert released.run("--release", "--no-grade") == 0
    return built.root, released.root


@pytest.fixture
def built_course(tmp_path, templates) -> Course:
    """The course with its source notebook."""
    return Course(tmp_path, templates[0])


@pytest.fixture
def released(tmp_path, templates) -> Course:
    """The course with its source notebook and its release."""
    return Course(tmp_path, templates[1])
