"""A blank page as the course knows it: the lesson, the variation that was drawn, what is to be written.

Standard library only at module level; a GPU lesson's variations import torch.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from types import ModuleType
from typing import Any

from learning import lesson as lessons
from learning.lesson import Lesson, LessonError, Variation

FILE = "blank_page.py"
REFERENCE = "reference"
"""What a learner calls their own reference on a blank page."""


@dataclass(frozen=True)
class Page:
    """Blank page ``number`` of ``lesson``: a contract that differs from the lesson's by ``variation``."""

    lesson: Lesson
    variation: Variation
    number: int = 1

    @property
    def names(self) -> tuple[str, ...]:
        """What is to be written from memory, besides ``reference``."""
        return self.variation.names or (self.variation.entry,)

    @property
    def card(self) -> Lesson:
        """The lesson's card with the page's entries in place of its own: what the judge grades by."""
        return replace(self.lesson, entries=(*self.names, REFERENCE))

    @property
    def file(self) -> str:
        """The notebook's name, ``blank_2.ipynb``."""
        return f"blank_{self.number}.ipynb"

    @cached_property
    def module(self) -> ModuleType:
        """The lesson's ``blank_page.py``."""
        return module_of(self.lesson)

    @property
    def reference(self) -> Callable:
        """Our own eager reference of the variation."""
        return getattr(self.module, f"{self.variation.entry}_reference")

    @property
    def parameters(self) -> str:
        """The reference's parameters as they are written: "x, y, alpha", "q, k, *, causal"."""
        return str(inspect.signature(self.reference)).strip("()")

    def oracle(self, dtype: Any) -> Callable | None:
        """The truth for float64 copies of arguments that were given in ``dtype``; None where the reference is it."""
        return self._in(dtype, "oracle")

    def condition(self, dtype: Any) -> Callable | None:
        """What the rounding errors of each element scale with, for arguments in ``dtype``; None for the usual."""
        return self._in(dtype, "condition")

    def _in(self, dtype: Any, what: str) -> Callable | None:
        made = getattr(self.module, f"{self.variation.entry}_{what}_in", None)
        return made(dtype) if made is not None else getattr(self.module, f"{self.variation.entry}_{what}", None)


def page(slug: str, entry: str, number: int = 1) -> Page:
    """The page of lesson ``slug`` that asks for ``entry``. Raises ``UnknownLesson``, and ``LessonError`` where the lesson has no
    such variation."""
    card = lessons.find(slug)
    known = variations(card)
    found = next((one for one in known if one.entry == entry), None)
    if found is None:
        names = ", ".join(one.entry for one in known)
        raise LessonError(f"the blank page of {card.slug} has no variation {entry!r}; it has {names}")
    return Page(card, found, number)


def variations(card: Lesson) -> tuple[Variation, ...]:
    """The variations of a lesson; raises ``LessonError`` where it has none."""
    found = tuple(getattr(module_of(card), "VARIATIONS", ()))
    if not found:
        raise LessonError(f"learning/lessons/{card.slug}/{FILE} states no VARIATIONS")
    return found


def module_of(card: Lesson) -> ModuleType:
    """The lesson's ``blank_page.py``, imported; raises ``LessonError`` where it has none."""
    path = card.folder / FILE
    if not path.is_file():
        raise LessonError(f"{card.slug} has no blank page: learning/lessons/{card.slug}/{FILE} is missing")
    if card.root == lessons.LESSONS:
        return importlib.import_module(f"learning.lessons.{card.slug}.blank_page")
    name = f"_blank_page_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made
