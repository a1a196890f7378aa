"""The student kit: a wheel without answers, hidden checks and mutants, and a zip of what is opened in Jupyter.

The wheel holds the rooms a learner's notebook and terminal use, the releases, and of our answers vector_add's alone, by
which ``learning.doctor`` tries a machine. It asks for nothing that a Colab runtime has not, and for neither torch nor Triton:
those that are there are never touched. Both files are the same bytes whenever they are made from the same course.
"""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import learning
from learning import lesson as lessons
from learning.build import course as courses
from learning.build.audit import CANARY
from learning.build.finding import BuildError, Complaint
from learning.build.opening import WHEEL
from learning.files import replace
from learning.lesson import Lesson

ANSWERED = ("vector_add",)
"""Lessons whose answer is in the kit."""
ROOMS = ("bench", "companions", "doctor", "gates", "judge", "ledger", "lens", "widgets", "workshops")
LEFT_OUT = ("imported.py",)
GIVEN = ("__init__.py", "reference.py", "benchmark.py", "trace_case.py", "blank_page.py")
"""Files of a lesson's folder that its notebook, its benchmark and its blank page need."""
SUFFIXES = (".py", ".json", ".css", ".js")
EPOCH = 315532800  # 1980-01-01, the first date a zip can hold


def contents(root: Path = courses.ROOT) -> dict[str, bytes]:
    """What the wheel's package holds: bytes by path ("learning/lesson.py").

    Raises ``BuildError`` where a lesson has no release yet.
    """
    package = root / "learning"
    files = {f"learning/{path.name}": path for path in package.glob("*.py") if path.name not in LEFT_OUT}
    for room in ROOMS:
        found = (path for path in (package / room).rglob("*") if path.suffix in SUFFIXES)
        files |= {path.relative_to(root).as_posix(): path for path in found}
    for room in ("lessons", "capstones"):  # the capstones themselves come with the clone alone
        files[f"learning/{room}/__init__.py"] = package / room / "__init__.py"
    for card in _lessons(root):
        names = [*GIVEN, *(["answer.py"] if card.slug in ANSWERED else [])]
        files |= {f"learning/lessons/{card.slug}/{name}": card.folder / name for name in names}
        files[f"learning/releases/{card.slug}.ipynb"] = _release(card, root)
    return {name: path.read_bytes() for name, path in sorted(files.items()) if path.is_file()}


def pages(root: Path = courses.ROOT) -> dict[str, bytes]:
    """What the zip holds: the releases where they lie in the clone, the companions, and how to begin."""
    files = {f"release/{card.slug}/{card.slug}.ipynb": _release(card, root).read_bytes() for card in _lessons(root)}
    files |= {f"notebooks/{path.name}": path.read_bytes() for path in sorted((root / "notebooks").glob("*.ipynb"))}
    return files | {"README.txt": _begin(root).encode()}


def audit(files: dict[str, bytes], made: list) -> list[Complaint]:
    """What of ours ``files`` give away: tokens of hidden checks, and copies of the hidden regions of ``made`` lessons
    (their ``Assembly``), vector_add's own answer excepted."""
    from learning.build.lint import leaks
    from learning.build.markers import KINDS

    complaints = []
    markers = [f"BEGIN {kind}" for kind in KINDS]
    texts = {}
    for name, data in files.items():
        texts[name] = text = data.decode("utf-8", "replace").replace('\\"', '"').replace("\\n", "\n")
        found = sorted(set(CANARY.findall(text)))
        own = any(name == f"learning/lessons/{slug}/answer.py" for slug in ANSWERED)
        found += [] if own or not name.startswith("learning/lessons") else [m for m in markers if m in text]
        complaints += [Complaint("kit", name, "text", f"holds {told}", "report it") for told in found]
    for one in made:
        slug = one.folder.lesson.slug
        for secret in leaks.secrets(one.cells):
            if secret.kind == "SOLUTION" and slug in ANSWERED:
                continue
            for name in _where_it_would_lie(slug, texts):
                hits = leaks.shown(secret, texts[name])
                if len(hits) >= max(3, len(secret.lines) // 2):
                    complaints.append(
                        Complaint("kit", name, secret.cell, f"shows {len(hits)} hidden lines: {hits[0]!r}", "report it")
                    )
    return complaints


def _where_it_would_lie(slug: str, texts: dict[str, str]) -> list[str]:
    """A lesson's files in the kit but its released notebook, which the release's own audit has read."""
    return [name for name in texts if name.startswith(f"learning/lessons/{slug}/")]


def write(folder: Path, root: Path = courses.ROOT) -> list[Path]:
    """Make wheel and zip in ``folder`` (made where missing); returns their paths.

    Raises ``BuildError`` where the kit cannot be made.
    """
    with tempfile.TemporaryDirectory(prefix="kit-") as scratch:
        wheel = make_wheel(contents(root), Path(scratch), root)
        made = {folder / wheel.name: wheel.read_bytes()}
    made[folder / f"triton-kernel-course-{learning.__version__}.zip"] = zipped(pages(root))
    for path, data in made.items():
        replace(path, data)
    return list(made)


def make_wheel(files: dict[str, bytes], scratch: Path, root: Path = courses.ROOT) -> Path:
    """Lay ``files`` out in ``scratch`` and let flit make the wheel; returns its path there."""
    try:
        from flit_core import buildapi
    except ImportError:
        told = Complaint("kit", "flit_core", "package", "is not installed, and it makes the wheel", "run `make kit`")
        raise BuildError([told]) from None
    tree = scratch / "tree"
    for name, data in files.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (tree / "pyproject.toml").write_text(_project(root), encoding="utf-8")
    (scratch / "wheel").mkdir()
    kept = os.environ.get("SOURCE_DATE_EPOCH")
    os.environ["SOURCE_DATE_EPOCH"] = str(EPOCH)
    try:
        with contextlib.chdir(tree):
            name = buildapi.build_wheel(str(scratch / "wheel"))
    finally:
        if kept is None:
            del os.environ["SOURCE_DATE_EPOCH"]
        else:
            os.environ["SOURCE_DATE_EPOCH"] = kept
    return scratch / "wheel" / name


def zipped(files: dict[str, bytes]) -> bytes:
    """A zip of ``files`` in the order of their names, all dated 1980-01-01."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as book:
        for name, data in sorted(files.items()):
            entry = zipfile.ZipInfo(name)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            book.writestr(entry, data)
    return held.getvalue()


def _lessons(root: Path) -> Iterator[Lesson]:
    yield from lessons.discover(root=root / "learning" / "lessons")


def _release(card: Lesson, root: Path) -> Path:
    path = root / "release" / card.slug / f"{card.slug}.ipynb"
    if not path.is_file():
        remedy = f"python -m learning.build --release {card.slug}"
        raise BuildError([Complaint("kit", f"release/{card.slug}", "notebook", "is not made yet", remedy)])
    return path


def _project(root: Path) -> str:
    """The wheel's own pyproject.toml: the course's name, version and a learner's dependencies, and no extras."""
    told = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    needs = ", ".join(f'"{need}"' for need in told["dependencies"])
    return (
        '[build-system]\nrequires = ["flit_core"]\nbuild-backend = "flit_core.buildapi"\n\n'
        f'[project]\nname = "{told["name"]}"\nversion = "{learning.__version__}"\n'
        f'description = "{told["description"]}"\nrequires-python = "{told["requires-python"]}"\n'
        f'dependencies = [{needs}]\n\n[tool.flit.module]\nname = "learning"\n'
    )


def _begin(root: Path) -> str:
    course = courses.read(root)
    where = f" ({course.owner}/{course.repository}, {course.tag})" if course.published else ""
    return (
        f"Write Triton kernels, and prove that you can{where}\n\n"
        f"1. python -m pip install {WHEEL}\n"
        "   (Python 3.11 to 3.13. It brings no torch and no Triton; for kernels: pip install torch triton.)\n"
        "2. python -m learning.doctor           says what this machine can do\n"
        "3. Open notebooks/start_here.ipynb, then copy release/vector_add/vector_add.ipynb to a folder of your own and work there.\n"
        "   In a terminal: python -m learning.workshops.check --list\n"
    )
