"""Every damage met in the wild gives the right cells, or a cause that a learner can act on."""

import json
import os

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learning.grading import ingest, slot
from learning.grading.rebuild import Instructor
from learning.judge import match
from tests.grading.conftest import LESSON
from tests.grading.kit import text
from tests.grading.stories import NAMED, RIGHT, write


def told(make, folder, notebook, starter):
    options = {"starter": starter} if "starter" in make.__code__.co_varnames[: make.__code__.co_argcount] else {}
    make(folder, notebook, **options)


@pytest.fixture(scope="session")
def instructor(built):
    return Instructor.read(built.root / "source" / LESSON / f"{LESSON}.ipynb")


@pytest.fixture(scope="session")
def release(instructor):
    return json.loads(json.dumps(instructor.release))


@pytest.mark.parametrize("story", RIGHT, ids=str)
def test_a_damaged_submission_keeps_its_answer(story, built, release, tmp_path):
    notebook = built.answered(LESSON)
    want = next(text(c) for c in notebook["cells"] if c["id"].startswith("answer"))
    told(RIGHT[story], tmp_path / LESSON, notebook, built.starter(LESSON))
    found = ingest.submission(tmp_path / LESSON, LESSON)
    cells = match.learner_cells(found.notebook, release)
    assert runs_like(cells, want), cells
    explained = match.align(found.notebook, release)
    slot = next(s for s in explained.slots if s.role == "explain")
    assert "the mask guards the tail" in explained.text(slot)


def runs_like(cells, want) -> bool:
    """Whether the cells, run in order, define what the right answer defines, with the same code."""
    wanted, defined = functions(want), {}
    for cell in cells.cells:
        try:
            defined |= functions(cell.source)
        except (SyntaxError, RecursionError, MemoryError):
            continue
    return all(defined.get(name) == code for name, code in wanted.items())


def functions(source) -> dict:
    import ast

    from learning.judge.cells import neutralise

    tree = ast.parse(neutralise(source)[0])
    return {node.name: ast.dump(node) for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}


@pytest.mark.parametrize("story", [name for name in NAMED if name != "the_wrong_lessons_notebook"])
def test_what_cannot_be_graded_says_why_and_what_to_do(story, built, tmp_path):
    make, cause = NAMED[story]
    make(tmp_path / LESSON, built.answered(LESSON))
    with pytest.raises(ingest.Damage, match=cause) as raised:
        ingest.submission(tmp_path / LESSON, LESSON)
    assert len(str(raised.value)) < 300


def test_a_submission_folder_that_is_a_link_is_refused(built, tmp_path):
    write(tmp_path / "theirs" / LESSON, built.answered(LESSON))
    (tmp_path / LESSON).symlink_to(tmp_path / "theirs" / LESSON)
    with pytest.raises(ingest.Damage, match="symbolic link"):
        ingest.submission(tmp_path / LESSON, LESSON)


def test_a_name_that_is_no_text_can_be_told(built, tmp_path):
    folder = os.fsencode(tmp_path) + b"/" + LESSON.encode()
    os.mkdir(folder)
    for name in (b"r\xe9ponse.ipynb", b"r\xe9ponse 2.ipynb"):
        with open(folder + b"/" + name, "w") as file:
            file.write("{}")
    with pytest.raises(ingest.Damage, match="several notebooks") as raised:
        ingest.submission(tmp_path / LESSON, LESSON)
    assert str(raised.value).encode()


def test_a_pipe_does_not_make_the_grader_wait(tmp_path):
    os.mkfifo(tmp_path / f"{LESSON}.ipynb")
    with pytest.raises(ingest.Damage, match="not a regular file"):
        ingest.submission(tmp_path, LESSON)


def test_pasted_pictures_stay_with_the_explanation_and_other_attachments_do_not():
    bundle = {"a.png": {"image/png": "iVBORw0KGgo="}, "b.html": {"text/html": "<script>"}, "c": 3}
    cells = [{"cell_type": "markdown", "metadata": {}, "source": "see", "attachments": bundle}]
    notebook, notes = ingest.notebook_from(json.dumps({"cells": cells, "nbformat": 4}).encode())
    assert notebook["cells"][0]["attachments"] == {"a.png": {"image/png": "iVBORw0KGgo="}}
    assert any("attachments" in note for note in notes)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from(["cells", "metadata", "nbformat", "nbformat_minor", "source", "cell_type", "id", "attachments"])


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(KEYS, JSON | st.lists(st.dictionaries(KEYS, JSON, max_size=4), max_size=4), max_size=6))
def test_any_json_becomes_a_valid_notebook_or_a_named_cause(value):
    import nbformat

    try:
        notebook, _ = ingest.notebook_from(json.dumps(value).encode())
    except ingest.Damage as damage:
        assert str(damage)
    else:
        nbformat.validate(nbformat.from_dict(notebook))
        match.align(notebook, notebook)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_become_a_notebook_or_a_named_cause(data):
    try:
        ingest.notebook_from(data)
    except ingest.Damage as damage:
        assert str(damage)


def test_code_without_end_is_a_named_cause_and_not_minutes_of_parsing():
    cells = [{"cell_type": "code", "metadata": {}, "source": "a = 1\n" * 20_000} for _ in range(3)]
    cells[1]["source"] += "b = 2\n"
    with pytest.raises(ingest.Damage, match="cell 2: shorten it"):
        ingest.notebook_from(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode())


@pytest.mark.parametrize("said", ["<b>" * 1_000_000, {"a": [1] * 100_000}, 7, None, "\x1b[31m"])
def test_another_lessons_name_is_quoted_shortly_whatever_it_is(said):
    job = {"lesson": "softmax", "version": 3, "sources": {"3": {}}, "against_current": False}
    version, cause, _ = slot._version({"metadata": {"learning": {"lesson": said}}}, job)
    assert version == 3 and "not of 'softmax'" in cause and len(cause) < 200 and cause.isprintable()


@pytest.mark.parametrize("said", ["9" * 3_000_000, 10**4000, -1, 0, 1e300, True, [], "../../2"])
def test_what_is_no_version_is_graded_as_the_current_one(said):
    job = {"lesson": "softmax", "version": 3, "sources": {"3": {}}, "against_current": False}
    assert slot._version({"metadata": {"learning": {"version": said}}}, job) == (3, "", [])
