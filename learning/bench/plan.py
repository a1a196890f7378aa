"""What a lesson's ``benchmark.py`` states: two shapes, the inputs, the work, whom the answer stands beside.

Standard library only at module level; ``Draw`` uses torch when it is asked for a tensor.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from learning.lesson import Lesson, LessonError

FILE = "benchmark.py"
COPY = "copy of as many bytes"
"""The peer every plan has: ``torch.Tensor.copy_`` moving, read and write together, the bytes that ``work`` counts."""


@dataclass(frozen=True)
class Shape:
    """One fixed case: ``name`` as predictions and records name it, ``about`` in words ("8192 rows of 8192, float16"), and
    ``sizes``, the keyword arguments of the plan's ``inputs``."""

    name: str
    about: str
    sizes: dict[str, Any]


@dataclass(frozen=True)
class Peer:
    """Somebody the answer is measured beside: ``call`` takes the answer's arguments.

    ``rounding`` says how it computes and rounds, in words. ``compiled`` passes it through ``torch.compile`` first;
    ``needs`` names a module without which it is left out (with that reason).
    """

    name: str
    call: Callable
    rounding: str
    compiled: bool = False
    needs: str = ""

    def missing(self) -> str:
        """Why it cannot be measured here, "" where it can."""
        if not self.needs:
            return ""
        try:
            found = importlib.util.find_spec(self.needs) is not None
        except (ImportError, ValueError):
            found = False
        return "" if found else f"{self.needs.split('.')[0]} is not installed"


@dataclass(frozen=True)
class Row:
    """A row of the course's own speed table: on ``shape`` an answer's time is at most ``at_most`` × that of the peer
    ``versus`` (``COPY``, or a ``Peer``'s name). ``answer`` names the function in ``answer.py``, "" the entry."""

    claim: str
    shape: str
    versus: str
    at_most: float = 1.0
    answer: str = ""


@dataclass(frozen=True)
class Plan:
    """A lesson's benchmark. ``inputs(draw, **sizes)`` gives ``(args, kwargs)`` of one call and ``work(*args, **kwargs)`` the
    ``roofline.Work`` it needs at least; ``oracle`` is the truth for float64 copies of the arguments; ``tiny`` are sizes
    that an interpreter computes at once; ``rows`` the speed rows; ``tuned`` more functions of ``answer.py`` with the same contract."""

    lesson: Lesson
    shapes: tuple[Shape, ...]
    inputs: Callable
    work: Callable
    oracle: Callable
    peers: tuple[Peer, ...]
    tiny: dict[str, Any]
    rows: tuple[Row, ...] = ()
    tuned: tuple[str, ...] = ()

    def shape(self, name: str) -> Shape:
        """The shape of that name; ``KeyError`` names those there are."""
        for shape in self.shapes:
            if shape.name == name:
                return shape
        raise KeyError(
            f"{self.lesson.slug} has no shape {name!r}; its shapes are {', '.join(s.name for s in self.shapes)}"
        )


def has_plan(lesson: Lesson) -> bool:
    """Whether the lesson's folder holds a ``benchmark.py``."""
    return (lesson.folder / FILE).is_file()


def load(lesson: Lesson) -> Plan:
    """The lesson's plan, checked. Raises ``LessonError`` naming the file and what it lacks."""
    where = f"learning/{lesson.root.name}/{lesson.slug}/{FILE}"
    if not has_plan(lesson):
        raise LessonError(f"{where} is missing: it states two shapes, inputs, work, oracle, PEERS and TINY")
    module = _module(lesson)
    lacking = [n for n in ("SHAPES", "TINY", "inputs", "work", "oracle", "PEERS") if not hasattr(module, n)]
    if lacking:
        raise LessonError(f"{where} defines no {', '.join(lacking)}")
    plan = Plan(
        lesson, tuple(module.SHAPES), module.inputs, module.work, module.oracle, tuple(module.PEERS), dict(module.TINY),
        tuple(getattr(module, "ROWS", ())), tuple(getattr(module, "TUNED", ())),
    )  # fmt: skip
    _check(plan, where)
    return plan


def _module(lesson: Lesson) -> ModuleType:
    from learning import lesson as lessons

    if lesson.root in (lessons.LESSONS, lessons.CAPSTONES):
        return importlib.import_module(f"learning.{lesson.root.name}.{lesson.slug}.benchmark")
    name = f"_benchmark_{hashlib.sha256(str(lesson.folder).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, lesson.folder / FILE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _check(plan: Plan, where: str) -> None:
    if len(plan.shapes) != 2 or len({shape.name for shape in plan.shapes}) != 2:
        raise LessonError(f"{where}: SHAPES holds {len(plan.shapes)}; an operation has two, of different names")
    names = [peer.name for peer in plan.peers]
    if not plan.peers or len(set(names)) != len(names) or COPY in names:
        raise LessonError(f"{where}: PEERS must be some, with different names, none of them {COPY!r}")
    for peer in plan.peers:
        if not peer.rounding.strip():
            raise LessonError(f"{where}: the peer {peer.name!r} does not say how it rounds")
    for row in plan.rows:
        if row.shape not in {shape.name for shape in plan.shapes}:
            raise LessonError(f"{where}: the row {row.claim!r} names no shape of SHAPES: {row.shape!r}")
        if row.versus not in (COPY, *names):
            raise LessonError(f"{where}: the row {row.claim!r} names no peer: {row.versus!r}")
        if row.answer not in ("", plan.lesson.entry, *plan.tuned):
            raise LessonError(
                f"{where}: the row {row.claim!r} names an answer that TUNED does not list: {row.answer!r}"
            )


def seed(slug: str, shape: str) -> int:
    """The published 63-bit seed of a shape's inputs."""
    return int.from_bytes(hashlib.sha256(f"benchmark|{slug}|{shape}".encode()).digest()[:8], "little") >> 1


@dataclass
class Draw:
    """What ``inputs`` draws from: seeded values made on ``device``, the same on every run of one kind of device."""

    seed: int
    device: str = "cuda"
    _source: Any = field(default=None, repr=False)

    def normal(self, *shape: int, dtype: Any = None, scale: float = 1.0, offset: float = 0.0):
        """Normal values times ``scale`` plus ``offset``, computed in fp32 and rounded once to ``dtype`` (fp32)."""
        import torch

        if self.device == "meta":  # shapes and bytes alone, as an estimate needs them
            return torch.empty(shape, dtype=dtype or torch.float32, device="meta")
        if self._source is None:
            self._source = torch.Generator(self.device).manual_seed(self.seed)
        values = torch.randn(shape, generator=self._source, device=self.device, dtype=torch.float32)
        if scale != 1.0 or offset != 0.0:
            values = values.mul_(scale).add_(offset)
        return values.to(dtype or torch.float32)
