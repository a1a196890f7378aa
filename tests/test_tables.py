"""Tables for a terminal and for a page: columns, headings that a screen reader finds, and nothing in a cell read as markup."""

from __future__ import annotations

import html as markup
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning import tables

WORDS = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=8)
ROWS = st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(WORDS, min_size=n, max_size=n), min_size=1, max_size=5))


class Read(HTMLParser):
    """The cells of a table, row by row: (tag, scope, how it is aligned, words)."""

    def __init__(self, page: str):
        super().__init__(convert_charrefs=True)
        self.rows, self.caption, self._within = [], "", ""
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self._within = tag
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            aligned = re.search(r"text-align:(\w+)", given["style"])[1]
            self.rows[-1].append([tag, given.get("scope"), aligned, ""])

    def handle_endtag(self, tag):
        self._within = ""

    def handle_data(self, data):
        if self._within in ("td", "th"):
            self.rows[-1][-1][3] += data
        elif self._within == "caption":
            self.caption += data


@given(ROWS)
def test_lines_are_aligned_and_lose_no_words(rows):
    lines = tables.text(rows)
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    for line, row in zip(lines, rows, strict=True):
        padded, at = line.ljust(sum(widths) + 2 * len(widths)), 0
        for cell, width in zip(row, widths, strict=True):
            assert padded[at : at + width] == cell.ljust(width)
            at += width + 2


def test_numbers_end_below_one_another_and_short_rows_are_taken():
    assert tables.text([["", "cold", "warm"], ["add", "1 µs", "12 µs"], ["eager"], ["own", 3]], left=1) == [
        "       cold   warm", "add    1 µs  12 µs", "eager", "own       3",
    ]  # fmt: skip
    assert tables.text([]) == []


@given(ROWS, st.booleans())
def test_a_page_shows_the_words_and_says_what_heads_what(rows, named):
    heads = [f"head {k}" for k in range(len(rows[0]))]
    found = Read(tables.html(rows, heads, named=named, caption="a < b"))
    assert found.caption == "a < b"
    assert found.rows[0] == [["th", "col", "left", head] for head in heads]
    first = ("th", "row") if named else ("td", None)
    for shown, row in zip(found.rows[1:], rows, strict=True):
        assert [cell[3] for cell in shown] == row
        assert [tuple(cell[:2]) for cell in shown] == [first, *[("td", None)] * (len(row) - 1)]


def test_columns_stand_to_the_right_where_numbers_are():
    found = Read(tables.html([["add", "1"]], ["", "µs"], left=1))
    assert [[cell[2] for cell in row] for row in found.rows] == [["left", "right"]] * 2


def test_empty_headings_are_left_out():
    assert "<thead>" not in tables.html([["a", "b"]], ["", ""]) and "<caption" not in tables.html([["a"]])


@pytest.mark.parametrize(
    "attack", ["<script>alert(1)</script>", '" onmouseover="x', "<img src=x onerror=y>", "&lt;b&gt;"]
)
def test_nothing_in_a_cell_is_markup(attack):
    page = tables.html([[attack, attack]], [attack, ""], named=True, caption=attack)
    tags = set(re.findall(r"</?([a-z]+)", page))
    assert tags == {"table", "caption", "thead", "tbody", "tr", "th", "td"} and page.count(markup.escape(attack)) == 4
    assert [cell[3] for cell in Read(page).rows[1]] == [attack, attack]


def test_rows_show_themselves():
    class Machine(tables.Rows):
        def rows(self):
            return [("device", "CPU"), ("Python", "3.12")]

    assert repr(Machine()) == "device  CPU\nPython  3.12"
    assert Read(Machine()._repr_html_()).rows[0] == [["th", "row", "left", "device"], ["td", None, "left", "CPU"]]
