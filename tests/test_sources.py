"""What counts of a source where its speed was measured: the code, not what is said about it."""

from __future__ import annotations

import ast

from learning import course, sources

COMMENTED = '''"""What it is."""
# why
x = "# kept"  # told

def f(a):  # of a
    """Nothing.

    # in words
    """
    s = """
# kept
"""
    return s
def g(): "on the line of its def"
'''


def test_comments_docstrings_and_blank_lines_are_not_what_is_measured():
    bare = 'x = "# kept"\ndef f(a):\n    s = """\n# kept\n"""\n    return s\ndef g(): "on the line of its def"'
    assert sources.executable(COMMENTED) == bare == sources.executable(bare)
    assert sources.code_sha256(COMMENTED) == sources.code_sha256(bare) != sources.code_sha256(bare + "\ny = 1")
    assert sources.code_sha256("not Python (") != sources.code_sha256("neither is this (")


def test_the_hash_of_a_source_stays_what_records_hold():
    kept = "43d10be8cfb4881b5b2067585a746db43ae2ac5e7dc9cc7bdbadf2f88f0d4271"
    assert sources.code_sha256(COMMENTED) == kept


def test_what_is_left_of_every_file_of_the_course_does_the_same():
    """Without its comments and docstrings a file has the same syntax tree, but for the docstrings."""

    def without_docstrings(tree):
        for node in ast.walk(tree):
            body = getattr(node, "body", None)
            if (
                isinstance(body, list)
                and body
                and isinstance(body[0], ast.Expr)
                and isinstance(body[0].value, ast.Constant)
            ):
                body[0] = ast.Pass()
        return ast.dump(tree)

    for path in sorted((course.ROOT / "learning" / "lessons").glob("*/answer.py")):
        source = path.read_text(encoding="utf-8")
        kept = sources.executable(source)
        assert len(kept) < len(source)
        whole, bare = ast.parse(source), ast.parse(kept)
        assert [type(node) for node in whole.body[1:]] == [type(node) for node in bare.body]
        assert without_docstrings(whole).replace("Pass(), ", "") == without_docstrings(bare).replace("Pass(), ", "")
