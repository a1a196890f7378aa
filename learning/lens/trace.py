"""What a kernel does to memory, recorded while the interpreter runs it.

    with trace.recording() as tape:
        out = softmax(x)
    tape.launches[0].grid                    # (rows, 1, 1)
    tape.traffic(x).load_passes              # 1.0: every element of x was requested once
    tape.problems                            # out-of-bounds, double writes, races, uninitialised reads; empty is right

Counts are of *requested* traffic, the way a kernel asks for it: on hardware a cache may absorb a second request. Works
wherever kernels are interpreted: the virtual GPU and the plain interpreter. On a GPU the same call gives launches in the
same shape from Triton's launch hooks (``learning.lens.launches``): real grid, options and time, and no traffic.
"""

from __future__ import annotations

import contextlib
import math
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

OUT_OF_BOUNDS_LOAD = "out-of-bounds load"
OUT_OF_BOUNDS_STORE = "out-of-bounds store"
UNINITIALISED = "uninitialised read"
DOUBLE_WRITE = "double write"
RACE = "race between programs"

Program = tuple[int, int, int]


@dataclass(frozen=True)
class Problem:
    """Something no GPU would have reported.

    ``kind`` is one of the constants above; ``argument`` the kernel's parameter; ``program`` the first program that did
    it; ``count`` how many lanes of that operation; ``first``, ``last`` the lowest and highest element offset from the
    argument's pointer; ``line`` and ``text`` the source line, ``file`` the file it is in; ``size`` how many elements the
    argument's extent has; ``other`` the program on the other side of a race.
    """

    kind: str
    kernel: str
    argument: str
    program: Program
    count: int
    first: int
    last: int
    line: int
    text: str
    size: int
    other: Program | None = None
    file: str = ""

    def sentence(self) -> str:
        """One sentence a learner can act on."""
        where = f"element {self.first}" if self.first == self.last else f"elements {self.first} to {self.last}"
        what = {
            OUT_OF_BOUNDS_LOAD: f"reads {where} of {self.argument}, which has {self.size}",
            OUT_OF_BOUNDS_STORE: f"writes {where} of {self.argument}, which has {self.size}",
            UNINITIALISED: f"reads {where} of {self.argument}, which nothing has written yet",
            DOUBLE_WRITE: f"writes {where} of {self.argument}, which program {self.other} has written already",
            RACE: f"and program {self.other} both touch {where} of {self.argument}, and one of them writes",
        }[self.kind]
        if self.first >= 0 and self.last < self.size and self.kind.startswith("out-of-bounds"):
            what += ", but does not own that one: it lies between the elements of the view"
        line = f" (line {self.line}: {self.text})" if self.line else ""
        return f"program {self.program} of {self.kernel} {what}{line}"


@dataclass
class Sum:
    """Additions of one kind in one element type: ``how`` is "tl.sum", "tl.cumsum", "tl.dot", "tl.dot in TF32" (besides "tl.dot": of
    float32 operands that a card from sm_80 on would cut to ten bits), "tl.atomic_add", "+", or "+=" where
    a term is itself such a sum, as in a loop; ``dtype`` Triton's
    name of the type the partial sums have ("fp32", "fp16", "bf16"); ``lanes`` how many numbers were added in all; ``line``,
    ``text``, ``file`` where it was first met."""

    how: str
    dtype: str
    lanes: int
    line: int
    text: str
    file: str


@dataclass(frozen=True)
class Access:
    """One load or store of one program: element offsets of its active lanes, in the block's shape where all are."""

    program: Program
    argument: str
    store: bool
    shape: tuple[int, ...]
    offsets: np.ndarray
    active: np.ndarray
    line: int


@dataclass
class Traffic:
    """One tensor's traffic: counts in elements, ``bytes`` per element, sectors of 32 bytes.

    ``elements`` the tensor owns; ``loaded``, ``stored`` requested in all; ``distinct_loaded``, ``distinct_stored`` how
    many different ones; ``most_loaded``, ``most_stored`` the highest count of one element; ``load_lanes``,
    ``store_lanes`` lanes that stood in operations, of which ``masked_loads``, ``masked_stores`` were off; ``others`` the
    values that stood in masked-off lanes of loads.
    """

    name: str
    elements: int
    itemsize: int
    loaded: int = 0
    stored: int = 0
    distinct_loaded: int = 0
    distinct_stored: int = 0
    most_loaded: int = 0
    most_stored: int = 0
    load_lanes: int = 0
    masked_loads: int = 0
    store_lanes: int = 0
    masked_stores: int = 0
    load_sectors: int = 0
    store_sectors: int = 0
    others: tuple[float, ...] = ()

    @property
    def load_passes(self) -> float:
        """Bytes requested by loads ÷ the tensor's bytes."""
        return self.loaded / self.elements if self.elements else 0.0

    @property
    def store_passes(self) -> float:
        """Bytes requested by stores ÷ the tensor's bytes."""
        return self.stored / self.elements if self.elements else 0.0

    @property
    def load_efficiency(self) -> float:
        """Bytes wanted ÷ bytes of the sectors they lie in, operation by operation; 1.0 where nothing was loaded."""
        return self.loaded * self.itemsize / (32 * self.load_sectors) if self.load_sectors else 1.0

    @property
    def unwritten(self) -> int:
        """Elements no store reached."""
        return self.elements - self.distinct_stored


@dataclass
class LaunchTrace:
    """One launch: ``constexprs`` name to value, ``options`` as launched, ``tensors`` argument to traffic, ``dots`` and
    ``dot_flops`` (2·M·N·K each), ``flops`` element operations in floating point, dots included; ``accesses`` the loads
    and stores themselves where they were kept. Of a launch on a GPU ``microseconds`` is the time between events around
    it, and traffic and operations are not counted: ``tensors`` is empty, and every count 0. ``loaded`` elements were asked for by all programs
    together, ``busiest`` by the one that asked for most."""

    kernel: str
    grid: Program
    constexprs: dict[str, Any]
    options: dict[str, Any]
    tensors: dict[str, Traffic] = field(default_factory=dict)
    dots: int = 0
    dot_flops: int = 0
    flops: int = 0
    programs: int = 0
    accesses: list[Access] = field(default_factory=list)
    dot_dtypes: list[str] = field(default_factory=list)
    sums: list[Sum] = field(default_factory=list)
    microseconds: float | None = None
    loaded: int = 0
    busiest: int = 0

    @property
    def bytes(self) -> int:
        """Bytes requested by all loads and stores."""
        return sum((t.loaded + t.stored) * t.itemsize for t in self.tensors.values())

    @property
    def intensity(self) -> float:
        """Floating-point operations a requested byte."""
        return self.flops / self.bytes if self.bytes else 0.0

    def as_dict(self) -> dict[str, Any]:
        """What a record keeps of a launch: ``tile`` is the largest block stored by one program, axes of one lane left out.

        Traffic and operations stand in it only where they were counted, ``microseconds`` only where a GPU was timed.
        """
        plain = (int, float, str, bool)
        kept: dict[str, Any] = {
            "kernel": self.kernel,
            "grid": list(self.grid),
            "programs": self.programs,
            "constexprs": {name: value for name, value in self.constexprs.items() if isinstance(value, plain)},
            "options": {name: value for name, value in self.options.items() if isinstance(value, plain)},
        }
        if self.tensors:
            stores = [access.shape for access in self.accesses if access.store]
            largest = max(stores, key=math.prod, default=())
            kept["tile"] = [size for size in largest if size != 1] or ([1] if stores else [])
            kept |= {"tensors": list(self.tensors), "bytes": self.bytes, "flops": self.flops, "dots": self.dots}
            kept |= {"loaded": self.loaded, "busiest": self.busiest}
        if self.microseconds is not None:
            kept["microseconds"] = round(self.microseconds, 3)
        return kept


@dataclass
class Tape:
    """A recording: ``launches`` in order, ``problems`` in the order met, ``truncated`` where accesses were not kept.

    ``hurried`` is True where the time for looking closely was up, and only bounds were watched from then on;
    ``counted`` is False where launches ran on a GPU: then nothing was watched, and no problem found means nothing.
    """

    launches: list[LaunchTrace] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    truncated: bool = False
    hurried: bool = False
    counted: bool = True
    _memory: Any = field(default=None, repr=False)

    def traffic(self, tensor: Any) -> Traffic:
        """The traffic of ``tensor`` summed over all launches; raises ``KeyError`` where no launch was given it, and
        ``RuntimeError`` where launches ran on a GPU, which counts none."""
        return self._counts().traffic(tensor)

    def unwritten(self, tensor: Any) -> np.ndarray:
        """Offsets, from the tensor's first element, of elements it owns that no launch wrote."""
        return self._counts().unwritten(tensor)

    def _counts(self) -> Any:
        if not self.counted:
            raise RuntimeError(
                "these launches ran on a GPU, where hooks see grid, options and time and no traffic; trace on CPU copies, "
                "where kernels are interpreted (predictions.compare() does that with the lesson's small case)"
            )
        return self._memory


@contextlib.contextmanager
def recording(
    *,
    order: str | int | Callable[[list[Program]], Iterable[Program]] = "",
    allocations: bool = True,
    keep: int = 0,
    seconds: float = float("inf"),
    counts: bool = True,
) -> Iterator[Tape]:
    """Record every launch in the ``with`` block.

    ``order`` is "" (as launched), "reversed", an integer (the seed of a shuffle) or a function of the list of programs.
    ``allocations`` watches ``torch.empty`` and its kin, so that reads of memory nothing wrote are found. ``keep`` is how
    many lanes of accesses are kept for pictures, in all. After ``seconds`` of a processor's time
    spent on looking closely only bounds are watched; without
    ``counts`` only problems are found, for less time and memory.

    Where kernels run on a GPU in this process, launches come from its launch hooks, ``Tape.counted`` is False, and
    ``RuntimeError`` is raised for an ``order``, which no GPU takes.
    """
    from learning.lens import device

    if device.current().kind != "interpreter":
        if order != "":
            raise RuntimeError(
                f"kernels run on {device.current().name} here, which orders programs itself; trace on CPU copies, where "
                "they are interpreted"
            )
        from learning.lens import launches

        with launches.recording() as found:
            yield found
        return
    from learning.lens import recorder
    from learning.lens.interpreter import execute

    observer = recorder.Recorder(Tape(), arrangement(order), keep, seconds, counts)
    with observer.memory.watching() if allocations else contextlib.nullcontext():
        stop = execute.watch(observer)
        try:
            yield observer.tape
        finally:
            stop()


def uninitialised(tensor: Any) -> None:
    """Tell the recordings in force that nothing has written the elements of ``tensor`` yet.

    For allocators that hand out memory of their own, such as the judge's guard bands; ``torch.empty`` is noticed anyway.
    """
    from learning.lens.interpreter import execute

    for observer in execute.observers():
        if hasattr(observer, "uninitialised"):
            observer.uninitialised(tensor)


def arrangement(order: str | int | Callable) -> Callable[[list[Program]], Iterable[Program]]:
    """The function that arranges programs; raises ``ValueError`` for an order that has no meaning."""
    if callable(order):
        return order
    if isinstance(order, int) and not isinstance(order, bool):
        return lambda programs: random.Random(order).sample(list(programs), len(list(programs)))
    if order in ("", "reversed"):
        return (lambda programs: programs) if not order else lambda programs: list(reversed(programs))
    raise ValueError(f"order is {order!r}; it is '', 'reversed', the seed of a shuffle, or a function")
