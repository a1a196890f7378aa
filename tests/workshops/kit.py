"""Notebooks of two real lessons, small enough to read, and a double of the judge."""

import json

from learning import course
from learning.judge.cells import starter_of
from learning.judge.engine import Graded
from learning.judge.finding import PASSED, CheckResult

ANSWER = {
    "vector_add": '''import torch
import triton
import triton.language as tl


def add(x, y):
    """The sum."""
    ### BEGIN SOLUTION
    return x + y
    ### END SOLUTION
''',
    "online_normalizer": """import math


def push(state, x):
    ### BEGIN SOLUTION
    return merge(state, (x, 1.0))
    ### END SOLUTION


def merge(a, b):
    ### BEGIN SOLUTION
    top = max(a[0], b[0])
    return (top, a[1] * math.exp(a[0] - top) + b[1] * math.exp(b[0] - top))
    ### END SOLUTION


def result(state):
    ### BEGIN SOLUTION
    return state
    ### END SOLUTION
""",
}


def cell(role, name, source, *, kind="code", points=None):
    metadata = {"learning": {"role": role}}
    if role in ("answer", "setup", "check", "hidden", "explain"):
        metadata["nbgrader"] = {"grade_id": name, "solution": role in ("answer", "explain"),
                                "grade": points is not None, "locked": role in ("setup", "check", "hidden"),
                                "schema_version": 3, "task": False}  # fmt: skip
        if points is not None:
            metadata["nbgrader"]["points"] = points
    made = {"cell_type": kind, "id": name.replace("_", "-"), "metadata": metadata, "source": source}
    return made | ({"outputs": [], "execution_count": None} if kind == "code" else {})


def notebook(slug, *, solved=False, version=1):
    answer = ANSWER[slug] if solved else starter_of(ANSWER[slug])
    return {
        "cells": [
            cell("setup", "setup_reference", "def add_reference(x, y):\n    return x + y"),
            cell("answer", "answer", answer),
            cell("check", "adds", "adds()", points=3),
            cell("check", "keeps_inputs", "keeps_inputs()", points=1),
            cell("hidden", "adds_in_secret", "# adds_in_secret()", points=8),
            cell("explain", "explanation", "Why?", kind="markdown", points=4),
        ],
        "metadata": {"learning": {"lesson": slug, "version": version}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def save(path, made):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(made))
    return path


def answered(made, source):
    """The learner's notebook ``made`` with ``source`` typed into its answer cell."""
    for each in made["cells"]:
        if each["metadata"]["learning"]["role"] == "answer":
            each["source"] = source
    return made


def solved_python(slug="online_normalizer"):
    return "\n".join(line for line in ANSWER[slug].splitlines() if "SOLUTION" not in line)


class Judge:
    """A double of the engine: gives every public check the next of ``states`` and remembers what it was asked."""

    def __init__(self, *states, **extra):
        self.states, self.extra, self.calls = states or (PASSED, PASSED), extra, []

    def __call__(self, lesson, learner, *, notebook, hidden, device, progress):
        self.calls.append((lesson.slug, learner, hidden, device))
        points = course.grade_cells(notebook, "check")
        results = [
            CheckResult(name, name.replace("_", " "), worth, worth if state == PASSED else 0.0, state, device=device)
            for (name, worth), state in zip(points, self.states, strict=True)
        ]
        for result in results:
            for key, value in self.extra.items():
                if result.state != PASSED:
                    setattr(result, key, value)
        for result in results:
            progress(result)
        return Graded(lesson.slug, 1, device, "no sandbox", results)
