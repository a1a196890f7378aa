"""Definitions leave a file by name and go back without touching anything else."""

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from learning.build.definitions import PullError, parse

FILE = '''"""The module's docstring
on two lines."""

import math


# directly above: belongs to f
@staticmethod
def f(x):
    ### BEGIN SOLUTION
    return math.floor(x)
    ### END SOLUTION


# ---- a section, which belongs to nobody ----

LIMIT = 3  # a number
A, B = 1, 2


### BEGIN SOLUTION
class Kept:
    pass


### END SOLUTION
def g():
    # the last comment of g
    return LIMIT
    # and one after it
'''


def test_a_definition_keeps_its_decorators_comments_and_trailing_marker():
    code = parse(FILE)
    f = code.take(["f"])
    assert f.startswith("# directly above: belongs to f\n@staticmethod\n")
    assert f.endswith("    ### END SOLUTION")


def test_a_marker_at_the_margin_belongs_to_what_it_encloses():
    code = parse(FILE)
    assert code.take(["Kept"]) == "### BEGIN SOLUTION\nclass Kept:\n    pass\n\n\n### END SOLUTION"
    assert code.take(["g"]).startswith("def g():")
    assert code.take(["g"]).endswith("    # and one after it")


def test_a_comment_that_stands_apart_belongs_to_nobody():
    code = parse(FILE)
    assert "section" not in code.take(["f", "LIMIT"])
    assert code.take(["LIMIT"]) == "LIMIT = 3  # a number"


def test_one_assignment_of_two_names_is_one_definition():
    code = parse(FILE)
    assert code.definitions["A"] is code.definitions["B"]


def test_the_whole_file_is_pulled_without_its_docstring():
    assert parse(FILE).body().startswith("import math\n")


def test_a_missing_name_is_named():
    with pytest.raises(PullError, match="nowhere"):
        parse(FILE).take(["f", "nowhere"])


def test_putting_one_definition_leaves_every_other_line():
    code = parse(FILE)
    new = code.put({"LIMIT": "LIMIT = 4\n# more\n"})
    assert new.replace("LIMIT = 4\n# more\n", "LIMIT = 3  # a number") == FILE


_STATEMENTS = st.sampled_from(
    [
        "import math",
        "x = 1",
        "y: int = 2",
        "# alone\n\nz = [\n    1,\n]",
        "# above\ndef f(a):\n    return a\n    # after",
        "@d\n# between\n@e\ndef g():\n    '''doc'''\n    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION",
        "### BEGIN SOLUTION\nw = 3\n### END SOLUTION",
        "class K:\n\n    def m(self):\n        return '''\n# not a comment\n'''",
        "if x:\n    pass",
    ]
)


@settings(max_examples=200, deadline=None)
@given(st.lists(_STATEMENTS, unique=True, max_size=7), st.sampled_from(["\n", "\n\n", "\n\n\n"]), st.booleans())
def test_taking_and_putting_back_is_no_change(statements, gap, documented):
    text = ('"""Doc."""\n\n' if documented else "") + gap.join(statements) + "\n"
    code = parse(text)
    assert code.put({name: d.text for name, d in code.definitions.items()}) == text
    for definition in code.definitions.values():
        assert ast.dump(ast.parse(definition.text)) == ast.dump(ast.Module([definition.node], []))
