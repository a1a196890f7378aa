"""The lesson card and how lessons are found: one folder a lesson, no registry.

Standard library only, so that listing lessons and reading hints works under ``python -S`` on a machine with
nothing installed.
"""

from __future__ import annotations

import difflib
import hashlib
import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

LESSONS = Path(__file__).parent / "lessons"
CAPSTONES = Path(__file__).parent / "capstones"
"""Open tasks, of level "capstone": found by name beside the lessons, and listed only where that level is asked for."""
LEVELS = ("beginner", "intermediate", "advanced", "capstone")
GATES = (
    "reference", "grid", "tile", "masks", "kernel", "parity",
    "bench", "bound", "compare", "autotune", "blank_page", "log",
)  # fmt: skip


class LessonError(ValueError):
    """A lesson card says something the course cannot work with; the message names the field and the remedy."""


class UnknownLesson(LookupError):
    """No lesson has this name; ``near`` lists names that look like it."""

    def __init__(self, name: str, near: list[str]):
        self.name, self.near = name, near
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        super().__init__(f"there is no lesson called {name!r}.{hint}")


@dataclass(frozen=True)
class Lesson:
    """One lesson's card: what its folder's ``__init__.py`` states.

    ``id`` is the course's short name ("L1"), ``slug`` the folder's name, ``entries`` the names the learner defines and
    the checks call, ``kind`` "gpu" or "cpu" (where the graded code runs), ``minutes`` the whole working time a learner
    is told, ``contract`` the binding sentences in Markdown, ``hints`` three of them in rising order, ``gates`` those of
    the twelve that apply, ``imports`` the modules an answer may import, ``forbids`` torch calls that the house rules refuse
    in this lesson besides the usual ones ("contiguous"), ``version`` the released version (raise it when a graded cell changes).
    ``drivers`` are functions of the set-up cells through which checks call the entries, in the learner's process.
    """

    id: str
    title: str
    sentence: str
    level: str
    order: int
    minutes: int
    needs: tuple[str, ...]
    entries: tuple[str, ...]
    contract: str
    hints: tuple[str, ...]
    kind: str = "gpu"
    sessions: str = ""
    gates: tuple[str, ...] = GATES
    imports: tuple[str, ...] = ("torch", "triton", "triton.language", "math")
    forbids: tuple[str, ...] = ()
    drivers: tuple[str, ...] = ()
    version: int = 1
    slug: str = field(default="", compare=False)
    root: Path = field(default=LESSONS, compare=False)

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise LessonError(f"lesson {self.id}: level {self.level!r} is not one of {', '.join(LEVELS)}")
        if self.kind not in ("gpu", "cpu"):
            raise LessonError(f"lesson {self.id}: kind {self.kind!r} is neither 'gpu' nor 'cpu'")
        if len(self.hints) != 3:
            raise LessonError(f"lesson {self.id}: {len(self.hints)} hints, and a lesson has three")
        if not self.entries:
            raise LessonError(f"lesson {self.id}: entries is empty; name what the learner defines")
        unknown = [gate for gate in self.gates if gate not in GATES]
        if unknown:
            raise LessonError(f"lesson {self.id}: unknown gates {', '.join(unknown)}")

    @property
    def folder(self) -> Path:
        """The folder its author writes, ``learning/lessons/<slug>``."""
        return self.root / self.slug

    @property
    def entry(self) -> str:
        """The entry point named first; the one a learner would call."""
        return self.entries[0]


@dataclass(frozen=True)
class Variation:
    """A blank page's contract: ``entry`` the function to write from memory, ``brief`` its contract in Markdown, ``changes``
    what differs from the lesson's own. ``blank_page.py`` holds them, each beside a function ``<entry>_reference``.

    What the judge of a blank page tries: ``inputs(draw, dtype, **case)`` gives the arguments of one call, drawn from
    ``draw`` (``normal``, ``distinct``, ``layout`` as a check's ``trial`` has them), for each of ``cases``, the ragged one that
    is tried in every dtype first; ``dtypes`` are those of the contract, all cases being tried in the first. ``exact`` and ``k`` are
    those of ``Trial.parity``. ``options`` are keywords of the entry, case by case in turn, and of the reference where it names
    them. ``<entry>_oracle`` or ``<entry>_oracle_in(dtype)`` is the truth where the reference rounds on the way,
    ``<entry>_condition`` or ``<entry>_condition_in(dtype)`` what rounding errors scale with. ``names`` are the functions to
    write where they are not ``entry`` alone; such a folder judges them itself (``agrees``, ``reference_agrees``).
    """

    entry: str
    brief: str
    changes: str
    inputs: Callable | None = None
    cases: tuple[dict, ...] = ()
    exact: bool | str = False
    options: tuple[dict, ...] = ({},)
    dtypes: tuple[str, ...] = ("float32", "float16", "bfloat16")
    k: float = 2.0
    names: tuple[str, ...] = ()


def load(slug: str, root: Path = LESSONS) -> Lesson:
    """Return the card of the lesson in folder ``root/slug``; by default that of a capstone, too.

    Raises ``UnknownLesson`` (with near names) where no such folder holds a card.
    """
    before = sys.modules.get(f"learning.{root.name}.{slug}") if root == LESSONS else None
    card = getattr(before, "LESSON", None)
    if isinstance(card, Lesson) and (card.slug, card.root) == (slug, root):
        return card  # checks ask for it again and again, and a search reads two folders
    home = _home(slug, root)
    if home is None:
        raise UnknownLesson(slug, near(slug, root))
    return _card(slug, home)


def _home(slug: str, root: Path) -> Path | None:
    """The folder in which ``slug`` is a lesson's, None where there is none."""
    return next((place for place in _places(root) if slug in slugs(place)), None)


def _card(slug: str, root: Path) -> Lesson:
    """The card in ``root/slug``, which is known to be there."""
    ours = root in (LESSONS, CAPSTONES)
    module = importlib.import_module(f"learning.{root.name}.{slug}") if ours else _import_from(root / slug)
    card = getattr(module, "LESSON", None)
    if not isinstance(card, Lesson):
        raise LessonError(f"lesson {slug}: its __init__.py defines no LESSON = Lesson(...)")
    object.__setattr__(card, "slug", slug)
    object.__setattr__(card, "root", root)
    return card


def _places(root: Path) -> tuple[Path, ...]:
    """Where a name is looked for: the course's capstones stand beside its lessons."""
    return (LESSONS, CAPSTONES) if root == LESSONS else (root,)


def _import_from(folder: Path):
    """The package in ``folder`` under a name of its own, so that lessons elsewhere never shadow the course's."""
    name = f"_lesson_{hashlib.sha256(str(folder).encode()).hexdigest()[:12]}_{folder.name}"
    spec = importlib.util.spec_from_file_location(
        name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def find(name: str, root: Path = LESSONS) -> Lesson:
    """Return the lesson or capstone whose slug or id (in any case) is ``name``; raises ``UnknownLesson``."""
    wanted = name.strip().lower().replace("-", "_")
    home = _home(wanted, root)
    if home is not None:
        return _card(wanted, home)  # without reading every other card
    for lesson in (one for place in _places(root) for one in discover(root=place)):
        if wanted in (lesson.slug, lesson.id.lower()):
            return lesson
    raise UnknownLesson(name, near(wanted, root))


def slugs(root: Path = LESSONS) -> list[str]:
    """Folder names under ``root`` that hold a card, sorted."""
    return sorted(m.name for m in pkgutil.iter_modules([str(root)]) if m.ispkg and not m.name.startswith("_"))


def discover(level: str | None = None, root: Path = LESSONS) -> list[Lesson]:
    """Every lesson in course order, or those of one ``level``; the course's capstones where that level is asked for."""
    root = CAPSTONES if level == "capstone" and root == LESSONS else root
    lessons = sorted((_card(slug, root) for slug in slugs(root)), key=lambda lesson: (lesson.order, lesson.id))
    return [lesson for lesson in lessons if level in (None, lesson.level)]


def near(name: str, root: Path = LESSONS) -> list[str]:
    """Up to three slugs that resemble ``name``."""
    known = [slug for place in _places(root) for slug in slugs(place)]
    return difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.5)
