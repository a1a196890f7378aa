"""A page of Markdown in its three forms: anybody's words come out as they went in, and never as markup."""

import html
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from learning.sheet import Sheet, cell, page, table, text

WORDS = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Zl", "Zp")), max_size=60)


@settings(max_examples=150, deadline=None)
@given(WORDS)
def test_words_in_a_cell_come_out_as_they_are_and_hold_no_markup(words):
    line = " ".join(words.split())
    markdown = table(("head",), [[cell(words)]])
    shown = re.search(r"<tbody><tr><td[^>]*>(.*)</td></tr></tbody>", page(markdown), re.DOTALL)[1]
    assert html.unescape(shown) == line and "<" not in shown
    assert text(markdown).splitlines()[1:] == ([line] if line else [])


@settings(max_examples=100, deadline=None)
@given(st.lists(st.lists(WORDS, min_size=3, max_size=3), max_size=4))
def test_a_table_keeps_its_cells_apart(rows):
    markdown = table(("a", "b", "c"), [[cell(words) for words in row] for row in rows])
    found = re.findall(r"<td[^>]*>(.*?)</td>", page(markdown))
    assert [html.unescape(one) for one in found] == [" ".join(words.split()) for row in rows for words in row]


def test_what_the_courses_pages_use_becomes_html_and_text():
    sheet = Sheet(
        "# Title", "**bold**, *thin*, `a < b` and [a link](../docs/page.md#part).", "- one\n  - two\n- three",
        table(("h", "i"), [["`x|y`".replace("|", "\\|"), "2"]]), "```text\nif a < b:\n\n    pass\n```", "> said\n> twice",
    )  # fmt: skip
    shown = sheet._repr_html_()
    for part in (
        "<h1>Title</h1>", "<b>bold</b>", "<i>thin</i>", "<code>a &lt; b</code>", '<a href="../docs/page.md#part">a link</a>',
        "<ul><li>one</li><ul><li>two</li></ul><li>three</li></ul>", '<th scope="col"', "<pre>if a &lt; b:\n\n    pass</pre>",
        "<blockquote>said<br>twice</blockquote>",
    ):  # fmt: skip
        assert part in shown
    plain = repr(sheet)
    assert "bold, thin, a < b and a link." in plain and "**" not in plain and "    if a < b:" in plain
    assert sheet._repr_markdown_().startswith("# Title\n\n**bold**")


def test_an_item_that_runs_over_several_lines_is_one_item():
    shown = page("- one, **which\n  goes** on\n  - two\n    more\n- three")
    assert shown == "<ul><li>one, <b>which goes</b> on</li><ul><li>two more</li></ul><li>three</li></ul>"


def test_a_link_that_runs_something_is_no_link():
    assert page("[x](javascript:alert(1))").count("<a") == 0
    assert page("[x](https://example.org/a?b=c)").count("<a") == 1
    assert "<script>" not in page("<script>alert(1)</script> <b>x</b>")


def test_a_table_without_heads_has_no_empty_line():
    assert text(table(("", ""), [["a", "b"]])) == "a  b" and "<thead>" not in page(table(("", ""), [["a", "b"]]))
    assert text(table(("",), [])) == ""
