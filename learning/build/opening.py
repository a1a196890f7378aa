"""The two cells no author writes: the title, told by the lesson's card, and the bootstrap."""

from __future__ import annotations

import learning
from learning.build.cells import Cell, nbgrader
from learning.build.course import Course
from learning.lesson import Lesson

POINTS = 20
WHEEL = f"triton_kernel_course-{learning.__version__}-py3-none-any.whl"
_COLAB = "https://colab.research.google.com"


def title(lesson: Lesson, course: Course) -> Cell:
    """Title, one sentence, minutes and points, what to bring, where words are explained, and a badge where a public repository is
    configured."""
    facts = [f"{lesson.minutes} minutes", f"{POINTS} points"]
    if lesson.needs:
        facts.append(f"needs {', '.join(lesson.needs)}")
    facts.append(f"words: [glossary]({_companion('glossary', course)})")
    parts = [f"# {lesson.id} · {lesson.title}", lesson.sentence.strip(), " · ".join(facts)]
    if course.published:
        parts.append(badge(course, f"release/{lesson.slug}/{lesson.slug}.ipynb"))
    return Cell("title", "markdown", "text", "title", "\n\n".join(parts), "__init__.py")


def _companion(slug: str, course: Course) -> str:
    """The address of a companion as a lesson links to it: in the repository where one is published, since Colab opens a lesson
    alone; else beside the lesson's folder."""
    if course.published:
        return f"https://github.com/{course.owner}/{course.repository}/blob/{course.tag}/notebooks/{slug}.ipynb"
    return f"../../notebooks/{slug}.ipynb"


def badge(course: Course, path: str) -> str:
    """The "Open in Colab" badge of the notebook at ``path`` in the published repository, in Markdown."""
    where = f"{course.owner}/{course.repository}/blob/{course.tag}/{path}"
    return f"[![Open in Colab]({_COLAB}/assets/colab-badge.svg)]({_COLAB}/github/{where})"


def bootstrap(lesson: Lesson, course: Course) -> Cell:
    """The folded first code cell, at most 12 lines: find the package, open the lesson.

    The course in the folders above the notebook goes before one that is installed, since a notebook is judged by the course it
    belongs to. Where there is neither, the student kit of the configured tag is installed, or what to do is said.
    """
    return Cell(
        "bootstrap",
        "code",
        "bootstrap",
        "bootstrap",
        finding("learning.session", f'learning.session.begin("{lesson.slug}")', course, kernels=lesson.kind == "gpu"),
        "",
        grade=nbgrader("bootstrap", locked=True),
        metadata={"cellView": "form", "jupyter": {"source_hidden": True}},
    )


def finding(module: str, call: str, course: Course, *, kernels: bool = False) -> str:
    """The text of a bootstrap cell: import ``module`` of this package from wherever the package is, then run ``call``.

    Where a repository is configured and the package is nowhere, it installs the student kit's wheel from the tag's release,
    without dependencies, so that what a Colab runtime brings stays as it is; and Triton, where ``kernels`` need one and
    there is none.
    """
    if not course.published:
        fetch = [
            '    raise ImportError("The course is not here: clone its repository and open this notebook inside it.")'
        ]
        imports = "import sys; from pathlib import Path"
    else:
        triton = ' {"" if importlib.util.find_spec("triton") else "triton==3.6.0"}' if kernels else ""
        fetch = [
            f'    wheel = "{wheel_address(course)}"  # opened alone, as Colab does',
            f"    !{{sys.executable}} -m pip install -q --no-deps {{wheel}}{triton}",
            f"    importlib.invalidate_caches(); import {module}",
        ]
        imports = "import importlib.util, sys; from pathlib import Path"
    lines = [
        "# @title Set-up: run this cell first",
        imports,
        'roots = [p for p in (Path.cwd(), *Path.cwd().parents) if (p / "learning" / "lesson.py").is_file()]',
        "sys.path[:0] = map(str, roots[:1])  # the course around this notebook goes before an installed one",
        "try:",
        f"    import {module}",
        "except ImportError:",
        "    if roots: raise",
        *fetch,
        call,
    ]
    return "\n".join(lines)


def wheel_address(course: Course) -> str:
    """Where the student kit's wheel of the configured tag lies: among the files of that release on GitHub."""
    return f"https://github.com/{course.owner}/{course.repository}/releases/download/{course.tag}/{WHEEL}"
