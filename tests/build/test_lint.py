"""Each thing that is wrong with a lesson gets one sentence with file, name and remedy."""

import json
import re

import pytest

from learning.build import lint
from learning.build.course import ROOT
from learning.build.markers import regions
from learning.lesson import LESSONS, discover

CHECK = '\n\n@check(points=2)\ndef {}(double, trial):\n    """It is written down."""\n    trial.expect(True)\n'


def append(course, file, text):
    path = course.folder / file
    path.write_text(path.read_text() + text)


def test_the_small_lesson_has_nothing_to_complain_of(course):
    assert lint.folder(course.lesson) == [] and lint.checkout(course.root) == []


STORIES = {
    "an_undefined_name": (
        lambda c: c.change("checks.py", "double(x) == twice", "double(x) == ceiling(x)"),
        "names", "check-doubles-small-numbers", "uses ceiling, which no earlier cell defines; import or define it in an earlier set-up cell"),
    "an_import_only_the_file_has": (
        lambda c: c.change("lesson.md", "import math\n\n", ""),
        "names", "setup-double-reference", "uses math"),
    "a_definition_used_before_its_cell": (
        lambda c: c.change("lesson.md", "reference.double_reference reference.TABLE", "reference.double_reference"),
        "names", "check-doubles-small-numbers", "uses TABLE"),
    "a_check_that_calls_a_helper_of_the_answer": (
        lambda c: (c.change("answer.py", "EMPTY = 0.0", "EMPTY = HELPER = 0.0"), c.change("checks.py", "math.copysign(1.0,", "math.copysign(HELPER + 1.0,")),
        "names", "check-keeps-the-sign", "uses HELPER, .*it is the answer's"),
    "a_star_import": (
        lambda c: c.change("lesson.md", "import math\n", "import math\nfrom os.path import *\n"),
        "names", "setup-imports", "imports \\*"),
    "a_set_up_cell_that_is_not_python": (
        lambda c: c.change("lesson.md", "import math\n", "import math math\n"),
        "syntax", "setup-imports", "line 1 is not Python"),
    "a_marker_that_only_ends": (
        lambda c: c.change("answer.py", "    ### BEGIN SOLUTION\n    twice", "    twice"),
        "marker", "answer-double", "ends SOLUTION, which nothing began; write ### BEGIN SOLUTION"),
    "a_marker_that_only_begins": (
        lambda c: c.change("answer.py", "    ### END SOLUTION\n", ""),
        "marker", "answer-double", "begins SOLUTION inside the SOLUTION"),
    "hidden_test_in_the_singular": (
        lambda c: c.change("checks.py", "    trial.expect(math", "    ### BEGIN HIDDEN TEST\n    trial.expect(math"),
        "marker", "check-keeps-the-sign", "is nearly a marker and hides nothing: '### BEGIN HIDDEN TEST'"),
    "a_marker_in_small_letters": (
        lambda c: c.change("answer.py", "### BEGIN SOLUTION\nEMPTY", "### begin solution\nEMPTY"),
        "marker", "answer-double", "nearly a marker"),
    "a_marking_scheme": (
        lambda c: c.change("lesson.md", "A number goes in.", "<!-- BEGIN MARKING SCHEME -->\nA number goes in."),
        "marker", "text-what-goes-in", "nearly a marker"),
    "a_solution_in_a_check": (
        lambda c: c.change("checks.py", "    trial.expect(math", "    ### BEGIN SOLUTION\n    ### END SOLUTION\n    trial.expect(math"),
        "marker", "check-keeps-the-sign", "a SOLUTION region in a cell of role 'check'"),
    "hidden_markers_written_by_the_author": (
        lambda c: c.change("hidden.py", "    for secret", "    ### BEGIN HIDDEN TESTS\n    for secret"),
        "marker", "hidden-doubles-large-numbers", "begins HIDDEN TESTS inside the HIDDEN TESTS"),
    "an_answer_without_a_solution_region": (
        lambda c: c.change("lesson.md", 'role="show" name="try-it"\ndouble(21.0)', 'role="answer" pull="variants.twice.twice"'),
        "marker", "answer-twice", "the release would lose the whole cell"),
    "a_question_the_release_would_lose": (
        lambda c: c.change("lesson.md", 'role="explain" pull="explanation"', 'role="explain"'),
        "marker", "explain-explanation", "the release would lose the whole cell, the question too; pull the model answer"),
    "points_that_do_not_add_up": (
        lambda c: c.change("hidden.py", "points=10", "points=9"),
        "points", "points", "its cells have 19 points .* and a lesson has 20; change the points="),
    "a_check_worth_nothing": (
        lambda c: c.change("checks.py", "points=2", "points=0"),
        "points", "keeps_the_sign", "is worth nothing"),
    "no_explanation": (
        lambda c: c.change("lesson.md", 'role="explain" pull="explanation"', 'name="why"'),
        "points", "explanation", "has 0 explanation cells"),
    "a_check_without_a_docstring": (
        lambda c: c.change("checks.py", '    """A negative number stays negative."""\n', ""),
        "docstring", "keeps_the_sign", "has no docstring, and that is what a learner reads; say in a sentence"),
    "a_check_of_something_that_is_no_entry": (
        lambda c: (c.change("checks.py", "EMPTY, trial", "NOTHING, trial")),
        "entries", "keeps_the_sign", "takes NOTHING, and the lesson's entries are double, EMPTY"),
    "an_entry_nobody_defines": (
        lambda c: c.change("__init__.py", '("double", "EMPTY")', '("double", "EMPTY", "halve")'),
        "entries", "answer", "no answer cell defines halve"),
    "grade_ids_that_clash": (
        lambda c: (append(c, "checks.py", CHECK.format("explain_explanation")), c.change("lesson.md", '<!-- #region role="explain"', '```python role="check" pull="checks.explain_explanation"\n```\n\n<!-- #region role="explain"')),
        "id", "explain_explanation", "2 cells have the grade id explain_explanation"),
    "a_check_nobody_pulls": (
        lambda c: append(c, "checks.py", CHECK.format("is_forgotten")),
        "unpulled", "is_forgotten", "is pulled by no cell, so no notebook holds it; pull it in lesson.md, or delete it"),
    "a_hidden_constant_nobody_pulls": (
        lambda c: append(c, "hidden.py", "\nSPARE = 1\n"),
        "unpulled", "SPARE", "double_it/hidden.py, SPARE: is pulled by no cell"),
    "a_second_title": (
        lambda c: c.change("lesson.md", "## What goes in", "# What goes in"),
        "title", "text-what-goes-in", "begin with ##"),
    "the_solution_in_the_text": (
        lambda c: c.change("lesson.md", "double(21.0)\n", "twice_the_number = 21.0 + 21.0\ndouble(21.0)  # twice_the_number = x + x and\nreturn twice_the_number, is the answer of the lesson, all of it\n"),
        "syntax", "show-try-it", "not Python|return"),
    "a_hidden_check_pasted_into_the_text": (
        lambda c: c.change("lesson.md", "**Your turn.**", "for secret_case in LARGE:\n    trial.expect(double(secret_case) == double_reference(secret_case), called=\"double\")\n\n**Your turn.**"),
        "leak", "text-after-what-goes-in", "of the hidden part of hidden-doubles-large-numbers .hidden.py.: .*reveals="),
    "the_model_explanation_in_a_hint": (
        lambda c: c.change("__init__.py", "What is twice 3?", "Adding a number to itself keeps its sign, so no case is special."),
        "leak", "text-hints", "of the hidden part of explain-explanation"),
    "the_solution_in_a_demonstration": (
        lambda c: (c.change("answer.py", "twice_the_number = x + x", "twice_the_number = math.fsum([x, x, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0])"), c.change("lesson.md", "double(21.0)\n", "x = 21.0\ntwice_the_number = math.fsum([x, x, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0])\n")),
        "leak", "show-try-it", "shows 1 lines of the hidden part of answer-double"),
}  # fmt: skip


@pytest.mark.parametrize("story", STORIES)
def test_a_faulty_lesson_is_told_in_a_sentence(course, story):
    (course.folder / "variants").mkdir()
    (course.folder / "variants" / "twice.py").write_text("def twice(x):\n    return x * 2\n")
    spoil, rule, name, message = STORIES[story]
    spoil(course)
    found = [c for c in lint.folder(course.lesson) if c.rule == rule and c.name.startswith(name)]
    assert found, lint.folder(course.lesson)
    assert any(re.search(message, str(c)) for c in found), [str(c) for c in found]
    assert all(c.file.startswith("double_it/") and c.message for c in found)


def test_lines_an_author_means_to_show_are_no_leak(course):
    STORIES["the_solution_in_a_demonstration"][0](course)
    course.change("lesson.md", 'name="try-it"', 'name="try-it" reveals="the sum, so that its rounding is seen"')
    assert [c for c in lint.folder(course.lesson) if c.rule == "leak"] == []


def test_a_name_a_cell_asks_for_first_may_be_undefined(course):
    course.change("lesson.md", "double(21.0)\n", 'if "tuned" in globals():\n    tuned(21.0)\n')
    assert lint.folder(course.lesson) == []


@pytest.mark.parametrize("magic", ["%time double(1.0)", "%%time\ndouble(1.0)", "!ls", "x = %time double(1.0)"])
def test_magics_in_a_demonstration_are_no_fault(course, magic):
    course.change("lesson.md", "double(21.0)", magic)
    assert lint.folder(course.lesson) == []


def in_source(course, change):
    book = course.book()
    change({cell["id"]: cell for cell in book["cells"]}, book["cells"])
    course.save(book)


def unlocked_task(cells, all_cells):
    told = {
        "grade": False,
        "solution": False,
        "locked": False,
        "task": True,
        "points": 2,
        "grade_id": "task1",
        "schema_version": 3,
    }
    all_cells.append({"cell_type": "markdown", "id": "task1", "metadata": {"nbgrader": told}, "source": "Do it."})


def copied_grade_cell(cells, all_cells):
    all_cells.append({**cells["check-keeps-the-sign"], "id": "copy"})


def solution_in_text(cells, all_cells):
    cells["text-your-turn"]["source"] = "## Your turn\n\n<!-- BEGIN SOLUTION -->\nx\n<!-- END SOLUTION -->"


def misspelt_marker(cells, all_cells):
    cells["text-your-turn"]["source"] = "## Your turn\n\n### END HIDDEN TESTS"


BY_HAND = {
    "an_unlocked_task_cell": (unlocked_task, "task1: is a task cell that is not locked.*set \"locked\": true"),
    "a_copied_grade_cell": (copied_grade_cell, "2 cells have the grade id keeps_the_sign; a copied cell breaks.*delete the copy"),
    "a_solution_region_in_text": (solution_in_text, "holds a SOLUTION region and is not marked as a solution cell"),
    "a_marker_alone": (misspelt_marker, "ends HIDDEN TESTS, which nothing began"),
}  # fmt: skip


@pytest.mark.parametrize("story", BY_HAND)
def test_what_was_done_to_a_notebook_by_hand_is_told(built_course, story):
    change, message = BY_HAND[story]
    in_source(built_course, change)
    told = [str(c) for c in lint.source(built_course.lesson, built_course.root)]
    assert any(re.search(message, text) for text in told), told
    assert all(text.startswith("source/double_it/double_it.ipynb, ") for text in told)


def test_a_file_beside_the_notebook_would_reach_every_learner(built_course, capsys):
    (built_course.source.parent / "answers.txt").write_text("42")
    (built_course.source.parent / "data").mkdir()
    (built_course.source.parent / "data" / "weights.bin").write_bytes(b"1")
    (built_course.source.parent / ".ipynb_checkpoints").mkdir()
    (built_course.source.parent / ".ipynb_checkpoints" / "x.ipynb").write_text("{}")
    told = [str(c) for c in lint.source(built_course.lesson, built_course.root)]
    assert len(told) == 2
    assert "source/double_it, answers.txt: stands beside the notebook" in told[0] and "move it to" in told[0]
    assert built_course.run("--release", "--no-grade") == 1 and not built_course.release.exists()


@pytest.mark.parametrize("stray", ["random.py", "json/__init__.py"])
def test_a_module_in_the_root_that_shadows_the_standard_library(course, stray):
    (course.root / stray).parent.mkdir(exist_ok=True)
    (course.root / stray).touch()
    (told,) = lint.checkout(course.root)
    assert "would be imported instead of the standard library's" in str(told) and "rename it" in str(told)


@pytest.mark.parametrize(
    "line",
    [
        "### BEGIN HIDDEN TEST", "# begin solution", "### BEGIN SOLUTIONS", "#### BEGIN SOLUTION", "### BEGIN  SOLUTION",
        "### END HIDDEN_TESTS", "# BEGIN MARKING SCHEME", "### Begin Hidden Tests", "### START SOLUTION", "### BEGIN SOLUTION ###",
        "x = 1  ### BEGIN SOLUTION", "print('END HIDDEN TESTS')", "### END MARK SCHEMES", "### END OF SOLUTION",
    ],
)  # fmt: skip
def test_what_resembles_a_marker_is_no_marker_and_is_told(line):
    found, faults = regions(line)
    assert found == [] and len(faults) == 1 and line.strip() in faults[0]


@pytest.mark.parametrize(
    "line", ["# the solution begins here", "tests end", "# where hidden state is tested", "end = solution", "# BEGIN"]
)
def test_ordinary_words_are_no_marker(line):
    assert regions(line) == ([], [])


def test_the_courses_own_lessons_have_nothing_to_complain_of():
    found = [str(c) for lesson in discover(root=LESSONS) for c in [*lint.folder(lesson), *lint.source(lesson)]]
    assert found + [str(c) for c in lint.checkout(ROOT)] == []


def test_a_source_that_is_not_json_is_told(built_course):
    built_course.source.write_text("{")
    (told,) = lint.source(built_course.lesson, built_course.root)
    assert "is no notebook" in str(told) and "keep a copy of it" in str(told)
    assert json.dumps(told.rule) == '"json"'
