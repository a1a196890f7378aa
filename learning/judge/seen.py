"""What a traced call was seen to do to memory, as the judge reads it: facts out of ``learning.lens.witness``, and words.

In ``check`` and under autograde they are a worker's claims: they may cost points and never earn them. Standard library only.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

OUT_OF_BOUNDS_LOAD, OUT_OF_BOUNDS_STORE = "out-of-bounds load", "out-of-bounds store"
UNINITIALISED, DOUBLE_WRITE, RACE = "uninitialised read", "double write", "race between programs"
KINDS = (OUT_OF_BOUNDS_LOAD, OUT_OF_BOUNDS_STORE, UNINITIALISED, DOUBLE_WRITE, RACE)
"""The words of ``learning.lens.trace``, which needs numpy."""
_MOST = 64
_ADVICE = {
    OUT_OF_BOUNDS_LOAD: "which lanes own no element? They need a mask, also where what they load is never used. A lane that "
    "owns one and reads elsewhere has a wrong address: which strides stand in its offset?",
    OUT_OF_BOUNDS_STORE: "the store needs the mask of the lanes that own an element; where it has that, its address is wrong: "
    "whose strides stand in the offset?",
    UNINITIALISED: "what torch.empty hands out holds anything: write it before you read it",
    DOUBLE_WRITE: "which of the two programs owns these elements? Only that one may store them",
    RACE: "programs run in any order and at once: none may read what another writes in the same launch",
}


@dataclass
class Place:
    """A line: ``line`` counts from 1 in ``cell``, ``text`` is the line itself; 0 and "" where they are not known."""

    line: int = 0
    text: str = ""
    cell: str = ""

    @property
    def words(self) -> str:
        """``line 12 of cell answer: tl.load(…)``."""
        if not self.line:
            return self.text
        kind = "" if self.cell.endswith(".py") else "cell "
        return (
            f"line {self.line}" + (f" of {kind}{self.cell}" if self.cell else "") + (f": {self.text}" * bool(self.text))
        )


@dataclass
class Problem(Place):
    """Something no GPU would have reported; the fields are those of ``learning.lens.trace.Problem``."""

    kind: str = ""
    kernel: str = ""
    argument: str = ""
    program: tuple[int, ...] = ()
    other: tuple[int, ...] = ()
    count: int = 0
    first: int = 0
    last: int = 0
    size: int = 0

    @property
    def sentence(self) -> str:
        """``program 2 of add_kernel reads elements 2500 to 3071 of x_ptr, which has 2500``."""
        where = f"element {self.first}" if self.first == self.last else f"elements {self.first} to {self.last}"
        who, other = f"{_program(self.program)} of {self.kernel}", _program(self.other)
        inside = self.first >= 0 and self.last < self.size
        bound = "which lies between the elements of the view" if inside else f"which has {self.size}"
        return {
            OUT_OF_BOUNDS_LOAD: f"{who} reads {where} of {self.argument}, {bound}",
            OUT_OF_BOUNDS_STORE: f"{who} writes {where} of {self.argument}, {bound}",
            UNINITIALISED: f"{who} reads {where} of {self.argument}, which nothing has written yet",
            DOUBLE_WRITE: f"{who} writes {where} of {self.argument}, which {other or 'another'} has written already",
            RACE: f"{who} and {other or 'others'} both touch {where} of {self.argument}, and one of them writes",
        }[self.kind]

    @property
    def advice(self) -> str:
        """What to look at next."""
        return _ADVICE[self.kind]


@dataclass
class Sum(Place):
    """Additions of one kind in one element type: see ``learning.lens.trace.Sum``."""

    how: str = ""
    dtype: str = ""
    lanes: int = 0


@dataclass
class Tuned:
    """An autotuner that ran: its kernel, how many configurations, the names of its key, whether the grid was a function."""

    kernel: str = ""
    configs: int = 0
    key: list[str] = field(default_factory=list)
    grid_is_function: bool = False


@dataclass
class Counts:
    """One tensor's traffic in elements: see ``learning.lens.witness.counts``. ``untouched`` elements of a result nobody
    wrote, from ``untouched_first`` to ``untouched_last`` in order of memory."""

    elements: int = 0
    itemsize: int = 0
    loaded: int = 0
    stored: int = 0
    read: int = 0
    written: int = 0
    most_loaded: int = 0
    most_stored: int = 0
    others: list[float] = field(default_factory=list)
    untouched: int = 0
    untouched_first: int = 0
    untouched_last: int = 0

    @property
    def passes(self) -> float:
        """Bytes requested by loads and stores ÷ the tensor's bytes."""
        return (self.loaded + self.stored) / self.elements if self.elements else 0.0


@dataclass
class Launch:
    """One launch: kernel, grid, programs that ran, elements ``loaded`` by all of them and by the ``busiest``."""

    kernel: str = ""
    grid: list[int] = field(default_factory=list)
    programs: int = 0
    loaded: int = 0
    busiest: int = 0


@dataclass
class Trace:
    """One call: launches in order, counts of its tensor arguments and of its results in order, ``scratch`` bytes moved to and
    from other memory, ``hurried`` where there was no time to look at everything."""

    launches: list[Launch] = field(default_factory=list)
    inputs: list[Counts] = field(default_factory=list)
    outputs: list[Counts] = field(default_factory=list)
    scratch: int = 0
    problems: list[Problem] = field(default_factory=list)
    sums: list[Sum] = field(default_factory=list)
    tuned: list[Tuned] = field(default_factory=list)
    hurried: bool = False

    @classmethod
    def of(cls, told: dict | None) -> Trace | None:
        """Read what was told, None for None; everything is checked. Raises ``ValueError``, ``TypeError`` or ``KeyError``
        for what no witness tells."""
        if told is None:
            return None
        trace = cls(hurried=told["hurried"] is True, scratch=_count(told["scratch"]))
        for name, kind in (("launches", Launch), ("inputs", Counts), ("outputs", Counts), ("problems", Problem),
                           ("sums", Sum), ("tuned", Tuned)):  # fmt: skip
            setattr(trace, name, [_read(kind, item) for item in told[name][:_MOST]])
        if any(problem.kind not in KINDS for problem in trace.problems):
            raise ValueError("a problem of an unknown kind")
        return trace

    def plain(self) -> dict:
        """The inverse of ``of``: what JSON can hold."""
        told = asdict(self)
        for counts in (*told["inputs"], *told["outputs"]):
            counts["others"] = [value if abs(value) < float("inf") else str(value) for value in counts["others"]]
        return told


def _read(kind: type, item: dict) -> Any:
    """An instance of a dataclass of plain fields, each read as the type of its default."""
    made = kind()
    for name, default in asdict(made).items():
        if name not in item:
            continue
        value = item[name]
        if isinstance(default, bool):
            value = value is True
        elif isinstance(default, int):
            value = _count(value)
        elif isinstance(default, str):
            value = str(value)[:300]
        elif name in ("program", "other"):
            value = tuple(_count(number) for number in (value or ())[:3])
        elif name == "others":
            value = [float(number) for number in value[:_MOST]]
        elif name == "grid":
            value = [_count(number) for number in value[:3]]
        else:
            value = [str(text)[:80] for text in value[:_MOST]]
        setattr(made, name, value)
    return made


def _count(value: Any) -> int:
    if type(value) is not int or abs(value) >= 1 << 62:
        raise ValueError(f"{value!r} is no count")
    return value


def _program(number: tuple[int, ...]) -> str:
    """``program 2`` of a launch with one axis, ``program (2, 1)`` of one with more; "" for none."""
    if not number:
        return ""
    while len(number) > 1 and number[-1] == 0:
        number = number[:-1]
    return f"program {number[0] if len(number) == 1 else number}"
