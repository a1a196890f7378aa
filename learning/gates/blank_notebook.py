"""The notebook of a blank page, and the same with the cells the judge runs. Plain JSON; standard library only.

What a learner sees: title, brief, the contract that stays, the house rules, two empty cells, a cell that asks the judge.
"""

from __future__ import annotations

import inspect
import json

from learning import course
from learning.gates.blank_contract import REFERENCE, Page
from learning.judge import rules

GPU_SETUP = """\
import torch
import triton
import triton.language as tl

from learning.contract import require
from learning.lens import device

DEVICE = device.current().torch_device"""
CPU_SETUP = "import math"
JUDGE = "from learning.gates.blank import judge\n\njudge()"
_CHECKS = ("the_reference", "parity", "house_rules")


def notebook(page: Page) -> dict:
    """The learner's notebook, nbformat 4.5, without outputs."""
    entry, names = page.variation.entry, page.names
    wanted = ", ".join(f"`{name}`" for name in names)
    cells = [
        _text("title", f"# Blank page {page.number} · {page.lesson.id} {page.lesson.title}\n\n{_opening(page)}"),
        _code("bootstrap", "bootstrap", bootstrap(page), hidden=True),
        _text("brief", f"## What is asked for?\n\n{page.variation.brief}\n\n{_tried(page)}"),
        _text(
            "contract", f"### The contract of `{page.lesson.entry}`, of which the rest stays\n\n{page.lesson.contract}"
        ),
        _code("setup", "setup", setup(page)),
        _text("before-reference", _before_reference(page)),
        _code(f"answer-{REFERENCE}", "answer", f"# {REFERENCE}({page.parameters})"),
        _text("before-answer", f"## How is it written?\n\n{_rules(page)}"),
        _code("answer-kernel", "answer", f"# {', '.join(names)}"),
        _text("before-judge", _before_judge(page, wanted)),
        _code("judge", "show", JUDGE),
    ]
    return {
        "cells": cells,
        "metadata": {
            "accelerator": "GPU" if page.lesson.kind == "gpu" else "None",
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "learning": {
                "lesson": page.lesson.slug,
                "version": page.lesson.version,
                "blank": {"variation": entry, "page": page.number},
            },
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def judged(page: Page) -> dict:
    """The same with the page's three checks behind it: what the engine grades by."""
    made = notebook(page)
    slug, entry = page.lesson.slug, page.variation.entry
    for name in _CHECKS:
        given = REFERENCE if name == "the_reference" else ", ".join(page.names)
        text = f"from learning.gates import blank_checks\n\n{name} = blank_checks.{name}({slug!r}, {entry!r})\n{name}({given})"
        cell = _code(f"check-{name.replace('_', '-')}", "check", text)
        cell["metadata"]["nbgrader"] = {"grade_id": name, "points": 1, "grade": True, "solution": False, "locked": True}
        made["cells"].append(cell)
    return made


def dumps(made: dict) -> bytes:
    """The notebook as the bytes of its file."""
    return (json.dumps(made, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode()


def setup(page: Page) -> str:
    """The set-up cell: imports and what the variation gives, nothing of the lesson's."""
    text = CPU_SETUP if page.lesson.kind == "cpu" else GPU_SETUP
    given = getattr(page.module, "given", None)
    return text + (f"\n\n{given(page.variation)}" if given is not None else "")


def bootstrap(page: Page) -> str:
    """The lesson's own first cell, which finds the course, with the page opened below it."""
    begin = f'learning.session.begin("{page.lesson.slug}")'
    text = _released(page) or f"import learning.session\n{begin}"
    opened = f'open_page("{page.lesson.slug}", "{page.variation.entry}", {page.number})'
    return f"{text}\nfrom learning.gates.blank import open_page\n{opened}"


def _released(page: Page) -> str:
    for path in (course.release(page.lesson.slug), course.source(page.lesson.slug)):
        try:
            found = [course.text(cell) for cell in course.load(path)["cells"] if course.role(cell) == "bootstrap"]
        except (OSError, course.NotebookError):
            continue
        if found:
            return found[0].rstrip("\n")
    return ""


def _opening(page: Page) -> str:
    gate = "a pass proves gate 11, blank page, of the lesson"
    return (
        f"Close the lesson and whatever else would tell you. All you need is on this page: a contract near the one you know, "
        f"two empty cells, and a cell that asks the judge. There is no clock and there are no points; {gate}.\n\n"
        "A kernel you cannot rewrite is a lesson you have read, not learned."
    )


def _tried(page: Page) -> str:
    if not page.variation.cases:
        return "The judge tries only values that the contract promises."
    sizes = "; ".join(" × ".join(str(value) for value in case.values()) for case in page.variation.cases)
    names = ", ".join(page.variation.cases[0])
    return (
        f"The judge tries these sizes ({names}): {sizes}. The first is tried in every dtype of the contract. It passes no argument that the "
        "contract excludes, so refusing such arguments is left to you."
    )


def _before_reference(page: Page) -> str:
    doc = inspect.getdoc(page.reference) or ""
    returns = "the function below" if page.lesson.kind == "cpu" else "eager PyTorch, slow and obvious"
    what = f"It gives: {doc.splitlines()[0]}" if page.lesson.kind == "cpu" and doc else ""
    return (
        f"## What is it measured against?\n\nWithout a reference there is no kernel. Write `{REFERENCE}({page.parameters})` first: "
        f"{returns}. The judge holds it against its own in a check by itself. {what}"
    ).rstrip()


def _rules(page: Page) -> str:
    card = page.lesson
    text = rules.rules_text(card.imports, kernel=card.kind == "gpu", forbidden=card.forbids)
    return f"{text}\nHelpers and cells of your own are welcome anywhere on this page."


def _before_judge(page: Page, wanted: str) -> str:
    terminal = f"python -m learning.workshops.check {page.lesson.slug} --blank {page.number}"
    extra = " --interpret" if page.lesson.kind == "gpu" else ""
    more = f" (`{extra.strip()}` without a GPU)" if extra else ""
    return (
        f"## Is it right?\n\nThe judge runs {wanted} and `{REFERENCE}` in a process of their own. Save the notebook and the "
        f"same is asked from a terminal with `{terminal}`{more}."
    )


def _text(name: str, source: str) -> dict:
    return {
        "cell_type": "markdown", "id": f"blank-{name}", "metadata": {"learning": {"role": ""}}, "source": _lines(source),
    }  # fmt: skip


def _code(name: str, role: str, source: str, *, hidden: bool = False) -> dict:
    metadata: dict = {"learning": {"role": role}}
    if role == "answer":
        metadata["nbgrader"] = {"grade_id": name.replace("-", "_"), "grade": False, "solution": True, "locked": False}
    else:
        metadata |= {"deletable": False, "editable": False}
    if hidden:
        metadata |= {"cellView": "form", "jupyter": {"source_hidden": True}}
    return {
        "cell_type": "code", "id": f"blank-{name}", "metadata": metadata, "execution_count": None, "outputs": [],
        "source": _lines(source),
    }  # fmt: skip


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
