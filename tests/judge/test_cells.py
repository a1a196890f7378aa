"""Which cells run where, and which of their lines."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning.judge import cells

MAGICS = ["%time x = 1", "!ls -la", "%matplotlib inline", "x = !ls", "y = %timeit -o f()", "add?", "?add", "add??"]


@pytest.mark.parametrize("magic", MAGICS)
def test_a_magic_becomes_a_comment_and_its_neighbours_stay(magic):
    clean, notes = cells.neutralise(f"a = 1\n{magic}\nb = 2")
    assert clean.splitlines()[::2] == ["a = 1", "b = 2"]
    assert [type(node).__name__ for node in ast.parse(clean).body] == ["Assign", "Assign"]
    assert notes == [f"{magic} was left out"]


def test_a_timed_cell_still_runs_and_keeps_its_line_numbers():
    clean, _ = cells.neutralise("%%time\ndef add(x, y):\n    return x + y\n")
    (function,) = ast.parse(clean).body
    assert function.lineno == 2


def test_a_bash_cell_is_all_comment():
    clean, notes = cells.neutralise("\n%%bash\nrm -rf /\n")
    assert ast.parse(clean).body == [] and notes == ["%%bash was left out"]
    assert len(clean.split("\n")) == 4


def test_a_magic_alone_in_a_block_leaves_a_block():
    clean, _ = cells.neutralise("if True:\n    !pip install x\nb = 2")
    assert len(ast.parse(clean).body) == 2


def test_a_shell_command_continued_over_lines_goes_whole():
    clean, _ = cells.neutralise("!pip install \\\n   triton\nb = 2")
    assert len(ast.parse(clean).body) == 1


@pytest.mark.parametrize(
    "source",
    ['text = """\n%time\n!ls\n"""\n', "x = (7\n% 4)\n", "x = 7 \\\n% 4\n", "'!ls'\n", "d = {\n'a': 1}  # what?\n"],
)
def test_python_that_looks_like_magic_stays(source):
    assert cells.neutralise(source) == (source, [])


@pytest.mark.parametrize(
    "source", ['text = """\n%time\n!ls\n"""\n!ls\n', "x = (7\n% 4)\n%time\n", "x = 7 \\\n% 4\n!ls", "s = '(['\n!ls\n"]
)
def test_python_that_looks_like_magic_stays_beside_real_magic(source):
    clean, notes = cells.neutralise(source)
    assert len(notes) == 1
    ast.parse(clean)


@given(
    st.lists(
        st.sampled_from([*MAGICS, "x = 1", "def f():", "    return 1", "'''", "(", ")", "", "# x", "%%time", "\\"])
    )
)
def test_neutralising_keeps_every_line_in_its_place(lines):
    source = "\n".join(lines)
    clean, _ = cells.neutralise(source)
    after = clean.split("\n")
    assert len(after) == len(source.split("\n"))
    for old, new in zip(source.split("\n"), after, strict=True):
        assert new == old or new.lstrip().startswith(("# ", "pass  # ")) or new == f"# {old}"


@given(st.text())
def test_neutralising_survives_any_text_and_changes_no_valid_python(text):
    clean, _ = cells.neutralise(text)
    try:
        tree = ast.parse(text.replace("\r\n", "\n").replace("\r", "\n"))
    except (SyntaxError, ValueError):
        return
    if "get_ipython" not in text and not text.lstrip().startswith("%%"):
        assert ast.dump(ast.parse(clean)) == ast.dump(tree)


def test_the_starter_is_todo_whatever_its_comments_and_blank_lines():
    instructor = "def f(x):\n    # write it\n    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION\n"
    starter = cells.starter_of(instructor)
    assert "return x" not in starter
    assert cells.is_todo("def f(x):\n\n    # I will do this tomorrow\n    ...", starter)
    assert cells.is_todo("%%time\ndef f(x):\n    ...", starter)
    assert not cells.is_todo("def f(x):\n    return x", starter)
    assert not cells.is_todo("def f(x:\n    ...", starter)


def test_an_extra_cell_keeps_what_defines_and_drops_what_acts():
    source = (
        "import os\nx = 1\nprint(x)\nfor i in range(3): pass\ndef f(): return 1\n"
        "try:\n    import a\nexcept ImportError:\n    a = None\nif x:\n    y = 2\nif x:\n    print(1)\n"
    )
    tree, notes = cells.definitions(ast.parse(source))
    assert [type(node).__name__ for node in tree.body] == ["Import", "Assign", "FunctionDef", "Try", "If"]
    assert len(notes) == 3 and notes[0] == "line 3: print(x) was left out"


def test_roles_come_from_the_notebook_and_unknown_ones_are_named():
    notebook = {"cells": [{"metadata": {"learning": {"role": "answer"}}}, {"metadata": {}}, {}]}
    assert [role for _, role in cells.roles(notebook)] == ["answer", "", ""]
    notebook["cells"][0].update(id="c1", metadata={"learning": {"role": "anwser"}})
    with pytest.raises(ValueError, match="'c1' has the unknown role 'anwser'"):
        cells.roles(notebook)
