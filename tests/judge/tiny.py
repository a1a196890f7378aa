"""Two small lessons with notebooks of their own, for tests of the worker: one adds tensors, one is plain Python."""

from __future__ import annotations

from learning.judge.cells import Cell, LearnerCells
from learning.lesson import Lesson

ADDING = Lesson(
    id="T0", title="Add", sentence="Adds.", level="beginner", order=0, minutes=1, needs=(), entries=("add",),
    contract="", hints=("a", "b", "c"), slug="tiny_add",
)  # fmt: skip
PLAIN = Lesson(
    id="T1", title="Echo", sentence="Echoes.", level="beginner", order=0, minutes=1, needs=(), entries=("echo",),
    contract="", hints=("a", "b", "c"), slug="tiny_echo", kind="cpu",
)  # fmt: skip

IMPORTS = "import torch\nimport triton\nimport triton.language as tl\n"

RIGHT = '''
@triton.jit
def add_kernel(x_ptr, y_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x + tl.load(y_ptr + offsets, mask=mask), mask=mask)


def add(x, y):
    out = torch.empty_like(x)
    add_kernel[(triton.cdiv(x.numel(), 256),)](x, y, out, x.numel(), BLOCK=256)
    return out
'''  # fmt: skip

STARTER = "def add(x, y):\n    # your code\n    ...\n"

_CHECK = '''
from learning.judge import check


@check(points={points}, hidden={hidden})
def {name}(add, trial):
    """It adds."""
    trial.case("{size} numbers")
    trial.parity(add, trial.normal({size}), trial.normal({size}), reference=add_reference, exact=True)


{name}(add)
'''

_ECHO = '''
from learning.judge import check


@check(points=1)
def {name}(echo, trial):
    """It gives back what it got."""
    for value in {values}:
        trial.case(repr(value)[:40])
        got = trial.returns(echo, value)
        trial.expect(same_bits(got, value), called=f"echo({{value!r}})", got=repr(got), expected=repr(value))


{name}(echo)
'''

_SAME_BITS = """
import struct


def same_bits(one, other):
    if type(one) is not type(other):
        return False
    if isinstance(one, (tuple, list)):
        return len(one) == len(other) and all(map(same_bits, one, other))
    return struct.pack("d", one) == struct.pack("d", other) if isinstance(one, float) else one == other
"""


def cell(role: str, name: str, source: str, points: float | None = None) -> dict:
    """A notebook cell as the builder writes it."""
    metadata: dict = {"learning": {"role": role}}
    if role in ("check", "hidden", "answer"):
        metadata["nbgrader"] = {
            "grade_id": name,
            "grade": points is not None,
            "points": points,
            "solution": role == "answer",
        }
    return {"cell_type": "code", "id": name.replace("_", "-"), "metadata": metadata, "source": source}


def adding_notebook() -> dict:
    """The instructor's notebook of ``ADDING``: two public checks, one hidden; six points."""
    reference = "def add_reference(x, y):\n    return x + y\n"
    answer = "def add(x, y):\n    # your code\n    ### BEGIN SOLUTION\n    return x + y\n    ### END SOLUTION\n"
    cells = [
        cell("setup", "setup_imports", IMPORTS),
        cell("setup", "setup_reference", reference),
        cell("answer", "answer_add", answer),
        cell("check", "check_adds", _CHECK.format(points=1, hidden=False, name="adds", size=1000), 1),
        cell("check", "check_adds_few", _CHECK.format(points=2, hidden=False, name="adds_few", size=3), 2),
        cell("hidden", "hidden_adds_many", _CHECK.format(points=3, hidden=True, name="adds_many", size=4099), 3),
    ]
    return {"cells": cells, "metadata": {"learning": {"lesson": "tiny_add", "version": 4}}, "nbformat": 4}


def echo_notebook() -> dict:
    """The instructor's notebook of ``PLAIN``: two checks of a point each."""
    values = '[(float("-inf"), 0.1), (float("nan"), -0.0), 5e-324, 2**80, True, "a", None, [1.5] * 40]'
    cells = [
        cell("setup", "setup_math", "import math\n" + _SAME_BITS),
        cell("answer", "answer_echo", "def echo(x):\n    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION\n"),
        cell("check", "check_echoes", _ECHO.format(name="echoes", values=values), 1),
        cell("check", "check_echoes_again", _ECHO.format(name="echoes_again", values="[1.0, (2.0, 3.0)]"), 1),
    ]
    return {"cells": cells, "metadata": {}, "nbformat": 4}


def submission(*sources: str | Cell) -> LearnerCells:
    """Answer cells called ``answer_1``, ``answer_2``, …, or the given cells."""
    cells = [Cell(f"answer_{n}", s) if isinstance(s, str) else s for n, s in enumerate(sources, 1)]
    return LearnerCells(cells)
