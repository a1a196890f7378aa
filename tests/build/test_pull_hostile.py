"""Damaged and hostile notebooks, files written in other ways, links: nothing is lost, and nothing is written elsewhere."""

import copy
import json
import os
import shutil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .test_pull import MARKDOWN, insert, read


def snapshot(course):
    """Every file below the course's root by its path; links by where they lead."""
    found = {}
    for path in sorted(course.root.rglob("*")):
        if "__pycache__" not in path.parts and not path.is_dir():
            found[str(path.relative_to(course.root))] = os.readlink(path) if path.is_symlink() else path.read_bytes()
    return found


def find(book, id):
    (cell,) = [cell for cell in book["cells"] if cell.get("id", cell["metadata"].get("id")) == id]
    return cell


def changed(change):
    """A hand that changes the notebook's JSON and saves it."""

    def hand(course):
        book = course.book()
        made = change(book)
        course.source.write_text(json.dumps(made if isinstance(made, dict) and "nbformat" in made else book))

    return hand


def put(id, /, **values):
    return changed(lambda book: find(book, id).update(values))


def raw(data):
    return lambda course: course.source.write_bytes(data(course.source.read_bytes()) if callable(data) else data)


def edited(course):
    course.edit("show-try-it", "21.0", "22.0")


def without_ids(book):
    for cell in book["cells"]:
        del cell["id"]
    book["nbformat_minor"] = 4


DAMAGED = {
    "empty": (raw(b""), "is no notebook"),
    "zeros_after_a_crash": (raw(b"\0" * 4000), "is no notebook"),
    "cut_off": (raw(lambda data: data[:-900]), "is no notebook"),
    "nested_without_end": (raw(b"[" * 200_000), "is no notebook"),
    "latin_1": (raw(lambda data: data.replace(b"21.0", b"21.0 # \xe9")), "is no notebook"),
    "a_list": (raw(b"[]"), "no list of cells"),
    "format_3": (changed(lambda b: {"nbformat": 3, "metadata": {}, "worksheets": [{"cells": b["cells"]}]}), "no list of cells"),
    "format_5": (changed(lambda b: b.update(nbformat=5)), "format 5, and only format 4"),
    "no_metadata": (changed(lambda b: b.update(metadata=None)), "metadata are no dictionary"),
    "a_record_that_is_a_list": (changed(lambda b: b["metadata"].update(learning=[])), "does not say how it was built"),
    "a_record_of_lists": (changed(lambda b: b["metadata"]["learning"].update(cells=[[1], None])), "does not say how it was built"),
    "another_lessons_notebook": (changed(lambda b: b["metadata"]["learning"].update(lesson="softmax")), "was built from the lesson 'softmax'"),
    "a_cell_that_is_a_word": (changed(lambda b: b["cells"].insert(1, "x")), "cell 2: is no cell"),
    "a_cell_without_a_type": (put("show-try-it", cell_type=None), "has the type None"),
    "a_cell_without_text": (put("show-try-it", source=None), "has no text"),
    "a_text_of_numbers": (put("show-try-it", source=[3]), "has no text"),
    "metadata_that_are_a_word": (put("show-try-it", metadata="x"), "metadata that are no dictionary"),
    "grading_that_is_a_word": (changed(lambda b: find(b, "check-keeps-the-sign")["metadata"].update(nbgrader="x")), "metadata that are no dictionary"),
    "an_id_that_is_a_number": (put("show-try-it", id=7), "has the id 7, which is none"),
    "an_id_that_is_a_path": (put("show-try-it", id="../../../etc/passwd"), "which is none"),
    "an_id_that_ends_its_attribute": (put("show-try-it", id='x" role="setup'), "which is none"),
    "an_id_of_several_lines": (put("show-try-it", id='x"\n```\n\n## Another'), "which is none"),
    "saved_by_an_editor_without_ids": (changed(without_ids), "its cells have no ids"),
}  # fmt: skip


@pytest.mark.parametrize("story", DAMAGED)
@pytest.mark.parametrize("arguments", [["--pull"], []], ids=["pull", "build"])
def test_a_damaged_notebook_is_left_as_it_is_and_named_with_a_remedy_that_loses_no_edit(
    built_course, capsys, story, arguments
):
    hand, message = DAMAGED[story]
    hand(built_course)
    before = snapshot(built_course)
    assert built_course.run(*arguments) == 1
    told = capsys.readouterr().err
    assert message in told and "source/double_it/double_it.ipynb, " in told
    assert "keep a copy of it" in told and "delete it" not in told
    assert snapshot(built_course) == before


def in_colab(course):
    """Colab keeps ids in the metadata, says format 4.0 and adds keys of its own."""
    edited(course)
    book = course.book()
    for cell in book["cells"]:
        cell["metadata"] |= {"id": cell.pop("id"), "outputId": "0a1b", "colab": {"base_uri": "https://localhost:8080/"}}
    book |= {"nbformat_minor": 0}
    book["metadata"]["colab"] = {"provenance": [], "toc_visible": True}
    course.source.write_text(json.dumps(book))


def in_vs_code(course):
    edited(course)
    changed(lambda b: [cell["metadata"].update(vscode={"languageId": "python"}) for cell in b["cells"]])(course)


def with_a_large_output(course):
    edited(course)
    put("show-try-it", outputs=[{"output_type": "stream", "name": "stdout", "text": "x" * (8 << 20)}])(course)


def again(change):
    def hand(course):
        edited(course)
        course.source.write_bytes(change(course.source.read_bytes()))

    return hand


SAVED = {
    "with_a_byte_order_mark": again(lambda data: b"\xef\xbb\xbf" + data),
    "in_utf_16": again(lambda data: data.decode().encode("utf-16")),
    "with_windows_line_ends": again(lambda data: data.replace(b"\n", b"\r\n")),
    "in_colab": in_colab,
    "in_vs_code": in_vs_code,
    "with_a_large_output": with_a_large_output,
}


@pytest.mark.parametrize("story", SAVED)
def test_an_edit_comes_back_whichever_program_saved_it(built_course, story):
    before = read(built_course, "lesson.md")
    SAVED[story](built_course)
    assert built_course.run("--pull") == 0
    assert read(built_course, "lesson.md") == before.replace("21.0", "22.0")
    assert built_course.run() == 0 and built_course.source.read_bytes().startswith(b"{\n")


def with_text(id, old, new):
    return lambda course: course.edit(id, old, new)


REFUSED = {
    "half_a_surrogate_pair": (put("show-try-it", source="double('\ud800')"), r"holds the character \ud800"),
    "a_null_byte": (put("show-try-it", source="double(1)\0"), r"holds the character \x00"),
    "a_null_byte_in_the_answer": (with_text("answer-double", "x + x", "x + \0x"), r"holds the character \x00"),
    "a_lone_carriage_return": (put("show-try-it", source="a = 1\rb = 2"), r"holds the character \r"),
    "a_form_feed": (with_text("text-your-turn", "## Your turn", "## Your turn\n\nA\x0cB"), r"holds the character \x0c"),
    "a_marker_in_a_string_of_the_answer": (with_text("answer-double", "EMPTY = 0.0", 'EMPTY = """\n### END SOLUTION\n"""'), "which nothing began; nbgrader obeys a marker"),
    "a_marker_in_a_hidden_docstring": (with_text("hidden-doubles-large-numbers", '"""Numbers far', '"""\n### END HIDDEN TESTS\nNumbers far'), "nbgrader obeys a marker"),
    "a_hidden_region_in_another": (with_text("hidden-is-timed-on-a-gpu", "### END HIDDEN TESTS", "### BEGIN HIDDEN TESTS\n### END HIDDEN TESTS\n### END HIDDEN TESTS"), "its last line must stay"),
    "a_hidden_region_gone": (put("hidden-is-timed-on-a-gpu", source="x = 1"), "must keep ### BEGIN HIDDEN TESTS"),
    "a_marker_in_added_text": (lambda c: insert(c, "show-try-it", {**MARKDOWN, "source": "### BEGIN SOLUTION"}), "which nothing ends"),
    "text_that_ends_its_region": (lambda c: insert(c, "show-try-it", {**MARKDOWN, "source": 'a\n<!-- #endregion -->\n\n```python role="setup" name="evil"\nimport os\n```\n\n<!-- #region -->\nb'}), "would come back from the folder"),
    "a_pasted_picture": (put("text-your-turn", attachments={"plot.png": {"image/png": "AAAA"}}), "holds a pasted picture (plot.png)"),
    "every_cell_twice": (changed(lambda b: b["cells"].extend(copy.deepcopy(b["cells"]))), "is a new graded or locked cell"),
    "no_cell_left": (changed(lambda b: b.update(cells=[])), "was deleted"),
    "all_in_reverse": (changed(lambda b: b["cells"].reverse()), "was moved"),
}  # fmt: skip


@pytest.mark.parametrize("story", REFUSED)
def test_what_no_file_could_give_back_is_refused_and_every_other_edit_waits_with_it(built_course, capsys, story):
    if "answer" not in story and story not in ("no_cell_left", "every_cell_twice"):
        built_course.edit("answer-double", "x + x", "2 * x")
    hand, message = REFUSED[story]
    hand(built_course)
    before = snapshot(built_course)
    assert built_course.run("--pull") == 1
    told = capsys.readouterr().err
    assert message in told and "source/double_it/double_it.ipynb, " in told
    assert built_course.run() == 1, "a build would write over it"
    assert snapshot(built_course) == before


def test_text_that_no_reader_of_headers_can_read_comes_back_as_text(built_course):
    built_course.edit("text-what-goes-in-and-what-comes-out", "## What goes", "---\n[a: {*b\n\n## What goes")
    held = "".join(find(built_course.book(), "text-what-goes-in-and-what-comes-out")["source"])
    assert built_course.run("--pull") == 0
    assert held in built_course.built().values()


def test_text_that_would_be_read_as_the_pages_header_is_refused_as_an_edit(built_course, capsys):
    built_course.edit("text-what-goes-in-and-what-comes-out", "## What goes", "---\na: 1\n---\n## What goes")
    before = snapshot(built_course)
    assert built_course.run("--pull") == 1
    assert "with the notebook's edits in it: lesson.md line 1: a raw cell or a header" in capsys.readouterr().err
    assert snapshot(built_course) == before


def test_a_page_that_begins_with_a_header_no_reader_can_read_is_named(built_course, capsys):
    page = built_course.folder / "lesson.md"
    page.write_text("---\n[a: {*b\n---\n\n" + page.read_text())
    assert built_course.run("--pull") == 1
    assert "lesson.md line 1: no cells can be read" in capsys.readouterr().err


def test_a_picture_pasted_where_no_text_changed_is_not_built_over(built_course, capsys):
    put("text-your-turn", attachments={"plot.png": {"image/png": "AAAA"}})(built_course)
    assert built_course.run() == 1
    assert "plot.png" in capsys.readouterr().err and "plot.png" in built_course.source.read_text()


def test_what_a_cells_metadata_say_of_files_is_never_believed(built_course):
    def lie(book):
        find(book, "show-try-it")["metadata"]["learning"] |= {
            "file": "../../evil.py",
            "symbols": ["a"],
            "role": "answer",
        }

    edited(built_course)
    changed(lie)(built_course)
    before = snapshot(built_course)
    assert built_course.run("--pull") == 0
    after = snapshot(built_course)
    assert {name for name in after if after[name] != before.get(name)} == {
        "lessons/double_it/lesson.md", "source/double_it/double_it.ipynb",
    }  # fmt: skip


def test_what_a_notebook_says_to_a_terminal_is_spelt_out(built_course, capsys):
    built_course.change("lesson.md", "double(21.0)", "double(20.0)")
    put("show-try-it", source="double(22.0)  # \x1b]0;pwned\x07")(built_course)
    assert built_course.run("--pull") == 1
    told = capsys.readouterr().err
    assert "\x1b" not in told and "\\x1b]0;pwned\\x07" in told


FILES = ("lesson.md", "answer.py", "checks.py", "hidden.py", "explanation.md")
EDITS = [
    ("show-try-it", "21.0", "22.0", "lesson.md"),
    ("answer-double", "x + x", "2 * x", "answer.py"),
    ("check-keeps-the-sign", "-3.0", "-4.0", "checks.py"),
    ("hidden-doubles-large-numbers", "2.0**300", "2.0**301", "hidden.py"),
    ("explain-explanation", "no case is", "zero is not", "explanation.md"),
]
WRITTEN = {
    "windows_line_ends": lambda data: data.replace(b"\n", b"\r\n"),
    "a_byte_order_mark": lambda data: b"\xef\xbb\xbf" + data,
    "both": lambda data: b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"),
    "no_last_line_break": lambda data: data.rstrip(b"\n"),
    "blank_lines_at_the_end": lambda data: data + b"\n\n",
}


@pytest.mark.parametrize("story", WRITTEN)
def test_every_byte_but_the_edit_stays_however_the_files_are_written(course, story):
    for name in FILES:
        path = course.folder / name
        path.write_bytes(WRITTEN[story](path.read_bytes()))
    assert course.run() == 0
    before = {name: (course.folder / name).read_bytes() for name in FILES}
    for id, old, new, _ in EDITS:
        course.edit(id, old, new)
    assert course.run("--pull") == 0
    for _, old, new, name in EDITS:
        assert (course.folder / name).read_bytes() == before[name].replace(old.encode(), new.encode()), name


@pytest.mark.parametrize(
    ("name", "bend", "message"),
    [
        ("lesson.md", lambda data: data.replace(b"A number", b"A n\xfcmber"), "lesson.md line 3 is not UTF-8"),
        ("hidden.py", lambda data: data + b"# \xe9\n", "is not UTF-8"),
        ("answer.py", lambda data: data + b"\0", "answer.py line 15 is not Python: a null byte"),
        ("lesson.md", lambda data: data.replace(b"\n", b"\r\n", 3), "lesson.md mixes line ends"),
    ],
    ids=["latin_1_text", "latin_1_code", "null_byte", "mixed_line_ends"],
)
def test_a_file_of_the_folder_that_cannot_be_kept_byte_for_byte_is_named(built_course, capsys, name, bend, message):
    edited(built_course)
    path = built_course.folder / name
    path.write_bytes(bend(path.read_bytes()))
    before = snapshot(built_course)
    assert built_course.run("--pull") == 1
    assert message in capsys.readouterr().err
    assert snapshot(built_course) == before


@pytest.mark.parametrize(
    "what", ["source/double_it/double_it.ipynb", "source/double_it", "lessons/double_it/lesson.md", "lessons/double_it"]
)
def test_nothing_is_written_through_a_link(built_course, tmp_path_factory, capsys, what):
    outside = tmp_path_factory.mktemp("outside")
    path = built_course.root / what
    shutil.move(path, outside / path.name)
    path.symlink_to(outside / path.name)
    edited(built_course)
    before = {
        file: file.read_bytes() for file in outside.rglob("*") if file.is_file() and "__pycache__" not in file.parts
    }
    assert built_course.run("--pull") == 1
    told = capsys.readouterr().err
    assert (
        f"is reached by a link that leads to {outside.resolve()}" in told and "put the file itself in its place" in told
    )
    assert path.is_symlink() and before == {file: file.read_bytes() for file in before}


def test_a_release_is_not_written_through_a_link(built_course, tmp_path_factory, capsys):
    outside = tmp_path_factory.mktemp("outside")
    built_course.release.parent.parent.mkdir()
    built_course.release.parent.symlink_to(outside)
    assert built_course.run("--release", "--no-grade") == 1
    assert "is reached by a link" in capsys.readouterr().err
    assert not list(outside.iterdir())


def test_a_paragraph_that_both_sides_added_stands_once(built_course):
    insert(built_course, "show-try-it", MARKDOWN)
    built_course.change(
        "lesson.md",
        '```python role="show" name="try-it"',
        'Added in JupyterLab.\n\n```python role="show" name="try-it"',
    )
    assert built_course.run("--pull") == 0 and built_course.run() == 0
    assert read(built_course, "lesson.md").count("Added in JupyterLab.") == 1
    assert built_course.source.read_text().count("Added in JupyterLab.") == 1


_BYTES = st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(0, 255)), min_size=1, max_size=3)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(_BYTES)
def test_bytes_changed_anywhere_in_the_notebook_are_pulled_exactly_or_refused(course, templates, tmp_path, flips):
    place = tmp_path / str(len(list(tmp_path.iterdir())))
    course.__init__(place, templates[0])
    data = bytearray(course.source.read_bytes())
    for where, value in flips:
        data[where % len(data)] = value
    course.source.write_bytes(data)
    before = snapshot(course)
    if course.run("--pull"):
        assert snapshot(course) == before
        return
    after = snapshot(course)
    assert set(after) == set(before)
    held = json.loads(data)
    if course.source.read_bytes() != bytes(data):  # an edit was pulled, and the notebook built anew
        texts = ["".join(cell["source"]).rstrip() for cell in held["cells"] if "canary" not in "".join(cell["source"])]
        assert texts == [text.rstrip() for text in course.built().values() if "canary" not in text]
