"""What an instructor edits in JupyterLab comes back into the folder, or is refused with both sides shown."""

import copy
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

MARKDOWN = {"cell_type": "markdown", "id": "f00dcafe", "metadata": {}, "source": "Added in JupyterLab."}


def insert(course, before, cell):
    book = course.book()
    place = [c["id"] for c in book["cells"]].index(before)
    book["cells"].insert(place, cell)
    course.save(book)


def remove(course, id):
    book = course.book()
    book["cells"] = [c for c in book["cells"] if c["id"] != id]
    course.save(book)


def read(course, file):
    return (course.folder / file).read_text()


def test_jupyterlabs_own_noise_is_no_edit(built_course, capsys):
    built_course.save(built_course.book())
    assert built_course.run("--pull") == 0
    assert "nothing to pull" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("cell", "old", "new", "file"),
    [
        ("answer-double", "x + x", "2 * x", "answer.py"),
        ("answer-double", "EMPTY = 0.0", "EMPTY = -0.0", "answer.py"),
        ("setup-double-reference", "math.ldexp(x, 1)", "2 * x", "reference.py"),
        ("setup-imports", "import math", "import cmath\nimport math", "lesson.md"),
        ("show-try-it", "21.0", "22.0", "lesson.md"),
        ("check-keeps-the-sign", "-3.0", "-4.0", "checks.py"),
        ("check-doubles-small-numbers", "points=2", "points=1", "checks.py"),
        ("hidden-doubles-large-numbers", "2.0**300", "2.0**301", "hidden.py"),
        ("hidden-doubles-large-numbers", '"""Numbers far', '"""Numbers very far', "hidden.py"),
        ("text-what-goes-in-and-what-comes-out", "twice as large", "twice as big", "lesson.md"),
        ("text-what-goes-in-and-what-comes-out", "## What goes", "## What then goes", "lesson.md"),
                ("text-contract", "## The contract", "## The contract\n\nBinding.", "lesson.md"),
        ("explain-explanation", "Why does", "Why then does", "lesson.md"),
        ("explain-explanation", "no case is", "zero is not", "explanation.md"),
    ],
)  # fmt: skip
def test_an_edit_lands_in_the_file_it_belongs_to(built_course, cell, old, new, file):
    before = {path: path.read_text() for path in built_course.folder.iterdir() if path.is_file()}
    built_course.edit(cell, old, new)
    assert built_course.run("--pull") == 0
    changed = [path.name for path in before if path.read_text() != before[path]]
    assert changed == [file]
    assert read(built_course, file).replace(new, old) == before[built_course.folder / file]
    assert built_course.run("--pull") == 0


def test_text_that_would_be_read_as_two_cells_is_kept_together(built_course):
    built_course.edit("text-your-turn", "## Your turn", "## Your turn\n\n\n\nAfter blank lines.")
    assert built_course.run("--pull") == 0
    assert "<!-- #region -->\n## Your turn\n\n\n\nAfter blank lines.\n<!-- #endregion -->" in read(
        built_course, "lesson.md"
    )


def test_after_a_pull_the_notebook_is_what_the_folder_builds(built_course):
    built_course.edit("answer-double", "x + x", "2 * x")
    assert built_course.run("--pull") == 0
    pulled = built_course.source.read_bytes()
    assert built_course.run("--force") == 0
    assert built_course.source.read_bytes() == pulled


def test_an_inserted_paragraph_is_carried_to_its_place(built_course):
    insert(built_course, "show-try-it", MARKDOWN)
    assert built_course.run("--pull") == 0
    page = read(built_course, "lesson.md")
    assert page.index("answer.EMPTY") < page.index("Added in JupyterLab.") < page.index("try-it")
    assert "text-after-double" in built_course.built()


def test_an_inserted_code_cell_becomes_one_that_nobody_grades(built_course):
    insert(
        built_course,
        "text-hints",
        {
            "cell_type": "code",
            "id": "beef",
            "metadata": {},
            "source": "%time double(1.0)",
            "outputs": [],
            "execution_count": 3,
        },
    )
    assert built_course.run("--pull") == 0
    assert '```python role="show" name="added-beef"\n%time double(1.0)\n```' in read(built_course, "lesson.md")


def test_a_deleted_paragraph_leaves_the_page(built_course):
    remove(built_course, "text-after-what-goes-in-and-what-comes-out")
    assert built_course.run("--pull") == 0
    assert "Say what 21 becomes" not in read(built_course, "lesson.md")


def test_a_split_paragraph_stays_split(built_course):
    book = built_course.book()
    (cell,) = [c for c in book["cells"] if c["id"] == "text-what-goes-in-and-what-comes-out"]
    head, tail = "".join(cell["source"]).split("\n\n", 1)
    cell["source"] = head
    book["cells"].insert(book["cells"].index(cell) + 1, {**MARKDOWN, "source": tail})
    built_course.save(book)
    assert built_course.run("--pull") == 0
    sources = list(built_course.built().values())
    assert sources[2:4] == [head, tail]


def both_sides(course):
    course.edit("answer-double", "x + x", "x * 2.0")
    course.change("answer.py", "x + x", "sum((x, x))")


def test_when_both_sides_changed_nothing_is_written_and_both_are_shown(built_course, capsys):
    both_sides(built_course)
    before = read(built_course, "answer.py"), built_course.source.read_bytes()
    assert built_course.run("--pull") == 1
    told = capsys.readouterr().err
    assert "was changed in the notebook and in the folder" in told
    assert "-    twice_the_number = sum((x, x))" in told and "+    twice_the_number = x * 2.0" in told
    assert (read(built_course, "answer.py"), built_course.source.read_bytes()) == before


def test_one_conflict_holds_back_every_other_edit(built_course):
    both_sides(built_course)
    built_course.edit("show-try-it", "21.0", "22.0")
    assert built_course.run("--pull") == 1
    assert "21.0" in read(built_course, "lesson.md")


def test_the_same_change_on_both_sides_is_no_conflict(built_course):
    built_course.edit("answer-double", "x + x", "2 * x")
    built_course.change("answer.py", "x + x", "2 * x")
    assert built_course.run("--pull") == 0 and built_course.run() == 0


def test_changes_to_different_cells_are_both_kept(built_course):
    built_course.edit("check-keeps-the-sign", "-3.0", "-4.0")
    built_course.change("answer.py", "x + x", "2 * x")
    built_course.change("lesson.md", "twice as large", "twice as big")
    assert built_course.run("--pull") == 0
    made = built_course.built()
    assert "-4.0" in made["check-keeps-the-sign"] and "2 * x" in made["answer-double"]


def test_an_edit_to_a_cell_the_folder_dropped_shows_what_would_be_lost(built_course, capsys):
    built_course.edit("show-try-it", "21.0", "22.0")
    built_course.change("lesson.md", '```python role="show" name="try-it"\ndouble(21.0)\n```\n', "")
    assert built_course.run("--pull") == 1
    assert "double(22.0)" in capsys.readouterr().err


def test_building_over_an_edit_is_refused_and_pull_is_named(built_course, capsys):
    built_course.edit("show-try-it", "21.0", "22.0")
    assert built_course.run() == 1
    assert "show-try-it: was edited in the notebook" in (told := capsys.readouterr().err) and "--pull" in told
    assert built_course.run("--force") == 0
    assert "22.0" not in built_course.source.read_text()


def change_points(course):
    book = course.book()
    for cell in book["cells"]:
        if cell["id"] == "check-keeps-the-sign":
            cell["metadata"]["nbgrader"]["points"] = 3
    course.save(book)


def copy_a_check(course):
    book = course.book()
    (cell,) = [c for c in book["cells"] if c["id"] == "check-keeps-the-sign"]
    book["cells"].append(copy.deepcopy(cell) | {"id": "copied00"})
    course.save(book)


def make_it_text(course):
    book = course.book()
    for cell in book["cells"]:
        if cell["id"] == "show-try-it":
            cell["cell_type"] = "markdown"
    course.save(book)


def swap_two_checks(course):
    book = course.book()
    places = [n for n, c in enumerate(book["cells"]) if c["id"].startswith("check-")]
    book["cells"][places[0]], book["cells"][places[1]] = book["cells"][places[1]], book["cells"][places[0]]
    course.save(book)


UNSUPPORTED = {
    "a_changed_call_line": (lambda c: c.edit("check-keeps-the-sign", "\nkeeps_the_sign(double, EMPTY)", "\nkeeps_the_sign(abs, EMPTY)"), "its last line must stay 'keeps_the_sign"),
    "a_deleted_grade_cell": (lambda c: remove(c, "check-keeps-the-sign"), "a cell of role 'check' was deleted"),
    "a_deleted_answer": (lambda c: remove(c, "answer-double"), "a cell of role 'answer' was deleted"),
    "a_deleted_title": (lambda c: remove(c, "title"), "was deleted"),
    "a_copied_grade_cell": (copy_a_check, "is a new graded or locked cell .keeps_the_sign"),
    "points_set_in_the_panel": (change_points, "points are set by @check"),
    "a_code_cell_turned_into_text": (make_it_text, "was turned from code into markdown"),
    "checks_in_another_order": (swap_two_checks, "was moved"),
    "a_definition_renamed": (lambda c: c.edit("answer-double", "def double", "def twice"), "no longer defines double; also defines twice"),
    "a_new_helper_in_the_answer": (lambda c: c.edit("answer-double", "def double", "def helper(): pass\n\n\ndef double"), "also defines helper"),
    "an_import_in_the_answer": (lambda c: c.edit("answer-double", "def double", "import os\n\n\ndef double"), "a statement that defines nothing"),
    "a_comment_that_stands_apart": (lambda c: c.edit("setup-double-reference", "\n\n\n# inputs", "\n\n# apart\n\n\n# inputs"), "a comment that stands apart"),
    "code_that_is_not_python": (lambda c: c.edit("answer-double", "def double(x):", "def double(x:"), "line 1 is not Python"),
    "a_lost_hidden_marker": (lambda c: c.edit("hidden-is-timed-on-a-gpu", "### END HIDDEN TESTS", ""), "must keep ### BEGIN HIDDEN TESTS"),
    "an_edited_announcement": (lambda c: c.edit("hidden-is-timed-on-a-gpu", "# Doubling is as fast", "# Doubling is faster"), "made from the check's docstring"),
    "the_cards_own_words": (lambda c: c.edit("text-contract", "finite", "any"), "change LESSON.contract in __init__.py"),
    "the_title": (lambda c: c.edit("title", "Double it", "Twice it"), "LESSON in __init__.py"),
    "the_bootstrap": (lambda c: c.edit("bootstrap", "learning.session.begin", "print"), "opening.py"),
    "a_lost_explanation_marker": (lambda c: c.edit("explain-explanation", "<!-- END SOLUTION -->", ""), "must keep <!-- BEGIN SOLUTION -->"),
}  # fmt: skip


@pytest.mark.parametrize("story", UNSUPPORTED)
def test_an_edit_that_cannot_be_pulled_is_named_with_its_remedy(built_course, capsys, story):
    edit, message = UNSUPPORTED[story]
    edit(built_course)
    before = {path: path.read_bytes() for path in built_course.folder.iterdir() if path.is_file()}
    assert built_course.run("--pull") == 1
    told = capsys.readouterr().err
    assert re.search(message, told), told
    assert "source/double_it/double_it.ipynb, " in told
    assert before == {path: path.read_bytes() for path in before}


def test_a_notebook_that_lost_its_record_is_refused(built_course, capsys):
    book = built_course.book()
    del book["metadata"]["learning"]
    built_course.save(book)
    assert built_course.run("--pull") == 1
    assert "does not say how it was built" in capsys.readouterr().err


def test_a_truncated_notebook_is_refused(built_course, capsys):
    built_course.source.write_bytes(built_course.source.read_bytes()[:500])
    assert built_course.run("--pull") == 1
    assert "is no notebook" in capsys.readouterr().err


_LINES = st.lists(st.text("abc #`*-_|<!>\"'", max_size=20), min_size=1, max_size=6).map("\n".join)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["text-what-goes-in-and-what-comes-out", "text-your-turn", "f00dcafe", "explain-explanation"]),
    _LINES,
)
def test_any_text_either_comes_back_exactly_or_is_refused_untouched(course, cell, text):
    course.__init__(course.root / str(len(list(course.root.iterdir()))))
    assert course.run() == 0
    if cell == MARKDOWN["id"]:
        insert(course, "show-try-it", {**MARKDOWN, "source": text})
    else:
        book = course.book()
        for c in book["cells"]:
            if c["id"] == cell:
                c["source"] = text
        course.save(book)
    page = read(course, "lesson.md")
    wanted = ["".join(c["source"]).rstrip() for c in course.book()["cells"]]
    if course.run("--pull") == 0:
        assert [source.rstrip() for source in course.built().values()] == wanted
    else:
        assert read(course, "lesson.md") == page
