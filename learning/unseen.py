"""Characters that a reader does not see and that act on what shows them, spelt out: ``\\x1b`` for an escape.

Whatever holds anybody's words (a learner's, a file's name, a record's) goes through here before a terminal, a file or a page
gets it. Standard library only.
"""

from __future__ import annotations

import re

_ACTS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, marks that turn the direction of writing, and halves of surrogate pairs, which no file can hold."""


def spelt_out(words: str, *, line: bool = False) -> str:
    """``words`` with each character that acts on a terminal or a page spelt out.

    Line breaks, tabs and characters that only join or space others stay, for they belong to text (an emoji of several, a word
    in Persian). In a ``line``, one of a list that names things, only tabs do: of two names that differ none may look like the other,
    nor like two lines.
    """
    if line:
        return "".join(char if char.isprintable() or char == "\t" else _spelling(char) for char in words)
    return _ACTS.sub(lambda found: _spelling(found[0]), words)


def _spelling(char: str) -> str:
    return char.encode("unicode_escape").decode()
