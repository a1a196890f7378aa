"""A class of submissions for a lesson, each with a story and what it must get: the demonstration's and the tests' input."""

from __future__ import annotations

import copy
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from learning.attempts import attempts
from learning.course import role, text
from learning.lesson import Lesson

LOOP = "while True:\n        pass"
CRASH = "import os\n    os._exit(0)"


@dataclass(frozen=True)
class Handin:
    """One submission: ``who`` hands in ``notebook`` (JSON text), and what must come of it.

    ``expects`` is "full" (every point that can be graded here), "loses" (the check in ``check`` fails where the device
    is one of ``dies_on``), "nothing" (no points), or "cause" (failed to grade, for a named reason).
    """

    who: str
    story: str
    notebook: str
    expects: str
    check: str = ""
    dies_on: tuple[str, ...] = ()


def handins(lesson: Lesson, source: dict, release: dict) -> Iterator[Handin]:
    """The class of ``lesson``: its answer, variants and mutants, and the hand-ins that every class sees.

    ``source`` is the instructor's notebook and ``release`` the student's, as JSON. The full answer also explains
    itself, so that something is left to a person.
    """
    for attempt in attempts(lesson):
        story = attempt.story.split("\n")[0]
        if attempt.kind == "answer":
            yield Handin("ada", story, json.dumps(with_answer(release, answer_of(source), explain=True)), "full")
        elif attempt.kind == "variant":
            notebook = with_answer(release, code_of(attempt.source, release))
            yield Handin(f"variant-{dashed(attempt.name)}", story, json.dumps(notebook), "full")
        else:
            notebook = json.dumps(with_answer(release, code_of(attempt.source, release)))
            who = f"mutant-{dashed(attempt.name)}"
            yield Handin(who, story, notebook, "loses", attempt.caught_by, attempt.dies_on)
    yield from everyday(lesson, source, release)


def everyday(lesson: Lesson, source: dict, release: dict) -> Iterator[Handin]:
    """The hand-ins that have nothing to do with the lesson's idea."""
    answer = answer_of(source)
    yield Handin("untouched", "the release, as it was fetched", json.dumps(release), "nothing")
    yield Handin("half-finished", "stops in the middle of the last function", _json(release, half(answer)), "nothing")
    yield Handin("syntax-error", "a bracket is missing", _json(release, answer.replace("(", "((", 1)), "nothing")
    yield Handin("endless-loop", "never comes back", _json(release, replaced(lesson, answer, LOOP)), "nothing")
    yield Handin(
        "os-exit", "ends the process with status 0", _json(release, replaced(lesson, answer, CRASH)), "nothing"
    )
    if lesson.kind == "gpu":
        yield Handin("out-of-bounds", "stores far outside of its tensor", _json(release, wild(lesson)), "nothing")
    else:
        deep = "return (lambda f: f(f))(lambda f: f(f))"
        yield Handin("recursion", "calls itself without end", _json(release, replaced(lesson, answer, deep)), "nothing")
    yield Handin("damaged-file", "an upload that broke off", json.dumps(release)[:2000], "cause")


def smaller(everyone: list[Handin], most: int | None) -> list[Handin]:
    """At most ``most`` of a class, in its order: of mutants and variants as many as there is room for, spread evenly; who
    has nothing to do with the lesson's idea always stays."""
    many = [handin for handin in everyone if handin.who.startswith(("mutant-", "variant-"))]
    room = len(many) if most is None else max(0, most - (len(everyone) - len(many)))
    if room >= len(many):
        return everyone
    kept = {many[index * len(many) // room].who for index in range(room)}
    return [handin for handin in everyone if handin not in many or handin.who in kept]


def wild(lesson: Lesson) -> str:
    """An entry whose kernel stores a gigabyte behind its tensor."""
    functions = "\n\n\n".join(
        f"def {name}(*tensors, **options):\n    wild_kernel[(1,)](tensors[0])\n    return tensors[0]"
        for name in lesson.entries
    )
    kernel = "@triton.jit\ndef wild_kernel(x_ptr):\n    tl.store(x_ptr + (1 << 30) + tl.arange(0, 64), 1.0)"
    return f"{kernel}\n\n\n{functions}\n"


def replaced(lesson: Lesson, answer: str, body: str) -> str:
    """``answer`` with every entry function replaced by one whose body is ``body``."""
    functions = "\n\n\n".join(f"def {e}(*arguments, **options):\n    {body}" for e in lesson.entries if e.islower())
    return f"{answer}\n\n\n{functions}\n"


def half(answer: str) -> str:
    """``answer`` without the second half of its last function, which is left without an end."""
    lines = answer.rstrip().split("\n")
    return "\n".join(lines[: max(1, int(len(lines) * 0.75))]) + "\n    unfinished = (1 +\n"


def answer_of(source: dict) -> str:
    """The text of the instructor's answer cells without their markers."""
    parts = [text(cell) for cell in source["cells"] if role(cell) == "answer"]
    return "\n\n\n".join("\n".join(line for line in part.split("\n") if " SOLUTION" not in line) for part in parts)


def code_of(module: str, release: dict) -> str:
    """What a learner would type of an attempt's ``module``: without its docstring and the imports the set-up has."""
    import ast

    tree = ast.parse(module)
    lines = module.split("\n")
    skipped: set[int] = set()
    for number, node in enumerate(tree.body):
        first = number == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        facts = isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("CAUGHT_BY", "DIES_ON")
        if first or facts:
            skipped |= set(range(node.lineno, node.end_lineno + 1))
    kept = [line for number, line in enumerate(lines, 1) if number not in skipped and " SOLUTION" not in line]
    return "\n".join(kept).strip() + "\n"


def with_answer(release: dict, answer: str, *, explain: bool = False) -> dict:
    """The release with ``answer`` typed into its first answer cell, and the explanation written where ``explain``."""
    notebook, first = copy.deepcopy(release), True
    for cell in notebook["cells"]:
        if role(cell) == "answer":
            cell["source"], first = (answer if first else ""), False
        elif role(cell) == "explain" and explain:
            cell["source"] = text(cell) + "\n\nEach program owns one tile; the mask guards the ragged end.\n"
    return notebook


def _json(release: dict, answer: str) -> str:
    return json.dumps(with_answer(release, answer))


def dashed(name: str) -> str:
    return name.replace("_", "-")


def lay_out(submitted: Path, lesson: Lesson, classroom: list[Handin]) -> None:
    """Write the class's submissions to ``submitted/<who>/<slug>/<slug>.ipynb``."""
    for handin in classroom:
        folder = submitted / handin.who / lesson.slug
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        (folder / f"{lesson.slug}.ipynb").write_text(handin.notebook, encoding="utf-8")
