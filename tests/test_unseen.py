"""No words make a terminal do anything or hide in it, and those that only belong to text stay as they are."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from learning.unseen import spelt_out

ANY = st.text(st.characters() | st.characters(categories=["Cc", "Cf", "Cs", "Zl", "Zp", "Zs"]), max_size=40)
TURNS = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
"""Unicode's classes of characters that turn the direction of what follows; three more marks stand for a letter that does."""


def acts(char):
    mark = char in "\u061c\u200e\u200f" or unicodedata.bidirectional(char) in TURNS
    return mark or (unicodedata.category(char) in ("Cc", "Cs") and char not in "\n\t")


def test_of_all_characters_those_that_act_are_spelt_and_no_others():
    for char in map(chr, range(sys.maxunicode + 1)):
        assert (spelt_out(char) != char) == acts(char), ascii(char)
        shown = spelt_out(char, line=True)
        assert (shown == char) == (char.isprintable() or char == "\t"), ascii(char)


@given(ANY)
def test_what_is_spelt_acts_on_nothing_and_fits_any_file(words):
    shown = spelt_out(words)
    assert not any(map(acts, shown))
    assert shown.encode("utf-8").decode("utf-8") == shown
    assert shown.count("\n") == words.count("\n")


@given(ANY)
def test_a_line_is_one_line_of_what_is_seen(words):
    shown = spelt_out(words, line=True)
    assert all(char.isprintable() or char == "\t" for char in shown)
    assert len(shown.splitlines()) <= 1


@given(ANY, ANY, st.booleans())
def test_each_character_is_spelt_for_itself_and_once(one, two, line):
    shown = spelt_out(one, line=line)
    assert spelt_out(one + two, line=line) == shown + spelt_out(two, line=line)
    assert spelt_out(shown, line=line) == shown


@given(ANY)
def test_a_line_spells_more_and_nothing_otherwise(words):
    assert spelt_out(spelt_out(words), line=True) == spelt_out(words, line=True)


@pytest.mark.parametrize(
    "words", ["two\nlines\tand a tab", "a\u00a0space that does not break", "👩\u200d💻", "می\u200cخواهم"]
)
def test_what_belongs_to_text_stays_in_text(words):
    assert spelt_out(words) == words


def test_two_names_that_look_alike_look_different_in_a_list():
    assert spelt_out("eve\u200b", line=True) == "eve\\u200b"
    assert spelt_out("eve\n0 of 20", line=True) == "eve\\n0 of 20"
    assert spelt_out("\x1b[2Jeve\u202e", line=True) == spelt_out("\x1b[2Jeve\u202e") == "\\x1b[2Jeve\\u202e"
